#pragma once

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace heddle::runtime {

/// A file that is no database, or not the one expected: what is wrong with it.
class Damaged : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What a call may wait for locks that other programs hold, all of them together.
class Patience {
 public:
  static constexpr std::chrono::seconds kLimit{5};

  /// Sleeps for a moment; false when the time is up.
  [[nodiscard]] bool sleep() const;
  /// What is then thrown; `what` is locked.
  [[noreturn]] static void give_up(const std::string& what);

 private:
  std::chrono::steady_clock::time_point end_ = std::chrono::steady_clock::now() + kLimit;
};

/// An open SQLite file, which may be anything: views and triggers do not work, and no command goes on for ever. All
/// functions throw Damaged when the file's content is wrong, and InputError when it cannot be used, or when another
/// program has it locked and patience is at an end.
class Database {
 public:
  /// Makes the file when there is none and `create` says so, for the user alone. `patience` must outlive this.
  Database(const std::string& path, bool create, const Patience& patience);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void run(const char* sql);
  /// The first column of the first row.
  [[nodiscard]] std::int64_t number(const char* sql);

  /// A command with `?` for values, to be done any number of times.
  class Statement {
   public:
    Statement(Database& database, const char* sql);
    ~Statement();
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    /// Begins again; the values follow in their order.
    Statement& restart();
    Statement& operator<<(std::string_view text);
    Statement& operator<<(std::int64_t number);
    /// Goes to the next row; false when there is none.
    [[nodiscard]] bool step();
    /// Of the row.
    [[nodiscard]] std::string text(int column);
    [[nodiscard]] std::int64_t number(int column);

   private:
    Database& database_;
    sqlite3_stmt* statement_ = nullptr;
    int bound_ = 0;
  };

 private:
  void check(int status) const;
  void trust_nothing();

  std::string path_;
  sqlite3* handle_ = nullptr;
};

/// What is done while this lives is done at once or not at all: only after commit().
class Transaction {
 public:
  explicit Transaction(Database& database) : database_(database) { database_.run("BEGIN IMMEDIATE"); }
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace heddle::runtime
