#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "heddle/model/instance.hpp"
#include "heddle/model/platform.hpp"
#include "heddle/model/schedule.hpp"
#include "heddle/policy/policy.hpp"
#include "heddle/runtime/argument_check.hpp"
#include "heddle/runtime/data.hpp"
#include "heddle/runtime/device.hpp"
#include "heddle/runtime/kernel.hpp"
#include "heddle/runtime/task.hpp"

namespace heddle::runtime {

/// What a runtime did, as the values that the simulator, the bounds and the reports know. The instance holds the tasks
/// that completed: each takes, on the class where it ran, as long as it did; on classes where tasks of its type ran,
/// now or in a run that the history knows, as these do as a rule; where attempts were only ever aborted, as long as the
/// longest of them; it cannot run on others, of which nothing is known. Links are as they were measured when the
/// runtime was made, or as their quickest transfer. Of tasks and of types with equal names, the
/// second is called "name#2".
struct Trace {
  Instance instance;
  Schedule schedule;
  std::vector<std::string> variants;  ///< by task, the name of the implementation that completed it
  std::string note{};                 ///< what the policy has to tell of its choices (policy::PolicyType); mostly empty
};

/// What the machine's own counters of energy have counted, whatever the machine did.
struct Energy {
  struct Counter {
    std::string name;  ///< "package-0" (a processor), "dram-0" (its memory), "gpu-0"
    double joules;
  };
  std::vector<Counter> counters{};
  std::string missing{};  ///< that there are none, or which may not be read, in a sentence; mostly empty

  [[nodiscard]] double joules() const;
};

class EnergyCounters;

/// A scheduling context: workers with a policy of their own, to which tasks are submitted (docs/contexts.md).
struct ContextConfig {
  std::string name;
  /// So many of each class, of those that no context names and none before it took: "cpu=2,cuda=1"; or names of
  /// workers, which contexts then may share: "cpu0,cpu1".
  std::string workers;
  std::string policy = "eager";  ///< as the command spells it
};

struct Config {
  /// Workers by class: "cpu=2,cpu4=1,opencl=1" are two of one core, one that is a group of four, and the first OpenCL
  /// device; empty: one per core; "auto": all accelerators, and the cores but for one that each of these keeps busy.
  std::string workers{};
  std::vector<std::shared_ptr<Backend>> backends{};  ///< kinds of devices besides "opencl" and "cuda"
  /// Of the memory of each device, at most so many bytes are used.
  std::uint64_t device_memory = std::numeric_limits<std::uint64_t>::max();
  std::string policy = "dmdas";  ///< as the command spells it: "heteroprio-dep:order=latest"
  /// Decides instead of `policy` when there is one: a policy that has not started yet, of which copies are made.
  std::optional<policy::Policy> decider{};
  /// For a policy that follows a schedule ("static:file=..."): makes it, of the given tasks, whenever the policy
  /// starts: at first and when more tasks are known, on those that have not ended. They have the names of trace(), and
  /// the durations believed then; io::PlanFile reads a schedule. What it throws, wait() throws.
  std::function<Schedule(const Instance&)> plan{};
  /// By which rule workers move between the scheduling contexts while tasks run: "idle", "speed", "lp" or "simulate"
  /// (docs/contexts.md); empty: they stay. Counts only where there are contexts.
  std::string resize{};
  std::uint64_t seed = 1;                           ///< of policies that draw lots
  std::size_t most_waiting = std::size_t{1} << 20;  ///< tasks that may wait before submission does
  /// About so many of the tasks that tasks have submitted are shown to the policy at once, the newest first, so that
  /// tasks that submit tasks run depth first.
  std::size_t most_nested = 512;
  /// Keep each worker on a core of its own, where the process has as many that no other of its runtimes has taken.
  /// Processes do not know of each other: start several on a machine with cores of their own (taskset), or without
  /// this.
  bool bind = true;
  bool trace = false;  ///< record what happens, for Runtime::trace()
  /// The file to which what the policy is told, asks and answers is written (docs/facts.md); empty: none. It is there
  /// when the runtime is destroyed, unless that is because of an exception.
  std::string facts{};
  /// The file where durations that were measured are kept between runs; none: default_history_path(), in the user's
  /// cache folder (XDG_CACHE_HOME, else ~/.cache); empty: they are forgotten.
  std::optional<std::string> history{};
  /// Is told, in one sentence, when workers have to share cores, the history cannot be used or was damaged, the facts
  /// could not be finished, or an implementation of a kernel cannot run here (TypedImplementation::unless). The runtime
  /// works without, too.
  std::function<void(const std::string&)> warn{};
};

namespace detail {

/// The data and the values of a task, gathered for Engine::submit.
template <class... Params>
struct Arguments {
  using Places = Layout<Params...>;

