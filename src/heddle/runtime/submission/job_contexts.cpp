#include "heddle/runtime/submission/job_contexts.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "heddle/model/error.hpp"
#include "heddle/policy/registry.hpp"

namespace heddle::runtime {
namespace {

/// Throws InputError where they do not fit the platform, or one has no worker for the tasks that will come.
Table<ContextId, Context> checked(const Platform& platform, Table<ContextId, Context> contexts) {
  for (const Context& context : contexts) {
    if (context.workers.empty()) throw InputError("context '" + context.name + "' has no worker");
  }
  Instance instance{"the runtime", TaskGraph(), platform, Costs(TaskGraph(), platform.class_count())};
  return with_contexts(std::move(instance), {std::move(contexts), {}}).contexts.all;
}

std::string quoted(const std::string& text) {
  return "'" + text + "'";
}

void add_worker(Context& context, WorkerId worker) {
  const auto place = std::ranges::lower_bound(context.workers, worker);
  if (place == context.workers.end() || *place != worker) context.workers.insert(place, worker);
}

}  // namespace

JobContexts::JobContexts(const Platform& platform, std::span<const ContextRequest> requests)
    : all_(checked(platform, give_workers(platform, requests))), closed_(all_.size(), false) {
  note(platform);
}

/// What follows from which workers they have.
void JobContexts::note(const Platform& platform) {
  classes_.clear();
  joined_.assign(platform.worker_count(), Table<WorkerId, bool>(platform.worker_count(), false));
  for (const Context& context : all_) {
    Table<ClassId, bool>& has = classes_[classes_.push_back(Table<ClassId, bool>(platform.class_count(), false))];
    for (const WorkerId one : context.workers) {
      has[platform.class_of(one)] = true;
      for (const WorkerId other : context.workers) joined_[one][other] = true;
    }
  }
}

ContextId JobContexts::standard() const {
  if (empty()) return kNone<ContextId>;
  for (std::size_t i = all_.size(); i-- > 0;) {
    if (!closed_[make_id<ContextId>(i)]) return make_id<ContextId>(i);
  }
  return make_id<ContextId>(all_.size() - 1);
}

void JobContexts::check_open(ContextId context) const {
  if (closed_[context]) throw InputError("context " + quoted(name(context)) + " is closed");
}

bool JobContexts::is_free(WorkerId worker) const {
  return std::ranges::none_of(
      all_.ids(), [&](ContextId id) { return !closed_[id] && std::ranges::binary_search(all_[id].workers, worker); });
}

/// The workers that are named, and as many as are counted of those that are free.
std::vector<WorkerId> JobContexts::resolve(const Platform& platform, const ContextRequest& request) const {
  // Which of a class are taken does not matter to names.
  const ContextRequest named{request.name, {}, request.named};
  std::vector<WorkerId> workers = give_workers(platform, std::span(&named, 1))[ContextId{0}].workers;
  for (const ContextRequest::Count& count : request.counts) {
    // Also says what is wrong with the class.
    const ContextRequest all{request.name, {{count.class_name, 0}}, {}};
    static_cast<void>(give_workers(platform, std::span(&all, 1)));
    std::uint32_t given = 0;
    for (const WorkerId worker : platform.workers(platform.find_class(count.class_name).value())) {
      const bool is_taken = !is_free(worker) || std::ranges::find(workers, worker) != workers.end();
      if (given == count.workers || is_taken) continue;
      workers.push_back(worker);
      ++given;
    }
    if (given < count.workers) {
      throw InputError("context " + quoted(request.name) + " wants " + std::to_string(count.workers) + " " +
                       count.class_name + ", of which " + std::to_string(given) + (given == 1 ? " is" : " are") +
                       " in no context; contexts share workers that they name");
    }
  }
  std::ranges::sort(workers);
  return workers;
}

JobContexts JobContexts::with(const Platform& platform, const ContextRequest& request) const {
  JobContexts more = *this;
  more.all_.push_back({request.name, resolve(platform, request), request.policy});
  more.all_ = checked(platform, std::move(more.all_));
  more.closed_.push_back(false);
  more.note(platform);
  return more;
}

JobContexts JobContexts::with_workers(const Platform& platform, ContextId context, const ContextRequest& more) const {
  check_open(context);
  JobContexts changed = *this;
  for (const WorkerId worker : resolve(platform, more)) {
    if (std::ranges::binary_search(all_[context].workers, worker)) {
      throw InputError("context " + quoted(name(context)) + " has worker " + quoted(platform.worker_name(worker)) +
                       " already");
    }
    add_worker(changed.all_[context], worker);
  }
  changed.note(platform);
  return changed;
}

JobContexts JobContexts::without_workers(const Platform& platform, ContextId context,
                                         const ContextRequest& less) const {
  check_open(context);
  const std::string who = "context " + quoted(name(context));
  const policy::Spec spec(all_[context].policy);
  if (spec.needs().plan) {
    // The schedule may put tasks on any of them.
    throw InputError(who + " cannot lose workers: its policy " + quoted(spec.entry().name) + " follows a schedule");
  }
  JobContexts changed = *this;
  std::vector<WorkerId>& workers = changed.all_[context].workers;
  const ContextRequest named{less.name, {}, less.named};
  const Table<ContextId, Context> leaving = give_workers(platform, std::span(&named, 1));
  for (const WorkerId worker : leaving[ContextId{0}].workers) {
    if (std::erase(workers, worker) == 0) {
      throw InputError(who + " does not have worker " + quoted(platform.worker_name(worker)));
    }
  }
  for (const ContextRequest::Count& count : less.counts) {
    const ContextRequest all{less.name, {{count.class_name, 0}}, {}};
    static_cast<void>(give_workers(platform, std::span(&all, 1)));
    const ClassId c = platform.find_class(count.class_name).value();
    for (std::uint32_t gone = 0; gone < count.workers; ++gone) {
      const auto is_of_class = [&](WorkerId worker) { return platform.class_of(worker) == c; };
      const auto last = std::find_if(workers.rbegin(), workers.rend(), is_of_class);
      if (last == workers.rend()) {
        throw InputError(who + " has " + std::to_string(gone) + " " + count.class_name + " to remove, not " +
                         std::to_string(count.workers));
      }
      workers.erase(std::next(last).base());
    }
  }
  if (workers.empty()) throw InputError(who + " would have no worker left; closing it hands its workers to another");
  changed.note(platform);
  return changed;
}

JobContexts JobContexts::with_all(const Platform& platform, Table<ContextId, Context> all) const {
  JobContexts changed = *this;
  changed.all_ = std::move(all);
  changed.note(platform);
  return changed;
}

JobContexts JobContexts::closed(const Platform& platform, ContextId context, ContextId heir) const {
  check_open(context);
  if (heir == context) throw InputError("context " + quoted(name(context)) + " cannot be its own heir");
  check_open(heir);
  JobContexts changed = *this;
  changed.closed_[context] = true;
  for (const WorkerId worker : all_[context].workers) add_worker(changed.all_[heir], worker);
  changed.note(platform);
  return changed;
}

}  // namespace heddle::runtime
