#include "heddle/runtime/history.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "heddle/model/error.hpp"
#include "heddle/model/random.hpp"
#include "heddle/runtime/models/database.hpp"
#include "tests/support/rounds.hpp"
#include "tests/support/scratch.hpp"
#include "tests/support/test_data.hpp"

namespace heddle::runtime {
namespace {

using test::Scratch;
using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<Shape> kTiles{{960, 960, 8}, {960, 1, 4}};

Measured measured(std::string kernel, std::vector<Time> durations, std::string class_name = "cpu") {
  return {std::move(kernel), kTiles, std::move(class_name), Estimate(durations.size(), durations)};
}

void add(const History& history, const Measured& entry) {
  history.add(std::span(&entry, 1));
}

MeasuredLink link(std::string from, std::string to, std::vector<Time> latencies, std::vector<Time> mebibytes) {
  return {std::move(from), std::move(to), Estimate(latencies.size(), latencies), Estimate(mebibytes.size(), mebibytes)};
}

void add(const History& history, const MeasuredLink& entry) {
  history.add_links(std::span(&entry, 1));
}

/// Does something to the file behind the history's back.
void execute(const std::string& path, const char* sql) {
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &handle), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(handle, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(handle);
  sqlite3_close(handle);
}

TEST(History, GivesBackWhatWasAdded) {
  const Scratch scratch;
  const History history(scratch.path("new/folder/history.sqlite"), "toy, 2 cores");
  EXPECT_TRUE(history.read().empty());
  EXPECT_TRUE(scratch.files().empty()) << "reading makes no file";
  add(history, measured("GEMM", {3'000'000, 2'000'000, 4'000'000}));
  add(history, measured("GEMM", {7}, "cpu2"));
  const auto entries = history.read();
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].kernel, "GEMM");
  EXPECT_EQ(entries[0].shapes, kTiles);
  EXPECT_EQ(entries[0].class_name, "cpu");
  EXPECT_EQ(entries[0].duration.count(), 3U);
  EXPECT_THAT(entries[0].duration.recent(), ElementsAre(3'000'000, 2'000'000, 4'000'000));
  EXPECT_EQ(entries[1].class_name, "cpu2");
}

TEST(History, KeepsVariantsApart) {
  const Scratch scratch;
  const History history(scratch.path("h"), "toy");
  for (const char* variant : {"", "blocked", ""}) {
    Measured entry = measured("GEMM", {5});
    entry.variant = variant;
    add(history, entry);
  }
  const auto entries = history.read();
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].variant, "");
  EXPECT_EQ(entries[0].duration.count(), 2U);
  EXPECT_EQ(entries[1].variant, "blocked");
  EXPECT_EQ(entries[1].duration.count(), 1U);
}

TEST(History, AddsToWhatIsThere) {
  const Scratch scratch;
  const History history(scratch.path("h"), "toy");
  Estimate all;
  for (Time i = 1; i <= 40; ++i) {
    add(history, measured("K", {i, 10 * i}));
    all.add(i);
    all.add(10 * i);
  }
  const Estimate found = history.read().at(0).duration;
  EXPECT_EQ(found.count(), 80U);
  EXPECT_EQ(found.recent(), all.recent());
}

TEST(History, KeepsMachinesApart) {
  const Scratch scratch;
  const History one(scratch.path("h"), "one");
  const History other(scratch.path("h"), "other");
  add(one, measured("K", {1}));
  add(other, measured("K", {2}));
  EXPECT_EQ(one.read().at(0).duration.mean(), 1);
  EXPECT_EQ(one.clear(), 1U);
  EXPECT_EQ(one.clear(), 0U);
  EXPECT_TRUE(one.read().empty());
  EXPECT_EQ(other.read().at(0).duration.mean(), 2);
  EXPECT_EQ(History(scratch.path("none"), "one").clear(), 0U);
}

