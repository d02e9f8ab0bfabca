#include "heddle/runtime/attempt.hpp"

#include <optional>

#include "heddle/runtime/buffer.hpp"

namespace heddle::runtime {

std::exception_ptr Attempt::execute(WorkerId worker, Team& team) {
  if (refused) return refused;
  if (may_abort && stop.stop_requested()) return nullptr;  // aborted before it began
  try {
    for (const Copy& one : copies) copy(one.shape, one.from, one.to);
    std::stop_token token = until;
    const auto pass_on = [this] { stop.request_stop(); };
    std::optional<std::stop_callback<decltype(pass_on)>> chain;
    if (may_abort) {
      token = stop.get_token();
      if (until.stop_possible()) chain.emplace(until, pass_on);
    }
    implementation->run(Job(worker, team, arguments, values.data(), std::move(token)));
    return nullptr;
  } catch (...) {
    return std::current_exception();
  }
}

}  // namespace heddle::runtime
