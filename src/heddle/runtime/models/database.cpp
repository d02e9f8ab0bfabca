#include "heddle/runtime/models/database.hpp"

#include <sqlite3.h>
#include <sys/stat.h>

#include <exception>
#include <thread>
#include <utility>

#include "heddle/model/error.hpp"

namespace heddle::runtime {
namespace {

/// SQLite asks whether to try again what another program has locked.
int wait_for_lock(void* patience, int /*tries*/) {
  return static_cast<const Patience*>(patience)->sleep() ? 1 : 0;
}

/// SQLite asks whether to break off what takes so long.
int break_off(void* /*nothing*/) {
  return 1;
}

}  // namespace

bool Patience::sleep() const {
  if (std::chrono::steady_clock::now() >= end_) return false;
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return true;
}

void Patience::give_up(const std::string& what) {
  throw InputError("another program has kept " + what + " locked for " + std::to_string(kLimit.count()) +
                   " s; end that program, or name another history");
}

Database::Database(const std::string& path, bool create, const Patience& patience) : path_(path) {
  // SQLite would let others read it, and so lock it. It takes an empty file for a new database, and it must not be
  // opened here: closing it would release the locks that SQLite has on it in other threads.
  if (create) static_cast<void>(::mknod(path.c_str(), S_IFREG | S_IRUSR | S_IWUSR, 0));
  const int status =
      sqlite3_open_v2(path.c_str(), &handle_, SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0), nullptr);
  try {
    check(status);
    sqlite3_busy_handler(handle_, wait_for_lock, const_cast<Patience*>(&patience));
    trust_nothing();
    // Not waiting for the disk: only when the whole system breaks down may the file be damaged, and that is survived.
    run("PRAGMA synchronous = OFF");
  } catch (...) {
    sqlite3_close(handle_);
    throw;
  }
}

/// The file may be damaged on purpose.
void Database::trust_nothing() {
  for (const int option : {SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW}) {
    check(sqlite3_db_config(handle_, option, 0, nullptr));
  }
  constexpr int kMostSteps = 100'000'000;  // about a second; a history of a million rows takes less
  sqlite3_progress_handler(handle_, kMostSteps, break_off, nullptr);
}

Database::~Database() {
  sqlite3_close(handle_);
}

void Database::check(int status) const {
  if (status == SQLITE_OK || status == SQLITE_ROW || status == SQLITE_DONE) return;
  const std::string why = sqlite3_errmsg(handle_);
  switch (status & 0xff) {
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
    case SQLITE_ERROR:      // the commands are ours: when one makes no sense, the tables are not
    case SQLITE_INTERRUPT:  // a command that does not end
      throw Damaged(why);
    case SQLITE_BUSY:
      Patience::give_up("the history of durations '" + path_ + "'");
    default:
      break;
  }
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
