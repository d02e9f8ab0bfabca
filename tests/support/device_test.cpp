#include "tests/support/device_test.hpp"

#include "heddle/model/error.hpp"
#include "heddle/runtime/devices/backends.hpp"

namespace heddle::test {

std::string Outcome::message() const {
  if (!failure) return "";
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& exception) {
    return exception.what();
  } catch (...) {
    return "something that is no exception";
  }
}

runtime::Device::Done Operations::next() {
  const std::lock_guard lock(mutex_);
  const std::size_t number = outcomes_.size();
  outcomes_.emplace_back();
  ++open_;
  return [this, number](std::exception_ptr failure) {
    const std::lock_guard ended(mutex_);
    Outcome& outcome = outcomes_[number];
    if (outcome.times++ == 0) --open_;
    outcome.failure = std::move(failure);
    ended_.notify_all();
  };
}

const std::vector<Outcome>& Operations::wait() {
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [this] { return open_ == 0; });
  return outcomes_;
}

void Operations::expect_success() {
  for (const Outcome& outcome : wait()) {
    EXPECT_EQ(outcome.times, 1);
    EXPECT_EQ(outcome.message(), "");
  }
}

Outcome run(runtime::Device& device, const runtime::Implementation& implementation, Execution& execution) {
  Operations operations;
  device.run(implementation, execution.job(), operations.next());
  Outcome outcome = operations.wait().front();
  EXPECT_EQ(outcome.times, 1);
  return outcome;
}

void WithDevices::SetUp() {
  try {
    backend_ = runtime::find_backend(HEDDLE_TEST_DEVICES);
  } catch (const InputError& error) {
    GTEST_SKIP() << error.what();
  }
}

void DeviceTest::SetUp() {
  WithDevices::SetUp();
  if (IsSkipped()) return;
  for (std::size_t number = 0; number < backend_->devices().size(); ++number) {
    devices_.push_back(backend_->open(number));
  }
}

std::vector<runtime::Device*> DeviceTest::devices(const runtime::Implementation& implementation) const {
  std::vector<runtime::Device*> able;
  for (const auto& device : devices_) {
    if (device->runs(implementation)) able.push_back(device.get());
  }
  return able;
}

}  // namespace heddle::test
