#include "tests/policy/host_copies.hpp"

#include <algorithm>

namespace heddle::test {

HostCopies::HostCopies(const Instance& instance)
    : instance_(instance),
      routes_(instance.platform),
      memories_(instance.platform.memories().size()),
      states_(instance.graph.data_count() * memories_, State::none) {
  const Table<DataId, MemoryId> homes = home_memories(instance);
  for (const DataId data : homes.ids()) set(data, homes[data], State::valid);
}

void HostCopies::observe(policy::HostView& view) {
  view_ = &view;
  if (are_free()) return;
  for (const DataId data : instance_.graph.data().ids()) {
    for (const MemoryId memory : instance_.platform.memories().ids()) view.set_copy(data, memory, at(data, memory));
  }
}

void HostCopies::set(DataId data, MemoryId memory, State state) {
  states_[index(data) * memories_ + index(memory)] = state;
  if (view_ != nullptr && !are_free()) view_->set_copy(data, memory, state);
}

void HostCopies::fetch(DataId data, MemoryId memory) {
  if (are_free() || at(data, memory) != State::none) return;
  set(data, memory, State::coming);
  requests_.push_back({data, memory});
}

void HostCopies::written(DataId data, MemoryId memory) {
  std::erase_if(requests_, [&](const Request& one) { return one.data == data; });
  if (under_way_ && under_way_->data == data) under_way_.reset();
  for (const MemoryId other : instance_.platform.memories().ids()) set(data, other, State::none);
  set(data, memory, State::valid);
}

void HostCopies::begin(Random& random, Time now) {
  if (under_way_ || requests_.empty()) return;
  const Request request = requests_[random() % requests_.size()];
  std::vector<MemoryId> sources;
  for (const MemoryId from : instance_.platform.memories().ids()) {
    if (at(request.data, from) == State::valid) sources.push_back(from);
  }
  // Where the way leads over ram, this is the first half of it.
  const MemoryId from = sources[random() % sources.size()];
  const Link& link = instance_.platform.links()[routes_.hops(from, request.to).front()];
  const MemoryId to = instance_.platform.find_memory(link.to).value();
  under_way_ = {request.data, from, to, now, now, instance_.graph.datum(request.data).bytes};
}

void HostCopies::end(Time now) {
  Transfer transfer = *under_way_;
  under_way_.reset();
  transfer.end = now;
  set(transfer.data, transfer.to, State::valid);
  std::erase_if(requests_, [&](const Request& one) { return one.data == transfer.data && one.to == transfer.to; });
  transfers_.push_back(transfer);
}

}  // namespace heddle::test