  template <class P, View V, AccessMode M>
  void set(std::size_t number, Use<V, M> use) {
    blocks[number] = use.block;
    modes[number] = M;
  }
  template <class P>
  void set(std::size_t offset, P value) {
    std::memcpy(values + offset, &value, sizeof(P));
  }

  std::array<Block*, Places::kViews + 1> blocks{};
  std::array<AccessMode, Places::kViews + 1> modes{};
  alignas(std::max_align_t) std::byte values[Places::kValueBytes + 1];
};

}  // namespace detail

/// Runs tasks on the processors of this machine, where and when a policy says. Several live side by side. All functions
/// may be called by several threads at once. A child after fork() has none of its threads: there those throw
/// InputError, and destructors do nothing.
class Runtime {
 public:
  /// Throws InputError when there is no such policy or worker, or the file for facts cannot be made.
  explicit Runtime(const Config& config = {});
  /// Waits for all tasks; what failed is not told. Ends the program (std::terminate) with a sentence while Data of it
  /// is left, which would refer to what is gone.
  ~Runtime();
  Runtime(Runtime&&) noexcept;
  Runtime& operator=(Runtime&&) noexcept;

  /// The workers, class by class.
  [[nodiscard]] const Platform& platform() const;

  /// One more scheduling context. As soon as there is one, the policies of contexts decide instead of Config::policy,
  /// workers that are in none do nothing, and tasks whose submission names none belong to the one made last. Throws
  /// InputError when it is the first and a task was submitted or recorded before, when there are no such workers or no
  /// such policy, when two contexts have one name, and when the program has a policy of its own (Config::decider). Once
  /// a task was submitted or recorded, or a context was changed (SchedulingContext::add, remove, close), what a new one
  /// counts is of the workers that no open context has.
  [[nodiscard]] SchedulingContext context(const ContextConfig& config);
  /// A scheduling context for each socket of this machine that workers have cores of: "socket0", ..., by the numbers
  /// of the sockets in the system. A worker belongs to the socket of its first core, a device to the one that it is
  /// close to; devices of which that is not known, or that are close to none of these, are dealt out in turn. Where
  /// workers are not bound to cores (Config::bind) there is one context. Throws InputError as context(), and when the
  /// runtime has contexts.
  [[nodiscard]] std::vector<SchedulingContext> contexts_by_socket(const std::string& policy = "eager");
  /// Calls submit_tasks(): the tasks that this thread submits meanwhile, and that name no context, belong to this one.
  /// Throws InputError when it is of another runtime.
  template <class F>
  void within(const SchedulingContext& context, F&& submit_tasks) {
    const SchedulingContext before = enter(context);
    try {
      std::forward<F>(submit_tasks)();
    } catch (...) {
      static_cast<void>(enter(before));
      throw;
    }
    static_cast<void>(enter(before));
  }

