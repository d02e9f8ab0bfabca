#include "heddle/runtime/devices/driver.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace heddle::runtime {

Driver::Driver(std::unique_ptr<Device> device, const RunClock& clock, Bell& bell)
    : clock_(clock), bell_(bell), inbox_(std::make_shared<Inbox>()), device_(std::move(device)) {
  inbox_->bell = &bell;
}

Driver::~Driver() {
  const Lock lock(inbox_->mutex);
  inbox_->bell = nullptr;
}

void Driver::request(Transfer& transfer) {
  const Lock lock(inbox_->mutex);
  inbox_->transfers.push_back(&transfer);
  inbox_->bell->ring();
}

void Driver::request(Execution& execution) {
  const Lock lock(inbox_->mutex);
  inbox_->executions.push_back(&execution);
  inbox_->bell->ring();
}

/// What a device is to call when it is done. What it does takes from the request until the end is known: longer than
/// the device is at work, but so long nothing else can use what it brings.
Device::Done Driver::report(Ended ended) {
  ++under_way_;
  return [this, inbox = inbox_, ended = std::move(ended)](std::exception_ptr failure) mutable {
    const Lock lock(inbox->mutex);
    if (inbox->bell == nullptr) return;
    ended.failure = std::move(failure);
    ended.ended = std::max(clock_.now(), ended.began);
    inbox->ended.push_back(std::move(ended));
    inbox->bell->ring();
  };
}

void Driver::begin(Transfer& transfer) {
  const Shape& shape = transfer.block->shape;
  const Piece& from = transfer.source->argument.piece;
  const Piece& to = transfer.target->argument.piece;
  Device::Done done = report({.transfer = &transfer, .failure = nullptr, .began = clock_.now()});
  if (shape.bytes() == 0) {
    done(nullptr);
  } else if (transfer.to == kHost) {
    device_->copy_out(shape, from.address, to, std::move(done));
  } else if (transfer.from == kHost) {
    device_->copy_in(shape, from, to.address, std::move(done));
  } else {
    device_->copy_from(*transfer.peer, shape.bytes(), from.address, to.address, std::move(done));
  }
}

void Driver::begin(Execution& execution, Team& team) {
  const auto runs = [&] { return !execution.refused && !execution.is_aborted(); };
  if (runs()) device_->prepare(*execution.implementation);  // which may take so long that it is aborted meanwhile
  const Device::Done done = report({.execution = &execution, .failure = nullptr, .began = clock_.now()});
  if (!runs()) return done(execution.refused);
  for (const Execution::Original& one : execution.originals) {
    if (one.shape.bytes() == 0) continue;
    device_->copy_within(one.shape.bytes(), one.from.address, one.to.address);
  }
  device_->run(*execution.implementation, execution.begin(team), done);
}

std::vector<Driver::Ended> Driver::work(Team& team) {
  std::vector<Transfer*> transfers;
  std::vector<Execution*> executions;
  std::vector<Ended> ended;
  {
    const Lock lock(inbox_->mutex);
    transfers.swap(inbox_->transfers);
    executions.swap(inbox_->executions);
    ended.swap(inbox_->ended);
  }
  under_way_ -= ended.size();
  for (Execution* execution : executions) begin(*execution, team);
  for (Transfer* transfer : transfers) begin(*transfer);
  for (Ended& one : ended) {
    if (one.execution != nullptr) {
      one.execution->chain.reset();
      continue;
    }
    // It may have been asked for while the one before it was under way.
    Time& last = one.transfer->to == kHost ? last_copy_out_ : last_copy_in_;
    one.began = std::max(one.began, std::exchange(last, one.ended));
  }
  return ended;
}

void Driver::finish() {
  while (under_way_ > 0) {
    static_cast<void>(bell_.wait([] { return std::nullopt; }));
    const Lock lock(inbox_->mutex);
    under_way_ -= std::exchange(inbox_->ended, {}).size();
  }
}

}  // namespace heddle::runtime
