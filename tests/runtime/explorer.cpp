#include "tests/runtime/explorer.hpp"

#include <algorithm>
#include <utility>

namespace heddle::runtime {

thread_local Explorer* Explorer::running_explorer = nullptr;

Explorer::Result Explorer::explore(const Bounds& bounds, const Make& make) {
  Explorer explorer(bounds);
  Result result;
  do {
    ++result.runs;
    if (explorer.run(make)) continue;
    result.failure = explorer.failure_;
    break;
  } while (explorer.next_way() && result.runs < bounds.runs);
  return result;
}

/// The last choice that has another alternative takes it; those behind it begin anew.
bool Explorer::next_way() {
  while (!way_.empty() && way_.back().taken + 1 == way_.back().count) way_.pop_back();
  if (way_.empty()) return false;
  ++way_.back().taken;
  return true;
}

std::size_t Explorer::choose(std::size_t count) {
  if (count == 1) return 0;
  if (choices_ == way_.size()) way_.push_back({0, count});
  return way_[choices_++].taken;
}

void Explorer::add_thread(std::function<void()> body) {
  Thread& thread = *threads_.emplace_back(std::make_unique<Thread>());
  thread.body = std::move(body);
  if (stacks_.empty()) stacks_.push_back(std::make_unique<char[]>(kStack));
  thread.stack = std::move(stacks_.back());
  stacks_.pop_back();
  getcontext(&thread.context);
  thread.context.uc_stack.ss_sp = thread.stack.get();
  thread.context.uc_stack.ss_size = kStack;
  thread.context.uc_link = &main_;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-cstyle-cast): as makecontext() wants it
  makecontext(&thread.context, (void (*)())enter, 1, static_cast<unsigned>(threads_.size() - 1));
}

void Explorer::enter(unsigned thread) {
  running_explorer->threads_[thread]->body();
  running_explorer->threads_[thread]->state = Thread::State::ended;
}

void Explorer::fail(const std::string& why) {
  if (failure_.empty()) failure_ = why;
}

void Explorer::set_holdable(bool holdable) {
  if (running_) threads_[*running_]->holdable = holdable;
}

bool Explorer::can_run(std::size_t thread) const {
  return threads_[thread]->state == Thread::State::ready && !threads_[thread]->held;
}

/// Those that could run instead of the one that does.
std::vector<std::size_t> Explorer::others() const {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    if (i != running_ && can_run(i)) all.push_back(i);
  }
  return all;
}

void Explorer::step() {
  if (!running_) return;
  if (++steps_ > kMostSteps) {
    fail("the threads do not come to rest");
    return yield();
  }
  Thread& self = *threads_[*running_];
  std::vector<std::size_t> other;
  if (left_.preemptions > 0) other = others();
  const std::size_t tick = left_.ticks > 0 ? 1 : 0;
  const std::size_t hold = left_.holds > 0 && self.holdable ? 1 : 0;
  std::size_t choice = choose(1 + other.size() + tick + hold);
  if (choice-- == 0) return;
  if (choice < other.size()) {
    --left_.preemptions;
    next_ = other[choice];
    return yield();
  }
  if (choice == other.size() && tick == 1) {
    --left_.ticks;
    return let_time_pass(now_ + 1);
  }
  --left_.holds;
  self.held = true;
  yield();
}

bool Explorer::sleep(std::vector<std::size_t>& sleepers, std::optional<std::int64_t> until) {
  if (!running_) {
    fail("what is not a thread would sleep");
    return false;
  }
  if (until && *until <= now_) return false;
  Thread& self = *threads_[*running_];
  sleepers.push_back(*running_);
  self.state = Thread::State::asleep;
  self.until = until;
  self.was_woken = false;
  const std::size_t number = *running_;
  yield();
  if (!self.was_woken) std::erase(sleepers, number);
  return self.was_woken;
}

void Explorer::wake(std::size_t thread) {
  threads_[thread]->state = Thread::State::ready;
  threads_[thread]->was_woken = true;
}

void Explorer::let_time_pass(std::int64_t until) {
  now_ = until;
  for (const auto& thread : threads_) {
    if (thread->state == Thread::State::asleep && thread->until && *thread->until <= now_)
      thread->state = Thread::State::ready;
  }
}

/// Until the first deadline of a thread that may run then. Whether there is one.
bool Explorer::skip_time() {
  std::optional<std::int64_t> first;
  for (const auto& thread : threads_) {
    if (thread->state != Thread::State::asleep || !thread->until || thread->held) continue;
    first = first ? std::min(*first, *thread->until) : *thread->until;
  }
  if (first) let_time_pass(*first);
  return first.has_value();
}

void Explorer::resume(std::size_t thread) {
  running_ = thread;
  swapcontext(&main_, &threads_[thread]->context);
  running_ = std::nullopt;
}

void Explorer::yield() {
  swapcontext(&threads_[*running_]->context, &main_);
}

/// Whether it was as it should be.
bool Explorer::run(const Make& make) {
  running_explorer = this;
  choices_ = steps_ = 0;
  left_ = bounds_;
  now_ = 0;
  const std::unique_ptr<Scenario> scenario = make();
  bool was_quiet = false;
  while (failure_.empty()) {
    if (!next_) {
      const std::vector<std::size_t> ready = others();
      if (!ready.empty()) {
        next_ = ready[choose(ready.size())];
      } else if (skip_time()) {
        continue;
      } else if (!std::exchange(was_quiet, true)) {
        scenario->on_quiet();
        for (const auto& thread : threads_) thread->held = false;
        left_.holds = 0;
        continue;
      } else {
        break;
      }
    }
    resume(*std::exchange(next_, std::nullopt));
  }
  const auto has_ended = [](const auto& thread) { return thread->state == Thread::State::ended; };
  if (failure_.empty() && !std::ranges::all_of(threads_, has_ended)) fail("a thread sleeps for ever");
  if (failure_.empty()) scenario->on_end();
  for (const auto& thread : threads_) stacks_.push_back(std::move(thread->stack));
  threads_.clear();
  running_explorer = nullptr;
  return failure_.empty();
}

}  // namespace heddle::runtime