  /// Registers memory of the program: a vector (anything that is a std::span), a matrix, or a trivially copyable
  /// object. No other datum may have any of it, as the runtime would not know that their tasks depend on each other.
  /// Throws InputError when elements are at no address, or the columns of a matrix overlap.
  template <class T>
  [[nodiscard]] Data<std::span<T>> data(std::span<T> vector) {
    return register_view<std::span<T>>(vector);
  }
  template <class T>
  [[nodiscard]] Data<std::span<T>> data(std::vector<T>& vector) {
    return register_view<std::span<T>>(vector);
  }
  template <class T>
  [[nodiscard]] Data<Matrix<T>> data(const Matrix<T>& matrix) {
    return register_view<Matrix<T>>(matrix);
  }
  template <class T>
    requires(!View<T>)
  [[nodiscard]] auto data(T& object) {
    static_assert(detail::kChecked<detail::RegistrationOf<T&>>);
    if constexpr (detail::Registrable<T>) {
      return register_view<T&>(object);
    } else {
      return detail::Mistaken();
    }
  }
  /// Does not compile: a temporary object is gone before tasks use it.
  template <class T>
    requires(!View<T>)
  [[nodiscard]] auto data(const T&&) {
    static_assert(detail::kChecked<detail::RegistrationOf<T>>);
    return detail::Mistaken();
  }

  /// Where there is a device for which that matters (CUDA), makes copies from and to the memory go at the speed of the
  /// link, and beside what else the device does: for what is large and in use for long, as it takes about as long as to
  /// write the memory. It is best done once for all data in it, before it is used. Must go before the memory and the
  /// runtime do, and after the data in it. All of a datum or none of it: CUDA copies nothing that is pinned in part.
  [[nodiscard]] Pinned pin(std::span<std::byte> memory);

