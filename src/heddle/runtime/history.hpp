#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heddle/runtime/estimate.hpp"
#include "heddle/runtime/views.hpp"

namespace heddle::runtime {

class Database;
class Patience;

/// How long an implementation of a kernel takes on data of some shapes on a worker of a class.
struct Measured {
  std::string kernel;
  std::vector<Shape> shapes;
  std::string class_name;
  Estimate duration;
  std::string variant{};  ///< Implementation::name
};

/// How long data takes from one memory to another: b bytes take the latency, and b / 2^20 times what a mebibyte takes.
struct MeasuredLink {
  std::string from;  ///< "ram", or a device: "cuda 0: NVIDIA H200"
  std::string to;
  Estimate latency;
  Estimate mebibyte;
};

/// What was measured on this machine in all runs: a SQLite file that several machines may share, each with entries of
/// its own. It is open only during a call, and each call is one transaction: any number of processes may use it at
/// once, and nothing that one of them adds is lost. A call checks the whole file, which takes a tenth of the time to
/// read it. A history that is damaged is set aside under another name, and a new one begun; what tells that it is one
/// is how the file begins, or its place: default_history_path(). A row that makes no sense is left out, and removed
/// when something is added.
///
/// All functions throw InputError when the file cannot be read or written, is something else than a history, is one of
/// another version of Heddle, which is left as it is, or is locked by another program for longer than Patience::kLimit.
class History {
 public:
  /// What becomes of one that is damaged.
  enum class Unreadable : std::uint8_t {
    set_aside,
    reported,  ///< InputError, and it is left as it is
  };
  /// Is told in one sentence when a file was set aside, or rows were left out.
  using Warn = std::function<void(const std::string&)>;

  /// The file need not exist, nor its folder; it is made when there is something to add. `machine`: this_machine().
  explicit History(std::string path, std::string machine, Warn warn = {},
                   Unreadable unreadable = Unreadable::set_aside);

  /// Makes the file, if there is none. Throws InputError when nothing can be written to it.
  void prepare() const;
  /// All that is known of this machine, by kernel, shapes, class and variant.
  [[nodiscard]] std::vector<Measured> read() const;
  /// The links of which both parts are known, by their ends.
  [[nodiscard]] std::vector<MeasuredLink> read_links() const;
  /// Adds measurements to those that are there.
  void add(std::span<const Measured> later) const;
  void add_links(std::span<const MeasuredLink> later) const;
  /// Forgets what is known of this machine. How many entries that were.
  [[nodiscard]] std::size_t clear() const;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::string& machine() const { return machine_; }

 private:
  struct Table;
  struct Row;

  template <class Use>
  auto with_database(Use&& use) const;
  void check(Database& database) const;
  void set_aside(std::uint64_t file, const std::string& why, const Patience& patience) const;
  template <class Change>
  void change(Change&& change) const;
  [[nodiscard]] std::vector<Row> read(const Table& table) const;
  void add(const Table& table, std::span<const Row> later) const;

  std::string path_;
  std::string machine_;
  Warn warn_;
  Unreadable unreadable_;
};

/// What tells machines apart: the processor's name and the number of cores that the process may use.
[[nodiscard]] std::string this_machine();

/// Where it is kept for the user: heddle/history-2.sqlite in the cache folder, of version 2 of the file's format, so
/// that versions of Heddle do not meet in one file. Nothing when there is no such folder.
[[nodiscard]] std::optional<std::string> default_history_path();

}  // namespace heddle::runtime
