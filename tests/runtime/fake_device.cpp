#include "tests/runtime/fake_device.hpp"

#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <new>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <utility>

#include "heddle/model/random.hpp"
#include "heddle/runtime/data/buffer.hpp"

namespace heddle::runtime {
namespace {

/// Does what it is asked for, one after the other, on a thread of its own.
class Queue {
 public:
  explicit Queue(std::uint64_t seed) : random_(seed), thread_([this](const std::stop_token& stop) { serve(stop); }) {}

  void push(std::function<void()> work, std::chrono::microseconds delay) {
    const std::lock_guard lock(mutex_);
    const std::uint64_t part = delay.count() > 0 ? random_.below(static_cast<std::uint64_t>(delay.count())) : 0;
    work_.push_back([work = std::move(work), part] {
      if (part > 0) std::this_thread::sleep_for(std::chrono::microseconds(part));
      work();
    });
    more_.notify_one();
  }

 private:
  void serve(const std::stop_token& stop) {
    while (true) {
      std::function<void()> next;
      {
        std::unique_lock lock(mutex_);
        if (!more_.wait(lock, stop, [this] { return !work_.empty(); })) return;
        next = std::move(work_.front());
        work_.pop_front();
      }
      next();
    }
  }

  std::mutex mutex_;
  std::condition_variable_any more_;
  std::deque<std::function<void()>> work_;
  Random random_;
  std::jthread thread_;
};

}  // namespace

class FakeBackend::FakeDevice final : public Device {
 public:
  FakeDevice(const Options& options, const std::atomic<bool>& fails, Counts& counts, std::size_t number)
      : options_(options),
        fails_(fails),
        counts_(counts),
        number_(number),
        in_(kQueues * number),
        out_(kQueues * number + 1) {
    for (std::size_t i = 0; i < options.side_by_side; ++i) kernels_.emplace_back(kQueues * number + 2 + i);
  }

  [[nodiscard]] std::uint64_t memory_bytes() const override { return options_.memory_bytes; }
  [[nodiscard]] bool runs(const Implementation& implementation) const override {
    return implementation.form == Implementation::Form::native;
  }

  [[nodiscard]] void* allocate(std::size_t bytes) override {
    const std::lock_guard lock(mutex_);
    if (left() < bytes || (fails_ && options_.refuses && options_.refuses(counts_.asked++))) {
      ++counts_.refusals;
      return nullptr;
    }
    used_ += bytes;
    counts_.bytes += bytes;
    counts_.most_bytes = std::max(counts_.most_bytes.load(), counts_.bytes.load());
    auto* memory = static_cast<std::size_t*>(::operator new(bytes + kHeader));
    *memory = bytes;
    return reinterpret_cast<std::byte*>(memory) + kHeader;
  }
  void release(void* memory) override {
    const std::lock_guard lock(mutex_);
    std::byte* begin = static_cast<std::byte*>(memory) - kHeader;
    const std::size_t bytes = *reinterpret_cast<std::size_t*>(begin);
    used_ -= bytes;
    counts_.bytes -= bytes;
    ::operator delete(begin);
  }

  [[nodiscard]] bool pin(void* memory, std::size_t bytes) override {
    const std::lock_guard lock(mutex_);
    if (!pinned_.emplace(memory, bytes).second) return false;
    counts_.pinned_bytes += bytes;
    return true;
  }
  void unpin(void* memory) override {
    const std::lock_guard lock(mutex_);
    counts_.pinned_bytes -= pinned_.extract(memory).mapped();
  }

  void copy_in(const Shape& shape, const Piece& from, void* to, Done done) override {
    ++counts_.copies;
    push(in_, Operation::copy_in, [=] { copy(shape, from, {to, shape.rows}); }, std::move(done));
  }
  void copy_out(const Shape& shape, void* from, const Piece& to, Done done) override {
    ++counts_.copies;
    push(out_, Operation::copy_out, [=] { copy(shape, {from, shape.rows}, to); }, std::move(done));
  }
  [[nodiscard]] bool connect(const Device& /*other*/) override { return options_.connected; }
  void copy_from(const Device& /*other*/, std::size_t bytes, void* from, void* to, Done done) override {
    ++counts_.direct_copies;
    push(in_, Operation::copy_from, [=] { std::memcpy(to, from, bytes); }, std::move(done));
  }
  void copy_within(std::size_t bytes, void* from, void* to) override {
    kernels_[next_].push([=] { std::memcpy(to, from, bytes); }, options_.delay);
  }
  void run(const Implementation& implementation, const Job& job, Done done) override {
    ++counts_.kernels;
    push(kernels_[next_], Operation::run, [&implementation, job] { implementation.run(job); }, std::move(done));
    next_ = (next_ + 1) % kernels_.size();
  }

 private:
  static constexpr std::size_t kHeader = alignof(std::max_align_t);
  static constexpr std::size_t kQueues = 8;  ///< of a device at most, as seeds go

  [[nodiscard]] std::uint64_t left() const { return options_.memory_bytes - used_; }

  template <class Work>
  void push(Queue& queue, Operation operation, Work work, Done done) {
    const bool is_watched = fails_ && options_.before;
    const bool fails = fails_ && options_.fails && options_.fails(operation, counts_.operations++, number_);
    if (fails) ++counts_.failures;
    queue.push(
        [this, operation, work = std::move(work), done = std::move(done), is_watched, fails] {
          if (is_watched) options_.before(operation);
          std::exception_ptr failure;
          try {
            if (fails) throw std::runtime_error("the device is gone");
            work();
          } catch (...) {
            failure = std::current_exception();
          }
          done(failure);
        },
        options_.delay);
  }

  const Options& options_;
  const std::atomic<bool>& fails_;
  Counts& counts_;
  const std::size_t number_;
  std::map<void*, std::size_t> pinned_;  ///< sizes by address
  std::mutex mutex_;
  std::uint64_t used_ = 0;  ///< guarded by it
  Queue in_;
  Queue out_;
  std::deque<Queue> kernels_;
  std::size_t next_ = 0;  ///< of these
};

std::vector<DeviceInfo> FakeBackend::devices() const {
  std::vector<DeviceInfo> devices(options_.devices, {options_.name, 1, options_.memory_bytes, true});
  for (std::size_t i = 0; i < options_.pci_addresses.size(); ++i) devices[i].pci_address = options_.pci_addresses[i];
  return devices;
}

std::unique_ptr<Device> FakeBackend::open(std::size_t number) {
  return std::make_unique<FakeDevice>(options_, fails_, counts_, number);
}

}  // namespace heddle::runtime
