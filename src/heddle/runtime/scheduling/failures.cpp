#include "heddle/runtime/scheduling/failures.hpp"

#include <iterator>

#include "heddle/model/error.hpp"
#include "heddle/runtime/task.hpp"

namespace heddle::runtime {
namespace {

/// In the handler of an exception, which is nested in it.
std::exception_ptr nested(const std::string& task, const std::string& why) {
  TaskFailure failure(why);
  failure.set_task(task);
  return std::make_exception_ptr(std::move(failure));
}

}  // namespace

std::exception_ptr task_failure(const std::string& task, const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (TaskFailure& failure) {
    failure.set_task(task);
    return std::current_exception();
  } catch (const InputError& error) {
    return std::make_exception_ptr(InputError("task '" + task + "': " + error.what()));
  } catch (const InternalError& error) {
    return std::make_exception_ptr(InternalError("task '" + task + "': " + error.what()));
  } catch (const std::exception& exception) {
    return nested(task, exception.what());
  } catch (...) {
    return nested(task, "it threw an object that is not a std::exception");
  }
}

void Failures::add(std::uint64_t sequence, const std::exception_ptr& failure) {
  auto next = runs_.upper_bound(sequence);
  const bool joins_next = next != runs_.end() && next->first == sequence + 1 && next->second.failure == failure;
  const std::uint64_t last = joins_next ? next->second.last : sequence;
  if (joins_next) next = runs_.erase(next);
  if (next != runs_.begin()) {
    Run& before = std::prev(next)->second;
    if (before.last + 1 == sequence && before.failure == failure) {
      before.last = last;
      return;
    }
  }
  runs_.emplace_hint(next, sequence, Run{last, failure});
}

std::exception_ptr Failures::of(std::uint64_t sequence) const {
  const auto next = runs_.upper_bound(sequence);
  if (next == runs_.begin()) return nullptr;
  const Run& run = std::prev(next)->second;
  return sequence <= run.last ? run.failure : nullptr;
}

}  // namespace heddle::runtime
