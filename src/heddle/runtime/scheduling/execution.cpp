#include "heddle/runtime/scheduling/execution.hpp"

#include <utility>

#include "heddle/runtime/data/buffer.hpp"

namespace heddle::runtime {

void Execution::execute(Team& team) {
  if (refused) [[unlikely]]
    failure = refused;
  if (refused || is_aborted()) [[unlikely]]
    return;
  try {
    for (const Original& one : originals) copy(one.shape, one.from, one.to);
    for (const Fresh& one : fresh) one.block->reduction->fill(one.copy, one.block->shape);
    implementation->run(begin(team));
  } catch (...) {
    failure = std::current_exception();
  }
  chain.reset();
}

}  // namespace heddle::runtime
