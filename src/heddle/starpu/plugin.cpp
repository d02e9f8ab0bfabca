// What StarPU calls: struct starpu_sched_policy, and the functions that the libraries export.
#include <dlfcn.h>
#include <starpu.h>
#include <starpu_scheduler.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "heddle/model/error.hpp"
#include "heddle/model/suggest.hpp"
#include "heddle/policy/registry.hpp"
#include "heddle/starpu/scheduler.hpp"
#include "heddle/starpu/settings.hpp"
#include "heddle/starpu/watcher.hpp"

namespace heddle::starpu {
namespace {

/// StarPU is C: no exception may pass through it. An error of the user ends the program as one of the command does.
template <class Call>
decltype(auto) guarded(Call call) {
  try {
    return call();
  } catch (const InputError& error) {
    std::fprintf(stderr, "heddle: %s\n", error.what());
    std::_Exit(2);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "heddle: %s\n", error.what());
    std::abort();
  }
}

Scheduler& scheduler_of(unsigned context) {
  return *static_cast<Scheduler*>(starpu_sched_ctx_get_policy_data(context));
}

void check_version() {
  int major = 0;
  int minor = 0;
  int release = 0;
  starpu_get_version(&major, &minor, &release);
  if (major == STARPU_MAJOR_VERSION && minor == STARPU_MINOR_VERSION) return;
  throw InputError("this plug-in is built for StarPU " + std::to_string(STARPU_MAJOR_VERSION) + "." +
                   std::to_string(STARPU_MINOR_VERSION) + ", and the program uses " + std::to_string(major) + "." +
                   std::to_string(minor));
}

/// Policies from outside call what is in this library, which StarPU may have opened for itself alone.
void open_plugins(const std::vector<std::string>& files) {
  static std::set<std::string> opened;
  for (const std::string& file : files) {
    if (!opened.insert(file).second) continue;
    Dl_info here;
    if (dladdr(reinterpret_cast<const void*>(&open_plugins), &here) != 0)
      dlopen(here.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
    policy::open_plugin(file);
  }
}

void init(unsigned context) {
  guarded([&] {
    check_version();
    Settings settings = read_settings();
    open_plugins(settings.plugins);
    starpu_sched_ctx_set_policy_data(context, new Scheduler(context, std::move(settings)));
    // Policies order by priority without a limit of their own.
    if (starpu_sched_ctx_min_priority_is_set(context) == 0) starpu_sched_ctx_set_min_priority(context, INT_MIN);
    if (starpu_sched_ctx_max_priority_is_set(context) == 0) starpu_sched_ctx_set_max_priority(context, INT_MAX);
  });
}

void deinit(unsigned context) {
  guarded([&] {
    Scheduler& scheduler = scheduler_of(context);
    scheduler.report();
    delete &scheduler;
    starpu_sched_ctx_set_policy_data(context, nullptr);
  });
}

void add_workers(unsigned context, int* workers, unsigned count) {
  guarded([&] { scheduler_of(context).set_available({workers, count}, true); });
}

void remove_workers(unsigned context, int* workers, unsigned count) {
  guarded([&] { scheduler_of(context).set_available({workers, count}, false); });
}

void submit(starpu_task* task) {
  guarded([&] { scheduler_of(task->sched_ctx).submit(task); });
}

int push(starpu_task* task) {
  guarded([&] { scheduler_of(task->sched_ctx).push(task); });
  return 0;
}

starpu_task* pop(unsigned context) {
  return guarded([&] { return scheduler_of(context).pop(); });
}

void pre_exec(starpu_task* task, unsigned context) {
  guarded([&] { scheduler_of(context).pre_exec(task); });
}

void post_exec(starpu_task* task, unsigned context) {
  guarded([&] { scheduler_of(context).post_exec(task); });
}

/// StarPU takes it by an address that it may write to.
starpu_sched_policy& heddle_policy() {
  static starpu_sched_policy policy = [] {
    starpu_sched_policy made{};
    made.init_sched = init;
    made.deinit_sched = deinit;
    made.add_workers = add_workers;
    made.remove_workers = remove_workers;
    made.submit_hook = submit;
    made.push_task = push;
    made.pop_task = pop;
    made.pre_exec_hook = pre_exec;
    made.post_exec_hook = post_exec;
    made.policy_name = "heddle";
    made.policy_description = "a policy of Heddle, named by HEDDLE_POLICY";
    made.worker_type = STARPU_WORKER_LIST;
    return made;
  }();
  return policy;
}

/// A scheduler of StarPU with a watcher around it. The scheduler has the context's pointer to data, so watchers are
/// found by the context's number.
struct Watched {
  starpu_sched_policy inner{};
  std::array<std::unique_ptr<Watcher>, STARPU_NMAX_SCHED_CTXS> watchers{};
};

Watched& watched() {
  static Watched one;
  return one;
}

void watched_init(unsigned context) {
  guarded([&] { watched().watchers[context] = std::make_unique<Watcher>(context, read_settings()); });
  watched().inner.init_sched(context);
}

void watched_deinit(unsigned context) {
  watched().inner.deinit_sched(context);
  guarded([&] {
    watched().watchers[context]->report();
    watched().watchers[context].reset();
  });
}

void watched_submit(starpu_task* task) {
  guarded([&] { watched().watchers[task->sched_ctx]->submit(task); });
  if (watched().inner.submit_hook != nullptr) watched().inner.submit_hook(task);
}

starpu_task* watched_pop(unsigned context) {
  guarded([&] { watched().watchers[context]->asked(); });
  return watched().inner.pop_task(context);
}

void watched_pre_exec(starpu_task* task, unsigned context) {
  if (watched().inner.pre_exec_hook != nullptr) watched().inner.pre_exec_hook(task, context);
  guarded([&] { watched().watchers[context]->began(task); });
}

void watched_post_exec(starpu_task* task, unsigned context) {
  guarded([&] { watched().watchers[context]->ended(task); });
  if (watched().inner.post_exec_hook != nullptr) watched().inner.post_exec_hook(task, context);
}

const starpu_sched_policy& find_scheduler(const std::string& name) {
  std::vector<std::string> possible;
  for (starpu_sched_policy** one = starpu_sched_get_predefined_policies(); *one != nullptr; ++one) {
    if ((*one)->policy_name == name) return **one;
    possible.emplace_back((*one)->policy_name);
  }
  throw InputError("HEDDLE_POLICY: StarPU has no scheduler '" + name + "'" + suggest(name, possible));
}

starpu_sched_policy& watched_policy(const std::string& name) {
  watched().inner = find_scheduler(name);
  static starpu_sched_policy policy;
  policy = watched().inner;
  policy.init_sched = watched_init;
  policy.deinit_sched = watched_deinit;
  policy.submit_hook = watched_submit;
  policy.pop_task = watched_pop;
  policy.pre_exec_hook = watched_pre_exec;
  policy.post_exec_hook = watched_post_exec;
  return policy;
}

starpu_sched_policy& wanted_policy() {
  return guarded([]() -> starpu_sched_policy& {
    const std::string scheduler = watched_scheduler(read_settings());
    return scheduler.empty() ? heddle_policy() : watched_policy(scheduler);
  });
}

}  // namespace
}  // namespace heddle::starpu

extern "C" {

/// StarPU 1.4 asks the library that STARPU_SCHED_LIB names; the preload library asks for StarPU 1.3.
[[gnu::visibility("default")]] starpu_sched_policy* starpu_get_sched_lib_policy(const char* name) {
  return std::strcmp(name, "heddle") == 0 ? &heddle::starpu::wanted_policy() : nullptr;
}

[[gnu::visibility("default")]] starpu_sched_policy** starpu_get_sched_lib_policies() {
  static starpu_sched_policy* all[] = {&heddle::starpu::heddle_policy(), nullptr};
  return all;
}
}
