#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace heddle::facts {

struct Event;

/// A file of format heddle-facts that is being written: what policies were told and asked, and what they answered, in
/// the order of the calls (docs/facts.md). It is there when it is finished, and nothing is before. Events may come from
/// several threads.
class Log {
 public:
  /// `policy`: its specification; empty when there is none that others could make it from. Throws InputError when the
  /// file cannot be written.
  Log(const std::string& path, std::string_view policy);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  /// For a policy that is made, or copied.
  [[nodiscard]] std::uint32_t next_number() { return numbers_++; }
  /// Never throws for the file's sake: finish() tells. What comes after that is not written.
  void add(const Event& event);
  /// Throws InputError when something could not be written.
  void finish();

 private:
  struct Inside;

  std::atomic<std::uint32_t> numbers_{0};
  std::mutex mutex_;
  std::unique_ptr<Inside> inside_;
};

}  // namespace heddle::facts
