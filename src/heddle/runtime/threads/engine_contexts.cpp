// The scheduling contexts of a program.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/model/error.hpp"
#include "heddle/runtime/submission/socket_contexts.hpp"
#include "heddle/runtime/threads/engine.hpp"

namespace heddle::runtime {

SchedulingContext Engine::add_context(const ContextRequest& request) {
  SchedulingContext added;
  added.engine_ = this;
  added.id_ = begin_context(request);
  if (added.id_ != kNone<ContextId>) return added;
  change_contexts([&](const JobContexts& now) {
    added.id_ = make_id<ContextId>(now.all().size());
    return now.with(platform_, request);
  });
  return added;
}

std::vector<SchedulingContext> Engine::add_socket_contexts(const std::string& policy) {
  check_process();
  {
    const Lock lock(mutex_);
    if (!contexts_.empty()) throw InputError("contexts by socket are the first of a runtime, and it has contexts");
  }
  const std::vector<std::optional<std::size_t>> of_devices = Cores::sockets_of_devices(pci_addresses());
  Table<WorkerId, Place> places;
  auto device = of_devices.begin();
  for (const WorkerId worker : platform_.workers()) {
    const bool is_device = classes_[index(platform_.class_of(worker))].is_device();
    places.push_back({is_device ? *device++ : sockets_[worker], is_device});
  }
  std::vector<SchedulingContext> contexts;
  for (const ContextRequest& request : socket_contexts(platform_, places, policy)) {
    contexts.push_back(add_context(request));
  }
  return contexts;
}

/// Of the devices, in the order of their workers.
std::vector<std::string> Engine::pci_addresses() const {
  std::vector<std::string> addresses;
  for (const DeviceChoice& one : chosen_) addresses.push_back(one.backend->devices()[one.number].pci_address);
  return addresses;
}

std::string Engine::context_name(ContextId context) const {
  const Lock lock(mutex_);
  return contexts_.name(context);
}

/// One more while each may still say which workers those before it get; kNone: none may any more.
ContextId Engine::begin_context(const ContextRequest& request) {
  check_process();
  const Lock lock(mutex_);
  if (submission_.has_begun() || requests_.size() != contexts_.all().size()) return kNone<ContextId>;
  std::vector<ContextRequest> requests = requests_;
  requests.push_back(request);
  const JobContexts contexts(platform_, requests);
  scheduler_.check_contexts(contexts);
  submission_.set_contexts(contexts);
  scheduler_.set_contexts(contexts);
  requests_ = std::move(requests);
  contexts_ = contexts;
  return make_id<ContextId>(requests_.size() - 1);
}

/// Makes others of the contexts; nothing changes when this, or what follows from it, makes no sense.
template <class Change>
void Engine::change_contexts(Change&& change) {
  check_process();
  {
    const Lock lock(mutex_);
    const JobContexts contexts = change(contexts_);
    scheduler_.check_contexts(contexts);
    submission_.change_contexts(contexts);
    change_state([&] {
      mutex_.assert_held();
      scheduler_.change_contexts(contexts);
    });
    contexts_ = contexts;
    requests_.clear();
  }
  wake_for_pending();
}

void Engine::add_workers(ContextId context, const std::string& workers) {
  change_contexts([&](const JobContexts& now) {
    return now.with_workers(platform_, context,
                            request_context("SchedulingContext::add", now.name(context), workers, ""));
  });
}

void Engine::remove_workers(ContextId context, const std::string& workers) {
  change_contexts([&](const JobContexts& now) {
    return now.without_workers(platform_, context,
                               request_context("SchedulingContext::remove", now.name(context), workers, ""));
  });
}

void Engine::close_context(ContextId context, const SchedulingContext& heir) {
  if (heir.engine_ != this) {
    throw InputError(heir.engine_ == nullptr ? "a context is closed without an heir for its workers"
                                             : "the heir of a context is of another runtime");
  }
  change_contexts([&](const JobContexts& now) { return now.closed(platform_, context, heir.id_); });
}

namespace {

Engine& engine_of(Engine* engine, const char* what) {
  if (engine == nullptr) throw InputError(std::string(what) + " is called on a context of no runtime");
  return *engine;
}

}  // namespace

std::string SchedulingContext::name() const {
  return engine_of(engine_, "name()").context_name(id_);
}

void SchedulingContext::add(const std::string& workers) const {
  engine_of(engine_, "add()").add_workers(id_, workers);
}

void SchedulingContext::remove(const std::string& workers) const {
  engine_of(engine_, "remove()").remove_workers(id_, workers);
}

void SchedulingContext::close(const SchedulingContext& heir) const {
  engine_of(engine_, "close()").close_context(id_, heir);
}

SchedulingContext Engine::enter(const SchedulingContext& context) {
  if (context.engine_ != nullptr && context.engine_ != this)
    throw InputError("tasks are submitted to a context of another runtime");
  return std::exchange(this_context, context);
}

}  // namespace heddle::runtime
