#include "heddle/runtime/attempt.hpp"

#include <utility>

#include "heddle/runtime/buffer.hpp"

namespace heddle::runtime {

Job Attempt::begin(Team& team) {
  if (!may_abort) return {worker, team, arguments, values.data(), until};
  if (until.stop_possible()) chain.emplace(until, PassOn{&stop});
  return {worker, team, arguments, values.data(), stop.get_token()};
}

std::exception_ptr Attempt::execute(Team& team) {
  if (refused) return refused;
  if (is_aborted()) return nullptr;
  std::exception_ptr thrown;
  try {
    for (const Original& one : originals) copy(one.shape, one.from, one.to);
    for (const Fresh& one : fresh) one.block->reduction->fill(one.copy, one.block->shape);
    implementation->run(begin(team));
  } catch (...) {
    thrown = std::current_exception();
  }
  chain.reset();
  return thrown;
}

}  // namespace heddle::runtime
