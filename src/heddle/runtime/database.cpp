#include "heddle/runtime/database.hpp"

#include <sqlite3.h>

#include <exception>

#include "heddle/model/error.hpp"

namespace heddle::runtime {

Database::Database(const std::string& path, bool create) : path_(path) {
  const int status =
      sqlite3_open_v2(path.c_str(), &handle_, SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0), nullptr);
  try {
    check(status);
    constexpr int kPatienceMilliseconds = 10'000;
    sqlite3_busy_timeout(handle_, kPatienceMilliseconds);
    // Not waiting for the disk: only when the whole system breaks down may the file be damaged, and that is survived.
    run("PRAGMA synchronous = OFF");
  } catch (...) {
    sqlite3_close(handle_);
    throw;
  }
}

Database::~Database() {
  sqlite3_close(handle_);
}

void Database::check(int status) const {
  if (status == SQLITE_OK || status == SQLITE_ROW || status == SQLITE_DONE) return;
  const std::string why = sqlite3_errmsg(handle_);
  // The commands are ours: when one makes no sense, the tables are not.
  if (status == SQLITE_NOTADB || status == SQLITE_CORRUPT || status == SQLITE_ERROR) throw Damaged(why);
  throw InputError("the history of durations '" + path_ + "' cannot be used: " + why);
}

void Database::run(const char* sql) {
  Statement statement(*this, sql);
  while (statement.step()) continue;
}

std::int64_t Database::number(const char* sql) {
  Statement statement(*this, sql);
  return statement.step() ? statement.number(0) : 0;
}

Database::Statement::Statement(Database& database, const char* sql) : database_(database) {
  database_.check(sqlite3_prepare_v2(database_.handle_, sql, -1, &statement_, nullptr));
}

Database::Statement::~Statement() {
  sqlite3_finalize(statement_);
}

Database::Statement& Database::Statement::restart() {
  sqlite3_reset(statement_);
  bound_ = 0;
  return *this;
}

Database::Statement& Database::Statement::operator<<(std::string_view text) {
  database_.check(
      sqlite3_bind_text(statement_, ++bound_, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT));
  return *this;
}

Database::Statement& Database::Statement::operator<<(std::int64_t number) {
  database_.check(sqlite3_bind_int64(statement_, ++bound_, number));
  return *this;
}

bool Database::Statement::step() {
  const int status = sqlite3_step(statement_);
  database_.check(status);
  return status == SQLITE_ROW;
}

std::string Database::Statement::text(int column) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  return text == nullptr ? "" : std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
}

std::int64_t Database::Statement::number(int column) {
  return sqlite3_column_int64(statement_, column);
}

Transaction::~Transaction() {
  if (!open_) return;
  try {
    database_.run("ROLLBACK");
  } catch (const std::exception&) {
    // SQLite has rolled back on its own, or will when the file is opened next.
    return;
  }
}

void Transaction::commit() {
  database_.run("COMMIT");
  open_ = false;
}

}  // namespace heddle::runtime
