#include "heddle/experiment/runner.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "heddle/model/random.hpp"

namespace heddle::experiment {
namespace {

/// Small and large cells come mixed, so that the rate so far tells how long the rest will take.
void shuffle(std::vector<const Cell*>& cells) {
  Random random(0);
  for (std::size_t i = cells.size(); i > 1; --i) std::swap(cells[i - 1], cells[random.below(i)]);
}

class Work {
 public:
  Work(std::span<const Cell> cells, const RunOptions& options) : options_(options), total_(cells.size()) {
    std::set<std::string, std::less<>> seen;
    for (const Cell& cell : cells) {
      std::string key = cell.key();
      const Values* known = options.journal == nullptr ? nullptr : options.journal->find(key);
      if (known != nullptr) results_.set(key, *known);
      if (seen.insert(std::move(key)).second && known == nullptr) todo_.push_back(&cell);
    }
    shuffle(todo_);
  }

  Results run() {
    std::exception_ptr interrupted;
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < std::min(options_.threads, todo_.size()); ++i) {
        threads.emplace_back([this] { work(); });
      }
      try {
        watch();
      } catch (...) {
        interrupted = std::current_exception();
        stop();
      }
    }
    if (failure_) std::rethrow_exception(failure_);
    if (interrupted) std::rethrow_exception(interrupted);
    return std::move(results_);
  }

 private:
  static constexpr std::chrono::milliseconds kBetweenUpdates{50};

  /// Until nothing is left to do: what the calling thread does meanwhile.
  void watch() {
    std::unique_lock lock(mutex_);
    while (finished_ < todo_.size() && !stopped_) {
      changed_.wait_for(lock, kBetweenUpdates);
      const std::size_t done = total_ - todo_.size() + finished_;
      lock.unlock();
      if (options_.progress) options_.progress(done);
      lock.lock();
    }
  }

  void stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }

  /// The number of the next cell; none when there is none or the work is stopped.
  std::optional<std::size_t> next() {
    const std::lock_guard lock(mutex_);
    if (stopped_ || next_ == todo_.size()) return std::nullopt;
    return next_++;
  }

  void work() {
    while (const auto number = next()) {
      try {
        const Cell& cell = *todo_[*number];
        note(cell, cell.measure.compute(cell));
      } catch (...) {
        fail(*number);
      }
    }
  }

  void note(const Cell& cell, Values values) {
    const std::lock_guard lock(mutex_);
    if (options_.journal != nullptr) options_.journal->append(cell.key(), values);
    results_.set(cell.key(), std::move(values));
    ++finished_;
    changed_.notify_one();
  }

  void fail(std::size_t number) {
    const std::lock_guard lock(mutex_);
    if (number < first_failed_) failure_ = std::current_exception();
    first_failed_ = std::min(first_failed_, number);
    stopped_ = true;
    changed_.notify_one();
  }

  const RunOptions& options_;
  std::size_t total_;
  std::vector<const Cell*> todo_;
  std::mutex mutex_;  ///< guards all that follows, and the journal
  std::condition_variable changed_;
  Results results_;
  std::size_t next_ = 0;
  std::size_t finished_ = 0;
  bool stopped_ = false;
  std::exception_ptr failure_;
  std::size_t first_failed_ = std::numeric_limits<std::size_t>::max();
};

}  // namespace

Results compute(std::span<const Cell> cells, const RunOptions& options) {
  return Work(cells, options).run();
}

}  // namespace heddle::experiment
