#include "heddle/experiment/runner.hpp"

#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "heddle/model/parallel.hpp"
#include "heddle/model/random.hpp"

namespace heddle::experiment {
namespace {

/// Small and large cells come mixed, so that the rate so far tells how long the rest will take.
void shuffle(std::vector<const Cell*>& cells) {
  Random random(0);
  for (std::size_t i = cells.size(); i > 1; --i) std::swap(cells[i - 1], cells[random.below(i)]);
}

}  // namespace

Results compute(std::span<const Cell> cells, const RunOptions& options) {
  Results results;
  std::vector<const Cell*> todo;
  std::set<std::string, std::less<>> seen;
  for (const Cell& cell : cells) {
    std::string key = cell.key();
    const Values* known = options.journal == nullptr ? nullptr : options.journal->find(key);
    if (known != nullptr) results.set(key, *known);
    if (seen.insert(std::move(key)).second && known == nullptr) todo.push_back(&cell);
  }
  shuffle(todo);
  std::mutex mutex;  // guards the results and the journal
  const auto work = [&](std::size_t number) {
    const Cell& cell = *todo[number];
    Values values = cell.measure.compute(cell);
    const std::lock_guard lock(mutex);
    if (options.journal != nullptr) options.journal->append(cell.key(), values);
    results.set(cell.key(), std::move(values));
  };
  const auto progress = [&](std::size_t done) {
    const std::size_t known = cells.size() - todo.size();
    if (options.progress) options.progress(known + done, known);
  };
  parallel_for(todo.size(), options.threads, work, progress);
  return results;
}

}  // namespace heddle::experiment
