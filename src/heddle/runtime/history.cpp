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
#include <tuple>
#include <utility>

#include "heddle/io/cache.hpp"
#include "heddle/io/file.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/options.hpp"
#include "heddle/runtime/models/database.hpp"
#include "heddle/runtime/threads/cores.hpp"

namespace heddle::runtime {
namespace {

/// In the head of the file: that it is a history, and how its tables look.
constexpr std::int64_t kApplication = 0x48444c48;  // "HDLH"
constexpr std::int64_t kVersion = 2;

/// Larger ones make no sense: sums of a few counts, and of the recent durations, must not overflow.
constexpr std::int64_t kMostCount = std::int64_t{1} << 53;
constexpr Time kLongestDuration = kMaxTime / static_cast<Time>(Estimate::kRecent);

/// Nothing when the text is something else, or a number is larger than kLongestDuration.
std::optional<std::vector<std::int64_t>> parse_numbers(std::string_view text, char separator) {
  std::vector<std::int64_t> numbers;
  while (true) {
    const std::size_t end = text.find(separator);
    const auto number = parse_count(text.substr(0, end));
    if (!number || *number > static_cast<std::uint64_t>(kLongestDuration)) return std::nullopt;
    numbers.push_back(static_cast<std::int64_t>(*number));
    if (end == std::string_view::npos) return numbers;
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

std::optional<std::vector<Shape>> parse_shapes(std::string_view text) {
  std::vector<Shape> shapes;
  while (!text.empty()) {
    const std::size_t end = text.find(' ');
    const auto parts = parse_numbers(text.substr(0, end), 'x');
    if (!parts || parts->size() != 3) return std::nullopt;
    shapes.push_back({static_cast<std::size_t>((*parts)[0]), static_cast<std::size_t>((*parts)[1]),
                      static_cast<std::size_t>((*parts)[2])});
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return shapes;
}

/// Mean and spread follow from the recent measurements; in picoseconds, the oldest first.
std::string recent_text(const Estimate& estimate) {
  std::string text;
  for (const Time duration : estimate.recent()) {
    text += (text.empty() ? "" : " ") + std::to_string(std::min(duration, kLongestDuration));
  }
  return text;
}

std::int64_t count_of(const Estimate& estimate) {
  return static_cast<std::int64_t>(std::min<std::uint64_t>(estimate.count(), kMostCount));
}

/// Nothing when the numbers make no sense.
std::optional<Estimate> parse_estimate(std::int64_t count, std::string_view recent) {
  const auto durations = parse_numbers(recent, ' ');
  if (!durations || count < 1 || count > kMostCount) return std::nullopt;
  if (durations->size() != std::min(static_cast<std::size_t>(count), Estimate::kRecent)) return std::nullopt;
  return Estimate(static_cast<std::uint64_t>(count), *durations);
}

constexpr const char* kLatency = "latency";
constexpr const char* kMebibyte = "mebibyte";

bool is_new(Database& database) {
  return database.number("SELECT count(*) FROM sqlite_master") == 0;
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
  FolderLock(const std::string& path, int operation, const Patience& patience) {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    folder_ = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (folder_ >= 0 && ::flock(folder_, operation | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      if (patience.sleep()) continue;
      ::close(folder_);
      Patience::give_up("the folder of the history of durations '" + path + "'");
    }
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
std::string rename_file(const std::string& path) {
  const std::string first = path + ".damaged";
  std::string name = first;
  for (int i = 2; file_number(name) != 0; ++i) name = first + "-" + std::to_string(i);
  // What SQLite left beside it belongs to it, and would spoil the next one.
  std::rename((path + "-journal").c_str(), (name + "-journal").c_str());
  if (std::rename(path.c_str(), name.c_str()) == 0) return name;
  throw InputError("'" + path + "' is damaged and cannot be set aside: " + std::strerror(errno));
}

}  // namespace

struct History::Row {
  std::vector<std::string> keys;
  Estimate estimate;
};

/// A table of estimates of what some names tell apart.
struct History::Table {
  std::string name;
  std::vector<std::string> keys;
  bool (*make_sense)(const std::vector<std::string>& keys);

  /// "kernel, shapes, class, variant", with something else than a comma if need be.
  [[nodiscard]] std::string list(const std::string& between = ", ") const {
    return fmt::format("{}", fmt::join(keys, between));
  }
  /// The command that makes it, which SQLite keeps.
  [[nodiscard]] std::string definition() const {
    return "CREATE TABLE " + name + " (machine TEXT NOT NULL, " + list(" TEXT NOT NULL, ") +
           " TEXT NOT NULL, count INTEGER NOT NULL, recent TEXT NOT NULL, PRIMARY KEY (machine, " + list() +
           ")) WITHOUT ROWID";
  }
  /// Calls use(keys, estimate) for each row about the machine; no estimate: the row makes no sense.
  template <class Use>
  void for_each_row(Database& database, const std::string& machine, Use&& use) const {
    Database::Statement rows(database,
                             ("SELECT " + list() + ", count, recent FROM " + name + " WHERE machine = ?").c_str());
    rows << machine;
    while (rows.step()) {
      std::vector<std::string> names;
      int column = 0;
      while (names.size() < keys.size()) names.push_back(rows.text(column++));
      const std::int64_t count = rows.number(column);
      const auto estimate = make_sense(names) ? parse_estimate(count, rows.text(column + 1)) : std::nullopt;
      use(std::move(names), estimate);
    }
  }
  /// Deletes the rows about the machine that make no sense.
  void tidy(Database& database, const std::string& machine) const {
    std::vector<std::vector<std::string>> senseless;
    for_each_row(database, machine, [&](std::vector<std::string> names, const std::optional<Estimate>& estimate) {
      if (!estimate) senseless.push_back(std::move(names));
    });
    std::string command = "DELETE FROM " + name + " WHERE machine = ?";
    for (const std::string& key : keys) command += " AND CAST(" + key + " AS TEXT) = ?";  // damage may make it a blob
    Database::Statement remove(database, command.c_str());
    for (const std::vector<std::string>& names : senseless) {
      remove.restart() << machine;
      for (const std::string& key : names) remove << key;
      static_cast<void>(remove.step());
    }
  }

  static const Table& durations() {
    static const Table table{"durations", {"kernel", "shapes", "class", "variant"}, [](const auto& names) {
                               return parse_shapes(names[1]).has_value();
                             }};
    return table;
  }
  static const Table& links() {
    static const Table table{"links", {"source", "target", "part"}, [](const auto& names) {
                               return names[2] == kLatency || names[2] == kMebibyte;
                             }};
    return table;
  }
  /// By name.
  static std::array<const Table*, 2> all() { return {&durations(), &links()}; }
};

History::History(std::string path, std::string machine, Warn warn, Unreadable unreadable)
    : path_(std::move(path)), machine_(std::move(machine)), warn_(std::move(warn)), unreadable_(unreadable) {}

/// Unless another process has done so: then a good file may be in its place.
void History::set_aside(std::uint64_t file, const std::string& why, const Patience& patience) const {
  const FolderLock lock(path_, LOCK_EX, patience);
  if (file_number(path_) != file) return;
  // A file of the user's that was named by mistake must not lose its name.
  const bool is_history = path_ == default_history_path() || begins_as_history(path_);
  if (!is_history) throw InputError("'" + path_ + "' is not a history of durations; it is unchanged");
  const std::string what = "the history of durations '" + path_ + "' cannot be read (" + why + "); it ";
  if (unreadable_ == Unreadable::reported) throw InputError(what + "is unchanged");
  const std::string name = rename_file(path_);
  if (warn_) warn_(what + "was set aside as '" + name + "', and a new one was started");
}

/// What use(patience) returns, once the file is one that can be used.
template <class Use>
auto History::with_database(Use&& use) const {
  io::keep_private(path_);
  const Patience patience;
  constexpr int kTries = 3;  // another process may spoil the new one, too, but not for ever
  for (int i = 1;; ++i) {
    ino_t file = 0;
    try {
      const FolderLock lock(path_, LOCK_SH, patience);
      file = file_number(path_);
      return use(patience);
    } catch (const Damaged& damage) {
      if (i == kTries) throw InputError("the history of durations '" + path_ + "' is damaged: " + damage.what());
      set_aside(file, damage.what(), patience);
    }
  }
}

/// That the file, which is not new, is a whole history of this version: all tables, whatever the call is about, since
/// what is added to a damaged file would be set aside with it.
void History::check(Database& database) const {
  if (database.number("PRAGMA application_id") != kApplication) throw Damaged("it is of another program");
  const std::int64_t version = database.number("PRAGMA user_version");
  if (version != kVersion) {
    throw InputError(
        fmt::format("'{}' is a history of durations of version {}; it is unchanged; expected version "
                    "{}; name another file",
                    path_, version, kVersion));
  }
  Database::Statement objects(database, "SELECT sql FROM sqlite_master ORDER BY name");
  for (const Table* table : Table::all()) {
    if (!objects.step() || objects.text(0) != table->definition()) throw Damaged("it has other tables");
  }
  if (objects.step()) throw Damaged("it has more than its tables");
  // The quick check does not see rows that are out of order, which no search finds.
  Database::Statement pages(database, "PRAGMA integrity_check(1)");
  if (!pages.step() || pages.text(0) != "ok") throw Damaged("its pages are damaged");
}

/// The rows about this machine that make sense.
std::vector<History::Row> History::read(const Table& table) const {
  std::size_t senseless = 0;
  std::vector<Row> rows = with_database([&](const Patience& patience) {
    std::vector<Row> found;
    if (file_number(path_) == 0) return found;
    Database database(path_, false, patience);
    if (is_new(database)) return found;
    check(database);
    table.for_each_row(database, machine_,
                       [&](std::vector<std::string> names, const std::optional<Estimate>& estimate) {
                         if (estimate) found.push_back({std::move(names), *estimate});
                         senseless += estimate ? 0 : 1;
                       });
    return found;
  });
  if (senseless > 0 && warn_) {
    warn_(
        fmt::format("{} of {} rows about {} in the history of durations '{}' make no sense and are left out; they are "
                    "removed when the next measurements are added",
                    senseless, senseless + rows.size(), table.name, path_));
  }
  return rows;
}

std::vector<Measured> History::read() const {
  std::vector<Measured> entries;
  for (const Row& row : read(Table::durations())) {
    entries.push_back({row.keys[0], *parse_shapes(row.keys[1]), row.keys[2], row.estimate, row.keys[3]});
  }
  std::ranges::stable_sort(entries, {}, [](const Measured& entry) {
    return std::tie(entry.kernel, entry.shapes, entry.class_name, entry.variant);
  });
  return entries;
}

std::vector<MeasuredLink> History::read_links() const {
  std::vector<Row> rows = read(Table::links());
  std::ranges::sort(rows, {}, &Row::keys);
  std::vector<MeasuredLink> links;
  for (const Row& row : rows) {
    const std::string& from = row.keys[0];
    const std::string& to = row.keys[1];
    if (links.empty() || links.back().from != from || links.back().to != to) links.push_back({from, to, {}, {}});
    (row.keys[2] == kLatency ? links.back().latency : links.back().mebibyte) = row.estimate;
  }
  // Who forgets may leave a part to a run that had begun before.
  std::erase_if(links,
                [](const MeasuredLink& link) { return link.latency.count() == 0 || link.mebibyte.count() == 0; });
  return links;
}

/// change(database), in one transaction, of a file that is made if need be.
template <class Change>
void History::change(Change&& change) const {
  io::make_folder_of(path_);
  with_database([&](const Patience& patience) {
    Database database(path_, true, patience);
    Transaction transaction(database);
    if (is_new(database)) {
      for (const Table* table : Table::all()) database.run(table->definition().c_str());
      set_head(database);
    } else {
      check(database);
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
    for (const Table* any : Table::all()) any->tidy(database, machine_);
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
      if (find.step()) all = parse_estimate(find.number(0), find.text(1)).value_or(Estimate());
      all.add(estimate);
      replace.restart() << machine_;
      for (const std::string& key : keys) replace << key;
      replace << count_of(all) << recent_text(all);
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
  return with_database([this](const Patience& patience) {
    std::size_t count = 0;
    if (file_number(path_) == 0) return count;
    Database database(path_, false, patience);
    Transaction transaction(database);
    if (is_new(database)) return count;
    check(database);
    for (const Table* table : Table::all()) {
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
  return io::cache_file(fmt::format("history-{}.sqlite", kVersion));
}

}  // namespace heddle::runtime
