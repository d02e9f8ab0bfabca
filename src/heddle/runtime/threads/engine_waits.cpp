// What threads of the program wait for.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>

#include "heddle/model/error.hpp"
#include "heddle/runtime/threads/engine.hpp"

namespace heddle::runtime {

/// Returns when the condition holds, or nothing will end any more. Without the lock the watch is called; with it this
/// returns, or throws what the watch throws.
template <class Condition>
void Engine::await(Lock& lock, const Watch& watch, Condition&& condition) {
  constexpr std::chrono::milliseconds kOften(20);
  std::condition_variable_any& ended = scheduler_.waiters().ended();
  const auto is_met = [&] {
    mutex_.assert_held();
    return is_over() || condition();
  };
  if (!watch) return ended.wait(lock, is_met);
  while (!ended.wait_for(lock, kOften, is_met)) {
    mutex_.unlock();
    std::exception_ptr thrown;
    try {
      watch(unfinished());
    } catch (...) {
      thrown = std::current_exception();
    }
    mutex_.lock();
    if (thrown) std::rethrow_exception(thrown);
  }
}

void Engine::release(Block* block) {
  const std::unique_ptr<Block> owned(block);
  ++released_;
  if (submission_.combine(*block)) wake_for_pending();
  Submission::Users users = submission_.forget(*block);
  // Its destructor cannot refuse.
  if (this_engine == this && warn_ && !std::ranges::all_of(users.tasks, has_ended))
    warn_("a task releases data and waits for the tasks that use it: it may wait for ever");
  Lock lock(mutex_);
  for (const Ref& task : users.tasks) watch(task);
  for (const auto& recording : users.recordings) recording->watch(block);
  const Waiters::Want news = scheduler_.waiters().want_news();
  change_state([this] {
    mutex_.assert_held();
    scheduler_.empty_all_batches();
  });
  scheduler_.waiters().ended().wait(lock, [&] {
    mutex_.assert_held();
    std::erase_if(users.tasks, has_ended);
    // Who lets go of data in a callback must not wait for its own thread.
    if (broken_) return threads_ == 0 || this_engine == this;
    // The kernel of an aborted execution may still use the program's memory.
    return users.tasks.empty() && scheduler_.is_done_with(*block, users.run) && block->transfers == 0 &&
           block->home.pins == 0;
  });
  while (!broken_ && !block->poisoned_by && scheduler_.copies().is_away(*block)) {
    scheduler_.copies().fetch_home(*block);
    await(lock, {}, [&] { return block->transfers == 0; });
  }
  if (broken_) return;  // nothing runs any more, and an epoch may have been left half begun
  scheduler_.copies().bring_home(*block);
  scheduler_.forget(*block);
}

/// Under the lock: threads that wait are told when the task ends.
void Engine::watch(const Ref& task) {
  if (!has_ended(task)) task.node->watched = true;
}

/// As many tasks have been submitted since it was counted last how many had ended as may wait.
void Engine::await_ends() {
  ended_seen_.store(progress_.ended, std::memory_order_relaxed);
  if (progress_.unfinished() < most_waiting_) return;
  if (this_engine == this) return await_room_in_task();
  Lock lock(mutex_);
  const Waiters::Want room = scheduler_.waiters().want_room(room_to_resume());
  await(lock, {}, [&] { return progress_.unfinished() <= room_to_resume(); });
  if (broken_) std::rethrow_exception(broken_);
}

/// Not one by one: a thread that waited submits a good number before it waits again.
std::size_t Engine::room_to_resume() const {
  return std::min(most_waiting_ - most_waiting_ / 4, std::max<std::size_t>(most_waiting_, 1) - 1);
}

/// A task could wait for itself, or for what its own worker would run. So it waits only while other workers of its
/// contexts work, and not for long; then it may submit some more.
void Engine::await_room_in_task() {
  using namespace std::chrono_literals;
  using Clock = std::chrono::steady_clock;
  constexpr auto kPatience = 10ms;  // with others that have nothing to do: they may just be waking up
  constexpr auto kLongest = 1s;
  const std::uint64_t some = std::max<std::size_t>(most_waiting_ / 64, 1024);
  const bool is_room = progress_.unfinished() < most_waiting_ + some ||
                       submission_.submitted() < submits_until_.load(std::memory_order_relaxed);
  if (is_room || this_worker == kNone<WorkerId>) return;
  const auto submit_some = [&] { submits_until_.store(submission_.submitted() + some, std::memory_order_relaxed); };
  Lock lock(mutex_);
  if (!scheduler_.workers().has_partners(this_worker)) return submit_some();
  const Clock::time_point begin = Clock::now();
  Clock::time_point worked = begin;  // some other
  Worker& worker = scheduler_.workers()[this_worker];
  ++worker.waiting_for_room;
  const Waiters::Want room = scheduler_.waiters().want_room(room_to_resume());
  // What is pending is what the others shall run: it is taken up at once.
  progress_.look_again = 0;
  wake_for_pending();
  while (!broken_ && progress_.unfinished() > room_to_resume()) {
    scheduler_.waiters().ended().wait_for(lock, 1ms);
    const Clock::time_point now = Clock::now();
    const bool will_work = submission_.pending() > 0 && clock_.now() < progress_.look_again;
    if (will_work || scheduler_.workers().partners_work(this_worker)) worked = now;
    if (now - worked < kPatience && now - begin < kLongest) continue;
    submit_some();
    break;
  }
  --worker.waiting_for_room;
}

/// Returns while nothing is left.
void Engine::await_all(Lock& lock, const Watch& watch) {
  Copies& copies = scheduler_.copies();
  const auto is_idle = [this] {
    mutex_.assert_held();
    return progress_.unfinished() == 0 && scheduler_.zombies() == 0 && scheduler_.deferred().under_way() == 0;
  };
  const auto await_idle = [&] {
    mutex_.assert_held();
    const Waiters::Want home = scheduler_.waiters().want_home();
    change_state([this] {
      mutex_.assert_held();
      scheduler_.send_final_home();
    });
    await(lock, watch, is_idle);
  };
  do {
    if (submission_.combine_all()) wake_for_pending();
    await_idle();
    if (broken_) return;
    copies.fetch_home();
    await(lock, {}, [&] { return copies.under_way() == 0; });
    if (broken_) return;
    // Meanwhile others may have submitted tasks, which may even have ended: then there is more to fetch.
  } while (submission_.reduces() || !is_idle() || copies.some_away());
  copies.bring_home();
}

/// A task that waits for others could wait for itself.
void Engine::check_outside() const {
  check_process();
  if (this_engine == this)
    throw InputError("a task waits for tasks of its own runtime; submit what comes after as a task");
}

void Engine::wait(const Watch& watch) {
  check_outside();
  if (is_recording()) throw InputError("what is recorded does not run yet; wait when the graph was run");
  Lock lock(mutex_);
  try {
    await_all(lock, watch);
  } catch (...) {
    scheduler_.cancel();
    wake_for_pending();
    await_all(lock, {});
    if (!broken_) static_cast<void>(scheduler_.take_failure());
    throw;
  }
  if (broken_) std::rethrow_exception(broken_);
  if (const std::exception_ptr failure = scheduler_.take_failure()) std::rethrow_exception(failure);
}

void Engine::wait(const Ref& task) {
  check_outside();
  Lock lock(mutex_);
  watch(task);
  const Waiters::Want news = scheduler_.waiters().want_news();
  change_state([this] {
    mutex_.assert_held();
    scheduler_.empty_all_batches();
  });
  await(lock, {}, [&] { return has_ended(task); });
  if (broken_) std::rethrow_exception(broken_);
  if (const std::exception_ptr failure = scheduler_.failure_of(task.sequence)) std::rethrow_exception(failure);
}

}  // namespace heddle::runtime
