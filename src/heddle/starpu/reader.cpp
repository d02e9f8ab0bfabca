#include "heddle/starpu/reader.hpp"

#include <starpu_scheduler.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "heddle/starpu/clock.hpp"

namespace heddle::starpu {
namespace {

std::optional<AccessMode> access_mode(unsigned mode) {
  if ((mode & STARPU_REDUX) != 0) return AccessMode::reduce;
  if ((mode & STARPU_COMMUTE) != 0) return AccessMode::commute;
  if ((mode & STARPU_RW) == STARPU_RW) return AccessMode::read_write;
  if ((mode & STARPU_W) != 0) return AccessMode::write;
  if ((mode & STARPU_R) != 0) return AccessMode::read;
  return std::nullopt;  // scratch memory, or a hint only
}

}  // namespace

Reader::Reader(unsigned context, const Machine& machine, const Platform& platform, bool needs_names,
               Catalogue& catalogue)
    : context_(context),
      machine_(&machine),
      needs_names_(needs_names),
      catalogue_(&catalogue),
      workers_of_(platform.class_count()) {
  for (const WorkerId worker : machine.platform.workers()) {
    workers_of_[machine.platform.class_of(worker)].set(index(worker));
  }
}

void Reader::fill(starpu_task* task) {
  const Workers workers = eligible(task);
  const Classes classes = classes_of(workers);
  Workers all;
  for (const ClassId c : workers_of_.ids()) {
    if (classes[index(c)]) all |= workers_of_[c];
  }
  job_.is_internal = task->type == STARPU_TASK_TYPE_INTERNAL;
  job_.is_pinned = task->execute_on_a_specific_worker != 0;
  job_.type = type_of(task, classes, job_.is_internal);
  find_accesses(task, job_.accesses);
  job_.priority = task->priority;
  job_.only_on.clear();
  if (workers != all) job_.only_on = listed(workers);
  if (needs_names_) {
    const char* const name = starpu_task_get_name(task);
    job_.name = name == nullptr ? "" : name;
  }
}

Reader::Workers Reader::eligible(starpu_task* task) const {
  Workers workers;
  for (const WorkerId worker : machine_->platform.workers()) {
    const auto number = static_cast<unsigned>(machine_->there[worker]);
    workers[index(worker)] = starpu_worker_can_execute_task_first_impl(number, task, nullptr) != 0;
  }
  return workers;
}

std::vector<WorkerId> Reader::listed(const Workers& workers) const {
  std::vector<WorkerId> listed;
  std::ranges::copy_if(machine_->platform.workers(), std::back_inserter(listed),
                       [&](WorkerId worker) { return workers[index(worker)]; });
  return listed;
}

/// Those of which one of the workers is.
Reader::Classes Reader::classes_of(const Workers& workers) const {
  Classes classes;
  for (const ClassId c : workers_of_.ids()) classes[index(c)] = (workers & workers_of_[c]).any();
  return classes;
}

TypeId Reader::type_of(starpu_task* task, const Classes& classes, bool is_internal) {
  const bool has_model = task->cl->model != nullptr && !is_internal;
  const std::uint32_t layout = has_model ? starpu_task_data_footprint(task) : 0;
  const auto [found, is_new] = types_.try_emplace({task->cl, layout, classes});
  Type& type = found->second;
  if (is_new) {
    const char* const name = starpu_task_get_model_name(task);
    const char* const fallback = starpu_task_get_name(task);
    const std::string text = name != nullptr ? name : fallback != nullptr ? fallback : "task";
    Table<ClassId, bool> can_run;
    for (const ClassId c : workers_of_.ids()) can_run.push_back(classes[index(c)]);
    type.id = catalogue_->add_type(text, text + "/" + std::to_string(types_.size()), can_run);
  }
  // The models learn, but asking them takes as long as many decisions: they are asked again when there are twice as
  // many.
  ++type.tasks;
  if (has_model && std::has_single_bit(type.tasks)) tell_models(task, type.id, classes);
  return type.id;
}

/// The mean over a class's workers, each with its best implementation.
void Reader::tell_models(starpu_task* task, TypeId type, const Classes& classes) {
  for (const ClassId c : workers_of_.ids()) {
    if (!classes[index(c)]) continue;
    double sum = 0;
    int known = 0;
    for (const WorkerId worker : machine_->platform.workers(c)) {
      const int number = machine_->there[worker];
      unsigned implementations = 0;
      if (starpu_worker_can_execute_task_impl(static_cast<unsigned>(number), task, &implementations) == 0) continue;
      double best = std::numeric_limits<double>::infinity();
      for (unsigned i = 0; i < STARPU_MAXIMPLEMENTATIONS; ++i) {
        if ((implementations >> i & 1) == 0) continue;
        const double length = starpu_task_expected_length(task, starpu_worker_get_perf_archtype(number, context_), i);
        if (length > 0) best = std::min(best, length);  // it is no number where there is no model yet
      }
      if (!std::isfinite(best)) continue;
      sum += best;
      ++known;
    }
    if (known == 0) continue;
    catalogue_->tell(type, c, std::max<Time>(from_microseconds(sum / known), 1));
  }
}

/// Accesses on which StarPU builds no dependencies are left out.
void Reader::find_accesses(starpu_task* task, std::vector<Access>& found) {
  found.clear();
  if (task->sequential_consistency == 0) return;
  for (unsigned i = 0; i < STARPU_TASK_GET_NBUFFERS(task); ++i) {
    const std::optional<AccessMode> mode = access_mode(static_cast<unsigned>(STARPU_TASK_GET_MODE(task, i)));
    starpu_data_handle_t handle = STARPU_TASK_GET_HANDLE(task, i);
    if (!mode || starpu_data_get_sequential_consistency_flag(handle) == 0) continue;
    if (task->handles_sequential_consistency != nullptr && task->handles_sequential_consistency[i] == 0) continue;
    const DataId data = datum_of(handle);
    const auto same = std::ranges::find(found, data, &Access::data);
    if (same == found.end()) {
      found.push_back({data, *mode});
    } else if (same->mode != *mode) {
      same->mode = AccessMode::read_write;
    }
  }
}

/// A handle whose size changes, or whose address is used again as far as that is known, is another datum.
DataId Reader::datum_of(starpu_data_handle_t handle) {
  const std::size_t bytes = starpu_data_get_size(handle);
  const auto [found, is_new] = data_.try_emplace(handle);
  Data& data = found->second;
  if (is_new || data.bytes != bytes || catalogue_->is_gone(handle)) {
    data = {bytes, catalogue_->add_datum(handle, static_cast<std::int64_t>(bytes))};
  }
  return data.id;
}

}  // namespace heddle::starpu
