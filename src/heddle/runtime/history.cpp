#include "heddle/runtime/history.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "heddle/io/cache.hpp"
#include "heddle/io/file.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/settings.hpp"
#include "heddle/runtime/cores.hpp"
#include "heddle/runtime/database.hpp"

namespace heddle::runtime {
namespace {

/// In the head of the file: that it is a history, and how its tables look.
constexpr std::int64_t kApplication = 0x48444c48;  // "HDLH"
constexpr std::int64_t kVersion = 2;

/// A history, but of another version.
class OtherVersion : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Numbers in text, none of them larger than an int64.
std::vector<std::int64_t> numbers(std::string_view text, char separator) {
  std::vector<std::int64_t> result;
  while (true) {
    const std::size_t end = text.find(separator);
    const auto number = parse_count(text.substr(0, end));
    if (!number || *number > static_cast<std::uint64_t>(kMaxTime)) throw Damaged("it has something else for numbers");
    result.push_back(static_cast<std::int64_t>(*number));
    if (end == std::string_view::npos) return result;
    text.remove_prefix(end + 1);
  }
}

/// "960x960x8 960x1x8": rows, columns and bytes of an element.
std::string shapes_text(std::span<const Shape> shapes) {
  std::string text;
  for (const Shape& shape : shapes) {
    if (!text.empty()) text += ' ';
    text += std::to_string(shape.rows) + 'x' + std::to_string(shape.columns) + 'x' + std::to_string(shape.element);
  }
  return text;
}

std::vector<Shape> parse_shapes(std::string_view text) {
  std::vector<Shape> shapes;
  while (!text.empty()) {
    const std::size_t end = text.find(' ');
    const std::vector<std::int64_t> parts = numbers(text.substr(0, end), 'x');
    if (parts.size() != 3) throw Damaged("it has something else for shapes");
    shapes.push_back(
        {static_cast<std::size_t>(parts[0]), static_cast<std::size_t>(parts[1]), static_cast<std::size_t>(parts[2])});
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return shapes;
}

/// Mean and spread follow from the recent measurements; in picoseconds, the oldest first.
std::string recent_text(const Estimate& estimate) {
  std::string text;
  for (const Time duration : estimate.recent()) text += (text.empty() ? "" : " ") + std::to_string(duration);
  return text;
}

Estimate parse_estimate(std::int64_t count, const std::string& recent) {
  const std::vector<Time> durations = numbers(recent, ' ');
  if (count < 1 || durations.size() != std::min<std::size_t>(static_cast<std::size_t>(count), Estimate::kRecent)) {
    throw Damaged("it has other numbers of measurements than it says");
  }
  return {static_cast<std::uint64_t>(count), durations};
}

constexpr const char* kLatency = "latency";
constexpr const char* kMebibyte = "mebibyte";

bool is_new(Database& database) {
  return database.number("SELECT count(*) FROM sqlite_master") == 0;
}

/// That the file, which is not new, is a history of this version.
void check_head(Database& database, const std::string& path) {
  if (database.number("PRAGMA application_id") != kApplication) {
    throw InputError("'" + path + "' is no history of durations, and is left as it is");
  }
  const std::int64_t version = database.number("PRAGMA user_version");
  if (version != kVersion) throw OtherVersion("it is of version " + std::to_string(version));
}

void set_head(Database& database) {
  database.run(("PRAGMA application_id = " + std::to_string(kApplication)).c_str());
  database.run(("PRAGMA user_version = " + std::to_string(kVersion)).c_str());
}

/// Whether the file's first page says that it is a history, whatever follows.
bool begins_as_history(const std::string& path) {
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  constexpr std::size_t kApplicationAt = 68;  // in big-endian order (sqlite.org/fileformat.html, 1.3)
  std::array<unsigned char, kApplicationAt + 4> head{};
  std::ifstream(path, std::ios::binary).read(reinterpret_cast<char*>(head.data()), head.size());
  std::int64_t application = 0;
  for (std::size_t i = kApplicationAt; i < head.size(); ++i) application = application << 8 | head[i];
  return std::equal(kMagic.begin(), kMagic.end(), head.begin()) && application == kApplication;
}

/// What tells a file from others that had or will have its name; 0: there is none.
ino_t file_number(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

/// A lock on the folder of the file. Who uses the file shares it, who sets it aside has it alone: SQLite would take the
/// journal of the new file for one of the old file where both are open under one name.
class FolderLock {
 public:
  FolderLock(const std::string& path, int operation) {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    folder_ = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder_ >= 0) ::flock(folder_, operation);
  }
  ~FolderLock() {
    if (folder_ >= 0) ::close(folder_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int folder_;
};

/// Gives the file another name, one that is free; which.
std::string rename_file(const std::string& path, const std::string& ending) {
  std::string name = path + ending;
  for (int i = 2; file_number(name) != 0; ++i) name = path + ending + "-" + std::to_string(i);
  // What SQLite left beside it belongs to it, and would spoil the next one.
  std::rename((path + "-journal").c_str(), (name + "-journal").c_str());
  if (std::rename(path.c_str(), name.c_str()) == 0) return name;
  throw InputError("'" + path + "' is damaged and cannot be set aside: " + std::strerror(errno));
}

}  // namespace

/// A table of estimates of what three names tell apart.
struct History::Table {
  std::string name;
  std::vector<std::string> keys;

  /// "kernel, shapes, class, variant", with something else than a comma if need be.
  [[nodiscard]] std::string list(const std::string& between = ", ") const {
    return fmt::format("{}", fmt::join(keys, between));
  }
  void make(Database& database) const {
    database.run(("CREATE TABLE " + name + " (machine TEXT NOT NULL, " + list(" TEXT NOT NULL, ") +
                  " TEXT NOT NULL, count INTEGER NOT NULL, recent TEXT NOT NULL, PRIMARY KEY (machine, " + list() +
                  ")) WITHOUT ROWID")
                     .c_str());
  }

  static const Table& durations() {
    static const Table table{"durations", {"kernel", "shapes", "class", "variant"}};
    return table;
  }
  static const Table& links() {
    static const Table table{"links", {"source", "target", "part"}};
    return table;
  }
};

struct History::Row {
  std::vector<std::string> keys;
  Estimate estimate;
};

History::History(std::string path, std::string machine, Warn warn, Unreadable unreadable)
    : path_(std::move(path)), machine_(std::move(machine)), warn_(std::move(warn)), unreadable_(unreadable) {}

/// Unless another process has done so: then a good file may be in its place.
void History::set_aside(std::uint64_t file, const std::string& ending, const std::string& why) const {
  const FolderLock lock(path_, LOCK_EX);
  if (file_number(path_) != file) return;
  // A file of the user's that was named by mistake must not lose its name.
  const bool is_history = path_ == default_history_path() || begins_as_history(path_);
  if (!is_history) throw InputError("'" + path_ + "' is no history of durations, and is left as it is");
  const std::string what = "the history of durations '" + path_ + "' cannot be read (" + why + "); it ";
  if (unreadable_ == Unreadable::reported) throw InputError(what + "is left as it is");
  const std::string name = rename_file(path_, ending);
  if (warn_) warn_(what + "was set aside as '" + name + "', and a new one begun");
}

/// What use(database) returns, once the file is one that can be used.
template <class Use>
auto History::with_database(Use&& use) const {
  constexpr int kTries = 3;  // another process may spoil the new one, too, but not for ever
  for (int i = 1;; ++i) {
    ino_t file = 0;
    try {
      const FolderLock lock(path_, LOCK_SH);
      file = file_number(path_);
      return use();
    } catch (const Damaged& damage) {
      if (i == kTries) throw InputError("the history of durations '" + path_ + "' is damaged: " + damage.what());
      set_aside(file, ".damaged", damage.what());
    } catch (const OtherVersion& other) {
      if (i == kTries) throw InputError("the history of durations '" + path_ + "' cannot be read: " + other.what());
      set_aside(file, ".other-version", other.what());
    }
  }
}

/// What `convert` makes of the rows about this machine; it may find that they are Damaged.
template <class Convert>
auto History::read(const Table& table, Convert&& convert) const {
  return with_database([&] {
    std::vector<Row> found;
    if (file_number(path_) == 0) return convert(std::move(found));
    Database database(path_, false);
    if (is_new(database)) return convert(std::move(found));
    check_head(database, path_);
    const std::string select = "SELECT " + table.list() + ", count, recent FROM " + table.name + " WHERE machine = ?";
    Database::Statement rows(database, select.c_str());
    rows << machine_;
    while (rows.step()) {
      Row& row = found.emplace_back();
      int column = 0;
      while (row.keys.size() < table.keys.size()) row.keys.push_back(rows.text(column++));
      const std::int64_t count = rows.number(column);
      row.estimate = parse_estimate(count, rows.text(column + 1));
    }
    return convert(std::move(found));
  });
}

std::vector<Measured> History::read() const {
  return read(Table::durations(), [](const std::vector<Row>& rows) {
    std::vector<Measured> entries;
    for (const Row& row : rows) {
      entries.push_back({row.keys[0], parse_shapes(row.keys[1]), row.keys[2], row.estimate, row.keys[3]});
    }
    std::ranges::stable_sort(entries, {}, [](const Measured& entry) {
      return std::tie(entry.kernel, entry.shapes, entry.class_name, entry.variant);
    });
    return entries;
  });
}

std::vector<MeasuredLink> History::read_links() const {
  return read(Table::links(), [](std::vector<Row> rows) {
    std::ranges::sort(rows, {}, &Row::keys);
    std::vector<MeasuredLink> links;
    for (const Row& row : rows) {
      const std::string& from = row.keys[0];
      const std::string& to = row.keys[1];
      const std::string& part = row.keys[2];
      if (links.empty() || links.back().from != from || links.back().to != to) links.push_back({from, to, {}, {}});
      if (part != kLatency && part != kMebibyte) throw Damaged("it has something else for links");
      (part == kLatency ? links.back().latency : links.back().mebibyte) = row.estimate;
    }
    // Who forgets may leave a part to a run that had begun before.
    std::erase_if(links,
                  [](const MeasuredLink& link) { return link.latency.count() == 0 || link.mebibyte.count() == 0; });
    return links;
  });
}

/// change(database), in one transaction, of a file that is made if need be.
template <class Change>
void History::change(Change&& change) const {
  io::make_folder_of(path_);
  with_database([&] {
    Database database(path_, true);
    Transaction transaction(database);
    if (is_new(database)) {
      Table::durations().make(database);
      Table::links().make(database);
      set_head(database);
    } else {
      check_head(database, path_);
    }
    change(database);
    transaction.commit();
  });
}

void History::prepare() const {
  change(set_head);  // only what is written tells whether it can be
}

void History::add(const Table& table, std::span<const Row> later) const {
  if (later.empty()) return;
  change([&](Database& database) {
    const std::string select =
        "SELECT count, recent FROM " + table.name + " WHERE machine = ? AND " + table.list(" = ? AND ") + " = ?";
    const std::vector<std::string> values(table.keys.size() + 3, "?");
    const std::string insert =
        fmt::format("INSERT OR REPLACE INTO {} VALUES ({})", table.name, fmt::join(values, ", "));
    Database::Statement find(database, select.c_str());
    Database::Statement replace(database, insert.c_str());
    for (const auto& [keys, estimate] : later) {
      find.restart() << machine_;
      for (const std::string& key : keys) find << key;
      Estimate all;
      if (find.step()) all = parse_estimate(find.number(0), find.text(1));
      all.add(estimate);
      replace.restart() << machine_;
      for (const std::string& key : keys) replace << key;
      replace << static_cast<std::int64_t>(all.count()) << recent_text(all);
      static_cast<void>(replace.step());
    }
    find.restart();
  });
}

void History::add(std::span<const Measured> later) const {
  std::vector<Row> rows;
  for (const Measured& entry : later) {
    rows.push_back({{entry.kernel, shapes_text(entry.shapes), entry.class_name, entry.variant}, entry.duration});
  }
  add(Table::durations(), rows);
}

void History::add_links(std::span<const MeasuredLink> later) const {
  std::vector<Row> rows;
  for (const MeasuredLink& link : later) {
    if (link.latency.count() > 0) rows.push_back({{link.from, link.to, kLatency}, link.latency});
    if (link.mebibyte.count() > 0) rows.push_back({{link.from, link.to, kMebibyte}, link.mebibyte});
  }
  add(Table::links(), rows);
}

std::size_t History::clear() const {
  return with_database([this] {
    std::size_t count = 0;
    if (file_number(path_) == 0) return count;
    Database database(path_, false);
    Transaction transaction(database);
    if (is_new(database)) return count;
    check_head(database, path_);
    for (const Table* table : {&Table::durations(), &Table::links()}) {
      Database::Statement remove(database, ("DELETE FROM " + table->name + " WHERE machine = ?").c_str());
      remove << machine_;
      static_cast<void>(remove.step());
      count += static_cast<std::size_t>(database.number("SELECT changes()"));
    }
    transaction.commit();
    return count;
  });
}

std::string this_machine() {
  return Cores().machine();
}

std::optional<std::string> default_history_path() {
  return io::cache_file("history.sqlite");
}

}  // namespace heddle::runtime
