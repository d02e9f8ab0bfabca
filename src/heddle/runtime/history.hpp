#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/model/platform.hpp"
#include "heddle/model/time.hpp"
#include "heddle/runtime/views.hpp"

namespace heddle::runtime {

/// What is believed of a duration that was measured several times: the mean of the middle half of the last
/// measurements; of two or three, of all but the longest. A few that are far off, however far, do not move it; a
/// lasting change does soon.
class Estimate {
 public:
  static constexpr std::size_t kRecent = 16;  ///< so many of the last measurements count

  Estimate() = default;
  /// Measured `count` times, the last of them `recent`: all, or kRecent of them.
  Estimate(std::uint64_t count, std::span<const Time> recent) : count_(count - recent.size()) {
    for (const Time duration : recent) add(duration);
  }

  void add(Time duration) {
    recent_[count_ % kRecent] = duration;
    ++count_;
  }
  /// Adds what was measured after this.
  void add(const Estimate& later) {
    count_ += later.count_ - later.known();
    for (const Time duration : later.recent()) add(duration);
  }
  /// How often it was measured.
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// Must have been measured.
  [[nodiscard]] Time mean() const {
    const auto sorted = ordered();
    const auto [first, end] = middle();
    const Time sum = std::accumulate(sorted.begin() + first, sorted.begin() + end, Time{0});
    return sum / static_cast<Time>(end - first);
  }
  /// Half the width of the middle half: how far measurements usually are from the mean.
  [[nodiscard]] Time spread() const {
    const auto sorted = ordered();
    const auto [first, end] = middle();
    return (sorted[end - 1] - sorted[first]) / 2;
  }
  /// The measurements that count, the oldest first.
  [[nodiscard]] std::vector<Time> recent() const {
    std::vector<Time> durations;
    for (std::uint64_t i = count_ - known(); i < count_; ++i) durations.push_back(recent_[i % kRecent]);
    return durations;
  }
  /// What was measured after the first `count` times.
  [[nodiscard]] Estimate since(std::uint64_t count) const {
    const std::uint64_t more = count_ - count;
    const std::vector<Time> durations = recent();
    return {more, std::span(durations).last(static_cast<std::size_t>(std::min<std::uint64_t>(more, known())))};
  }

 private:
  [[nodiscard]] std::size_t known() const { return static_cast<std::size_t>(std::min<std::uint64_t>(count_, kRecent)); }
  /// Which of them count, ordered.
  [[nodiscard]] std::pair<std::size_t, std::size_t> middle() const {
    const std::size_t cut = known() / 4;
    return {cut, known() - (known() == 1 ? 0 : std::max<std::size_t>(cut, 1))};
  }
  [[nodiscard]] std::array<Time, kRecent> ordered() const {
    std::array<Time, kRecent> sorted = recent_;
    std::sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(known()));
    return sorted;
  }

  std::array<Time, kRecent> recent_{};
  std::uint64_t count_ = 0;
};

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

/// This machine as a platform: such workers ("cpu=2,cpu2=1"; empty: one per core) and what was measured of kernels on
/// square tiles. A kernel's tile is N x N when all its data have N columns and the largest of them has N rows; QR's
/// factors have less. What was measured of other data has no place in it. It has links when all of its devices' were
/// measured. Throws InputError when there are no such workers.
[[nodiscard]] Machine measured_machine(std::span<const Measured> entries, std::span<const MeasuredLink> links,
                                       std::string_view workers);

}  // namespace heddle::runtime