TEST(History, GivesBackLinks) {
  const Scratch scratch;
  const History history(scratch.path("h"), "toy");
  EXPECT_TRUE(history.read_links().empty());
  add(history, link("ram", "cuda 0: a", {5, 6}, {7}));
  add(history, link("cuda 0: a", "ram", {1}, {2}));
  add(history, link("ram", "cuda 0: a", {}, {8, 9}));
  add(History(scratch.path("h"), "other"), link("ram", "cuda 0: a", {99}, {99}));
  const auto links = history.read_links();
  ASSERT_EQ(links.size(), 2U);
  EXPECT_EQ(links[0].from, "cuda 0: a");
  EXPECT_EQ(links[0].to, "ram");
  EXPECT_EQ(links[1].from, "ram");
  EXPECT_EQ(links[1].to, "cuda 0: a");
  EXPECT_THAT(links[1].latency.recent(), ElementsAre(5, 6));
  EXPECT_THAT(links[1].mebibyte.recent(), ElementsAre(7, 8, 9));
  add(history, measured("K", {1}));
  EXPECT_EQ(history.clear(), 5U) << "two of each link, and one";
  EXPECT_TRUE(history.read_links().empty());
  EXPECT_EQ(History(scratch.path("h"), "other").read_links().size(), 1U);
}

/// Of a link that was forgotten while a run measured it.
TEST(History, LeavesOutLinksOfWhichItKnowsAPart) {
  const Scratch scratch;
  const History history(scratch.path("h"), "toy");
  add(history, link("ram", "a", {}, {7}));
  add(history, link("a", "ram", {1}, {}));
  EXPECT_TRUE(history.read_links().empty());
  add(history, link("ram", "a", {1}, {}));
  EXPECT_EQ(history.read_links().size(), 1U);
}

TEST(History, NamesOfKernelsMayBeAnything) {
  const Scratch scratch;
  const History history(scratch.path("h"), "it's");
  const std::string name = "a'; DROP TABLE durations; -- \xC3\xA9 \n";
  add(history, {name, {}, "cpu", Estimate(1, std::vector<Time>{5})});
  EXPECT_EQ(history.read().at(0).kernel, name);
  EXPECT_TRUE(history.read().at(0).shapes.empty());
}

constexpr int kProcesses = 4;
constexpr int kSaves = 25;

TEST(History, KeepsWhatSeveralProcessesAddAtOnce) {
  const Scratch scratch;
  const std::string path = scratch.path("h");
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      try {
        const History history(path, "toy");
        for (int k = 0; k < kSaves; ++k) {
          add(history, measured("shared", {k + 1, k + 2}));
          add(history, link("ram", "a", {k + 1}, {k + 1, k + 2}));
        }
        add(history, measured("own" + std::to_string(i), {i + 1}));
      } catch (...) {
        _exit(1);
      }
      _exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  const auto entries = History(path, "toy").read();
  ASSERT_EQ(entries.size(), 1U + kProcesses);
  EXPECT_EQ(entries.back().kernel, "shared");
  EXPECT_EQ(entries.back().duration.count(), 2U * kProcesses * kSaves);
  const auto links = History(path, "toy").read_links();
  ASSERT_EQ(links.size(), 1U);
  EXPECT_EQ(links[0].latency.count(), 1U * kProcesses * kSaves);
  EXPECT_EQ(links[0].mebibyte.count(), 2U * kProcesses * kSaves);
}