  /// Submits a task: the kernel on the arguments, one for each of its parameters (read(a), write(b), rw(c), commute(d),
  /// reduce(e), plain values), and then options (priority, after, also, on_done, named, until, in). A plain value may
  /// be of another type than the parameter if that can hold all its values: int for double, not double for int. Where
  /// an argument does not fit, the compiler tells its number and both types. Returns at once. The task waits for those
  /// submitted before that it depends on through its data. Throws InputError when no worker (of its scheduling
  /// context) can run the kernel, when
  /// data is accessed twice other than to read it, and when data or tasks are of another runtime.
  template <class... Params, class... Args>
  Task submit(const Kernel<Params...>& kernel, const Args&... args) {
    using Check = typename detail::TaskOf<Params...>::template With<Args...>;
    static_assert(Check::kIsChecked);
    if constexpr (Check::kFits) {
      constexpr std::size_t kParams = sizeof...(Params);
      const auto all = std::tie(args...);
      detail::Arguments<Params...> arguments;
      TaskOptions options;
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        (arguments.template set<Params>(Layout<Params...>::kPlaces[I].number, std::get<I>(all)), ...);
      }(std::make_index_sequence<kParams>());
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        (options.set(std::get<kParams + I>(all)), ...);
      }(std::make_index_sequence<sizeof...(Args) - kParams>());
      using Places = Layout<Params...>;
      return submit_task(kernel.info(), std::span(arguments.blocks).first(Places::kViews),
                         std::span(arguments.modes).first(Places::kViews),
                         std::span<const std::byte>(arguments.values, Places::kValueBytes), options);
    } else {
      return Task();
    }
  }

  /// The same in a scheduling context: submit(in(solver), kernel, read(x), ...). in(solver) may also stand among the
  /// options.
  template <class... Params, class... Args>
  Task submit(const In& where, const Kernel<Params...>& kernel, const Args&... args) {
    return submit(kernel, args..., where);
  }

  /// Does not compile: says that a task runs a kernel.
  template <class Other, class... Args>
    requires(!detail::AnyKernel<Other>)
  Task submit(const Other&, const Args&...) {
    static_assert(detail::kChecked<detail::SubmissionOf<Other>>);
    return Task();
  }

  /// Which contexts recorded tasks belong to: changes `contexts.of`, where they are so far. `tasks` have types named as
  /// their kernels, their data, and the dependencies that follow from it.
  using Assign = std::function<void(const TaskGraph& tasks, Contexts& contexts)>;
  /// Calls submit_tasks(), but records the tasks that this thread submits meanwhile instead of running them. Then
  /// `assign`, if any, says where they belong. Throws InputError when there are no contexts to assign them to, and when
  /// a context has no worker that can run one of its tasks.
  template <class F>
  [[nodiscard]] Graph record(F&& submit_tasks, const Assign& assign = {}) {
    begin_recording();
    try {
      std::forward<F>(submit_tasks)();
    } catch (...) {
      abandon_recording();
      throw;
    }
    return end_recording(assign);
  }
  /// What a simulator or a bound is told of recorded tasks (describe()).
  struct Described {
    Instance instance;
    /// Durations that are guesses, as they were never measured: "GEMM on gpu", each once.
    std::vector<std::string> guessed;
  };
  /// The recorded tasks as an instance on this machine: with the durations that are believed now, of this run and those
  /// before, and in contexts where there are some. Data is told only where it moves. Throws InputError as run() does,
  /// and while tasks run.
  [[nodiscard]] Described describe(const Graph& graph) const;

  /// Submits all tasks of a recorded graph: they run after those submitted before, and before those submitted later.
  /// Returns at once. The policy knows the whole graph. Throws InputError when another runtime recorded it, when
  /// data that its tasks use has gone, and while this thread records.
  void run(const Graph& graph);

  /// Returns when all tasks have ended, with all data where the program has it. Throws the first failure since the last
  /// time, which names the task: TaskFailure, with what a kernel threw in it, or Cancelled; InputError inside a task.
  /// When the policy has thrown, that, each time: no task begins any more, and what data holds is not defined. When it
  /// was the policy of a scheduling context, the tasks of this context fail with it, and the others continue. What a
  /// task that failed or was cancelled should have written is the program's to fill again.
  void wait();
  /// The same; meanwhile calls `watch`, on this thread, 50 times a second with how many tasks have not ended: not while
  /// data comes home, and never when the wait is shorter. When it throws, tasks that have not begun are cancelled, and
  /// that passes on when the others have ended.
  void wait(const std::function<void(std::uint64_t unfinished)>& watch);
  /// How many tasks were submitted, recorded ones each time they are run, and have not ended.
  [[nodiscard]] std::uint64_t unfinished() const;
  /// Cancels the tasks submitted so far that have not begun; if there are any, wait() then throws Cancelled, unless
  /// another failure came before.
  void cancel();
  /// Whether what happens is recorded, so that names of tasks are worth making: Config::trace.
  [[nodiscard]] bool traces() const { return traces_; }
  /// What happened since the first submission. Throws InputError unless traces().
  [[nodiscard]] Trace trace() const;

  /// What the machine has drawn since the first call, which opens the counters. Counters begin at zero again after some
  /// minutes at full load: over a longer time, ask in between. Calls must not overlap.
  [[nodiscard]] Energy energy();

 private:
  template <class V>
  [[nodiscard]] Data<V> register_view(V view) {
    static_assert(std::is_trivially_copyable_v<typename ViewTraits<V>::Element>,
                  "only trivially copyable elements can be moved between memories");
    static_assert(alignof(typename ViewTraits<V>::Element) <= kMostAligned, "copies are aligned to 64 bytes");
    return Data<V>(add_block(ViewTraits<V>::shape(view), ViewTraits<V>::piece(view),
                             default_reduction<typename ViewTraits<V>::Element>()));
  }

  [[nodiscard]] SchedulingContext enter(const SchedulingContext& context);
  void begin_recording();
  [[nodiscard]] Graph end_recording(const Assign& assign);
  void abandon_recording();
  [[nodiscard]] Block* add_block(const Shape& shape, const Piece& home, std::shared_ptr<const Reduction> sum);
  Task submit_task(const std::shared_ptr<const KernelInfo>& kernel, std::span<Block* const> blocks,
                   std::span<const AccessMode> modes, std::span<const std::byte> values, TaskOptions& options);

  /// In a child after fork() the engine is left as it is: there is nothing to wait for.
  struct CloseEngine {
    void operator()(Engine* engine) const noexcept;
  };

  std::unique_ptr<Engine, CloseEngine> engine_;
  bool traces_;
  std::unique_ptr<EnergyCounters> energy_;  ///< null: energy() was not called yet
};

}  // namespace heddle::runtime