TEST(History, KeepsWhatSeveralThreadsAddAtOnce) {
  const Scratch scratch;
  std::vector<std::thread> threads;
  for (int i = 0; i < kProcesses; ++i) {
    threads.emplace_back([&] {
      const History history(scratch.path("h"), "toy");
      for (int k = 0; k < kSaves; ++k) add(history, measured("K", {1}));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(History(scratch.path("h"), "toy").read().at(0).duration.count(), 1U * kProcesses * kSaves);
}

/// Nothing but the first page of a history is left.
std::string damaged_history(std::size_t size, char rest) {
  const Scratch scratch;
  History(scratch.path("h"), "toy").prepare();
  return test::read_file(scratch.path("h")).substr(0, 100) + std::string(size - 100, rest);
}

/// What the history of a file says when it reads it and adds to it; it must be able to.
std::vector<std::string> warnings_of(const std::string& path) {
  std::vector<std::string> warnings;
  const History history(path, "toy", [&](const std::string& sentence) { warnings.push_back(sentence); });
  EXPECT_TRUE(history.read().empty());
  add(history, measured("K", {1}));
  EXPECT_EQ(history.read().size(), 1U);
  return warnings;
}

TEST(History, SetsGarbageAside) {
  const Scratch scratch;
  const std::string garbage = damaged_history(5000, '#');
  const std::string path = scratch.write("h", garbage);
  const auto warnings = warnings_of(path);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_THAT(warnings[0],
              HasSubstr("'" + path + "' cannot be read (database disk image is malformed); it was set aside as '" +
                        path + ".damaged', and a new one was started"));
  EXPECT_EQ(test::read_file(path + ".damaged"), garbage);
  // What was set aside stays there.
  const std::string other = damaged_history(5000, '+');
  EXPECT_EQ(scratch.write("h", other), path);
  EXPECT_EQ(warnings_of(path).size(), 1U);
  EXPECT_EQ(test::read_file(path + ".damaged"), garbage);
  EXPECT_EQ(test::read_file(path + ".damaged-2"), other);
}

TEST(History, SetsGarbageAsideWhenItAdds) {
  const Scratch scratch;
  const std::string path = scratch.write("h", damaged_history(5000, '#'));
  int warnings = 0;
  const History history(path, "toy", [&](const std::string&) { ++warnings; });
  add(history, measured("K", {1}));
  EXPECT_EQ(warnings, 1);
  EXPECT_EQ(history.read().size(), 1U);
}

TEST(History, SetsAsideWhatWasCutShort) {
  const Scratch scratch;
  const std::string path = scratch.path("h");
  std::vector<Measured> many;
  for (int i = 0; i < 1000; ++i) many.push_back(measured("kernel" + std::to_string(i), {i + 1}));
  History(path, "toy").add(many);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  EXPECT_EQ(warnings_of(path).size(), 1U);
  EXPECT_THAT(scratch.files(), ElementsAre("h", "h.damaged"));
}

/// That the history of a file tells of damage once, and then keeps what is added.
void expect_set_aside(const std::string& path) {
  std::vector<std::string> warnings;
  const History history(path, "toy", [&](const std::string& sentence) { warnings.push_back(sentence); });
  add(history, measured("K", {1}));
  EXPECT_EQ(history.read().size(), 1U);
  EXPECT_TRUE(history.read_links().empty());
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_THAT(warnings[0], HasSubstr("was set aside as '" + path + ".damaged'"));
}

TEST(History, SetsOtherTablesAside) {
  for (const char* change :
       {"ALTER TABLE durations RENAME TO lengths", "ALTER TABLE durations RENAME COLUMN recent TO latest",
        "DROP TABLE links",
        "ALTER TABLE durations RENAME TO old; CREATE TABLE durations AS SELECT * FROM old; DROP TABLE old",
        "CREATE TABLE more (number INTEGER)",
        "CREATE TRIGGER loses AFTER INSERT ON durations BEGIN DELETE FROM durations; END"}) {
    SCOPED_TRACE(change);
    const Scratch scratch;
    add(History(scratch.path("h"), "toy"), measured("K", {5}));
    execute(scratch.path("h"), change);
    expect_set_aside(scratch.path("h"));
  }
}

/// Its rows never end.
constexpr const char* kEndlessView =
    "DROP TABLE durations; CREATE VIEW durations AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
    "SELECT 'toy' AS machine, 'K' AS kernel, '' AS shapes, 'cpu' AS class, '' AS variant, 1 AS count, i AS recent FROM "
    "n";

TEST(Database, DoesNothingButWhatItIsTold) {
  if constexpr (test::kThreadsSanitized) GTEST_SKIP() << "one thread";
  const Scratch scratch;
  const std::string path = scratch.path("d");
  execute(path,
          "CREATE TABLE kept (number); CREATE VIEW seen AS SELECT 1; "
          "CREATE TRIGGER loses AFTER INSERT ON kept BEGIN DELETE FROM kept; END");
  const Patience patience;
  Database database(path, false, patience);
  EXPECT_THROW(static_cast<void>(database.number("SELECT * FROM seen")), Damaged);
  database.run("INSERT INTO kept VALUES (1)");
  EXPECT_EQ(database.number("SELECT count(*) FROM kept"), 1);
  const char* const endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
  EXPECT_THROW(static_cast<void>(database.number(endless)), Damaged);
}

TEST(History, SetsAnEndlessViewAside) {
  const Scratch scratch;
  History(scratch.path("h"), "toy").prepare();
  execute(scratch.path("h"), kEndlessView);
  expect_set_aside(scratch.path("h"));
}

/// The file with the page on which a table begins overwritten.
void damage_table(const std::string& path, const std::string& table) {
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &handle), SQLITE_OK);
  sqlite3_stmt* statement = nullptr;
  const std::string select =
      "SELECT rootpage * page_size, page_size FROM sqlite_master, pragma_page_size WHERE name = ?";
  ASSERT_EQ(sqlite3_prepare_v2(handle, select.c_str(), -1, &statement, nullptr), SQLITE_OK);
  sqlite3_bind_text(statement, 1, table.c_str(), -1, SQLITE_TRANSIENT);
  ASSERT_EQ(sqlite3_step(statement), SQLITE_ROW);
  const auto end = static_cast<std::size_t>(sqlite3_column_int64(statement, 0));
  const auto size = static_cast<std::size_t>(sqlite3_column_int64(statement, 1));
  sqlite3_finalize(statement);
  sqlite3_close(handle);
  std::string bytes = test::read_file(path);
  bytes.replace(end - size, size, size, '#');
  std::ofstream(path, std::ios::binary) << bytes;
}

/// `heddle calibrate` adds durations, and reads links only in the end: what it added must not be set aside then.
TEST(History, FindsDamageInATableThatTheCallIsNotAbout) {
  for (const char* table : {"durations", "links"}) {
    SCOPED_TRACE(table);
    const Scratch scratch;
    const std::string path = scratch.path("h");
    std::vector<std::string> warnings;
    const History history(path, "toy", [&](const std::string& sentence) { warnings.push_back(sentence); });
    add(history, measured("K", {5}));
    add(history, link("ram", "a", {1}, {2}));
    damage_table(path, table);
    history.prepare();
    EXPECT_EQ(warnings.size(), 1U);
    add(history, measured("K", {1}));
    add(history, link("ram", "a", {1}, {2}));
    EXPECT_EQ(history.read().size(), 1U);
    EXPECT_EQ(history.read_links().size(), 1U);
    EXPECT_EQ(warnings.size(), 1U);
    EXPECT_THAT(scratch.files(), ElementsAre("h", "h.damaged"));
  }
}

TEST(History, LeavesOutRowsThatMakeNoSense) {
  for (const char* change :
       {"shapes = '3x4'", "shapes = CAST('3x4' AS BLOB)", "recent = '-5'", "recent = ''",
        "recent = '9223372036854775807'", "count = 9", "count = -1", "count = 9223372036854775807", "count = 'many'"}) {
    SCOPED_TRACE(change);
    const Scratch scratch;
    std::vector<std::string> warnings;
    const History history(scratch.path("h"), "toy", [&](const std::string& one) { warnings.push_back(one); });
    add(history, measured("good", {5}));
    add(history, measured("bad", {5}));
    execute(scratch.path("h"), ("UPDATE durations SET " + std::string(change) + " WHERE kernel = 'bad'").c_str());
    const auto entries = history.read();
    ASSERT_EQ(entries.size(), 1U);
    EXPECT_EQ(entries[0].kernel, "good");
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_EQ(warnings[0], "1 of 2 rows about durations in the history of durations '" + history.path() +
                               "' make no sense and are left out; they are removed when the next measurements are "
                               "added");
    add(history, measured("bad", {7}));
    ASSERT_EQ(history.read().size(), 2U);
    EXPECT_THAT(history.read()[0].duration.recent(), ElementsAre(7));
    EXPECT_EQ(warnings.size(), 1U) << "the row is gone";
    EXPECT_THAT(scratch.files(), ElementsAre("h"));
  }
}

TEST(History, LeavesOutLinksThatMakeNoSense) {
  for (const char* change : {"part = 'length' WHERE part = 'latency'", "recent = '?'", "count = 0"}) {
    SCOPED_TRACE(change);
    const Scratch scratch;
    int warnings = 0;
    const History history(scratch.path("h"), "toy", [&](const std::string&) { ++warnings; });
    add(history, measured("K", {5}));
    add(history, link("ram", "a", {1}, {2}));
    execute(scratch.path("h"), ("UPDATE links SET " + std::string(change)).c_str());
    EXPECT_TRUE(history.read_links().empty());
    EXPECT_EQ(warnings, 1);
    add(history, measured("K", {5}));
    EXPECT_TRUE(history.read_links().empty());
    EXPECT_EQ(warnings, 1) << "who adds durations removes them";
    add(history, link("ram", "a", {1}, {2}));
    EXPECT_EQ(history.read_links().size(), 1U);
    EXPECT_EQ(history.read().at(0).duration.count(), 2U);
  }
}

TEST(History, CountsNoFurtherThanItCanRead) {
  const Scratch scratch;
  const History history(scratch.path("h"), "toy");
  std::vector<Time> many(16, 3);
  add(history, {"K", {}, "cpu", Estimate(std::uint64_t{1} << 53, many)});
  add(history, {"K", {}, "cpu", Estimate(1, std::vector<Time>{kMaxTime})});
  const Estimate found = history.read().at(0).duration;
  EXPECT_EQ(found.count(), std::uint64_t{1} << 53);
  many.back() = kMaxTime / 16;
  EXPECT_EQ(found.recent(), many) << "a longer duration could not be read, either";
  EXPECT_EQ(found.mean(), 3);
}

TEST(History, LeavesOtherVersionsAlone) {
  for (const char* version : {"1", "3"}) {
    const Scratch scratch;
    const std::string path = scratch.path("h");
    add(History(path, "toy"), measured("K", {5}));
    execute(path, (std::string("PRAGMA user_version = ") + version).c_str());
    const std::string before = test::read_file(path);
    int warnings = 0;
    const History history(path, "toy", [&](const std::string&) { ++warnings; });
    try {
      static_cast<void>(history.read());
      ADD_FAILURE() << "it was read";
    } catch (const InputError& error) {
      EXPECT_EQ(error.what(), "'" + path + "' is a history of durations of version " + version +
                                  "; it is unchanged; expected version 2; name another file");
    }
    EXPECT_THROW(history.prepare(), InputError);
    EXPECT_THROW(add(history, measured("K", {1})), InputError);
    EXPECT_THROW(static_cast<void>(history.clear()), InputError);
    EXPECT_EQ(warnings, 0);
    EXPECT_EQ(test::read_file(path), before);
    EXPECT_THAT(scratch.files(), ElementsAre("h"));
  }
}

TEST(History, ProcessesThatFindItDamagedAtOnceLoseNothing) {
  for (int round = 0; round < 10; ++round) {
    const Scratch scratch;
    const std::string path = scratch.write("h", damaged_history(5000, '#'));
    std::vector<std::thread> threads;
    for (int i = 0; i < kProcesses; ++i) {
      threads.emplace_back([&, i] { add(History(path, "toy"), measured("K" + std::to_string(i), {1})); });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(History(path, "toy").read().size(), 1U * kProcesses);
  }
}

TEST(History, LeavesAFileThatIsNoHistoryAlone) {
  const Scratch scratch;
  const std::string thesis(5000, '%');
  const std::string path = scratch.write("thesis.tex", thesis);
  int warnings = 0;
  const History history(path, "toy", [&](const std::string&) { ++warnings; });
  EXPECT_THROW(static_cast<void>(history.read()), InputError);
  EXPECT_THROW(add(history, measured("K", {1})), InputError);
  EXPECT_THROW(static_cast<void>(history.clear()), InputError);
  EXPECT_EQ(warnings, 0);
  EXPECT_THAT(scratch.files(), ElementsAre("thesis.tex"));
  EXPECT_EQ(test::read_file(path), thesis);
}

/// The cache folder of the user is `folder`, for a while.
class CacheFolder {
 public:
  explicit CacheFolder(const std::string& folder) { setenv("XDG_CACHE_HOME", folder.c_str(), 1); }
  ~CacheFolder() { setenv("XDG_CACHE_HOME", before_.c_str(), 1); }
  CacheFolder(const CacheFolder&) = delete;
  CacheFolder& operator=(const CacheFolder&) = delete;

 private:
  std::string before_ = std::getenv("XDG_CACHE_HOME");
};

TEST(History, InItsOwnPlaceIsSetAsideWhateverItIs) {
  const Scratch scratch;
  const CacheFolder cache(scratch.path(""));
  std::filesystem::create_directory(scratch.path("heddle"));
  const std::string path = scratch.write("heddle/history-2.sqlite", std::string(5000, '#'));
  EXPECT_EQ(warnings_of(*default_history_path()).size(), 1U);
  EXPECT_EQ(test::read_file(path + ".damaged"), std::string(5000, '#'));
  std::filesystem::remove(path);
  execute(path, "CREATE TABLE bookmarks (address TEXT)");
  EXPECT_EQ(warnings_of(*default_history_path()).size(), 1U);
  EXPECT_TRUE(std::filesystem::exists(path + ".damaged-2"));
}

std::string permissions(const std::string& path) {
  return std::to_string(static_cast<int>(std::filesystem::status(path).permissions() & std::filesystem::perms::all));
}

TEST(History, IsTheUsersAlone) {
  const Scratch scratch;
  const CacheFolder cache(scratch.path("cache"));
  const std::string path = *default_history_path();
  const mode_t before = umask(0);
  History(path, "toy").prepare();
  umask(before);
  EXPECT_EQ(permissions(path), std::to_string(0600));
  EXPECT_EQ(permissions(scratch.path("cache/heddle")), std::to_string(0700));
  // As older versions made them.
  std::filesystem::permissions(path, std::filesystem::perms(0644));
  std::filesystem::permissions(scratch.path("cache/heddle"), std::filesystem::perms(0755));
  static_cast<void>(History(path, "toy").read());
  EXPECT_EQ(permissions(path), std::to_string(0600));
  EXPECT_EQ(permissions(scratch.path("cache/heddle")), std::to_string(0700));
}

TEST(History, ThatTheUserSharesStaysShared) {
  const Scratch scratch;
  const std::string path = scratch.path("h");
  History(path, "toy").prepare();
  EXPECT_EQ(permissions(path), std::to_string(0600));
  std::filesystem::permissions(path, std::filesystem::perms(0664));
  add(History(path, "toy"), measured("K", {1}));
  EXPECT_EQ(permissions(path), std::to_string(0664));
}

/// That each call gives up when another program keeps a lock.
void expect_patience_to_end(const History& history) {
  try {
    add(history, measured("K", {1}));
    ADD_FAILURE() << "it was not locked";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("history of durations '" + history.path() + "' locked for 5 s; end that program"));
  }
}

TEST(History, DoesNotWaitForEverForTheFolder) {
  const Scratch scratch;
  const int folder = open(scratch.path("").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_EQ(flock(folder, LOCK_EX), 0);
  expect_patience_to_end(History(scratch.path("h"), "toy"));
  close(folder);
  add(History(scratch.path("h"), "toy"), measured("K", {1}));
}

TEST(History, DoesNotWaitForEverForTheDatabase) {
  const Scratch scratch;
  const History history(scratch.path("h"), "toy");
  history.prepare();
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(history.path().c_str(), &handle), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(handle, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
  expect_patience_to_end(history);
  sqlite3_close(handle);
  add(history, measured("K", {1}));
}

/// A few bytes, or a stretch of them.
std::string damaged(std::string bytes, Random& random) {
  const std::size_t length = random.below(2) == 0 ? 1 + random.below(4) : 1 + random.below(2000);
  const std::size_t at = random.below(bytes.size() - length);
  for (std::size_t i = at; i < at + length; ++i) bytes[i] = static_cast<char>(random.below(256));
  if (random.below(8) == 0) bytes.resize(random.below(bytes.size()));
  return bytes;
}

TEST(History, KeepsWhatIsAddedToADamagedOne) {
  const Scratch scratch;
  const CacheFolder cache(scratch.path("cache"));
  const std::string path = *default_history_path();
  std::vector<Measured> many;
  for (int i = 0; i < 100; ++i) many.push_back(measured("kernel" + std::to_string(i), {i + 1, i + 2}));
  History(path, "toy").add(many);
  add(History(path, "toy"), link("ram", "a", {1}, {2}));
  const std::string whole = test::read_file(path);
  int refused = 0;
  for (std::uint64_t seed = 1; seed <= test::rounds(500U); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    std::ofstream(path, std::ios::binary) << damaged(whole, random);
    const History history(path, "toy");
    try {
      static_cast<void>(history.read());
      add(history, measured("new", {1}));
      add(history, link("ram", "new", {1}, {2}));
      int warnings = 0;
      const History again(path, "toy", [&](const std::string&) { ++warnings; });
      EXPECT_EQ(again.read().back().kernel, "new");
      EXPECT_EQ(again.read_links().back().to, "new");
      EXPECT_EQ(warnings, 0);
    } catch (const InputError& error) {
      ++refused;
      EXPECT_THAT(error.what(), HasSubstr("is a history of durations of version"));
    }
  }
  EXPECT_LT(refused, 25);
}

TEST(History, IsOnlyReportedWhereThatIsAskedFor) {
  const Scratch scratch;
  const std::string path = scratch.write("h", damaged_history(5000, '#'));
  const History history(path, "toy", {}, History::Unreadable::reported);
  EXPECT_THROW(static_cast<void>(history.read()), InputError);
  EXPECT_THAT(scratch.files(), ElementsAre("h"));
}

TEST(History, LeavesAnotherProgramsDatabaseAlone) {
  const Scratch scratch;
  const std::string path = scratch.path("h");
  execute(path, "CREATE TABLE bookmarks (address TEXT)");
  const History history(path, "toy");
  EXPECT_THROW(static_cast<void>(history.read()), InputError);
  EXPECT_THROW(add(history, measured("K", {1})), InputError);
  EXPECT_THROW(static_cast<void>(history.clear()), InputError);
  EXPECT_THAT(scratch.files(), ElementsAre("h"));
}

TEST(History, SaysWhenThereIsNoPlaceForIt) {
  const Scratch scratch;
  const std::string file = scratch.write("file", "");
  EXPECT_THROW(add(History(file + "/h", "toy"), measured("K", {1})), InputError);
  EXPECT_THROW(add(History(scratch.path("."), "toy"), measured("K", {1})), InputError);
}

}  // namespace
}  // namespace heddle::runtime
