#include "heddle/workload/workload.hpp"

#include <algorithm>
#include <utility>

#include "heddle/model/error.hpp"
#include "heddle/model/suggest.hpp"
#include "heddle/workload/generators.hpp"

namespace heddle::workload {

std::span<const Entry> entries() {
  static const std::vector<Entry> table{cholesky(),  lu(),          qr(),      gemm(),
                                        fork_join(), independent(), layered(), predecessor_matrix()};
  return table;
}

const Entry* find(std::string_view workload) {
  const auto found = std::ranges::find(entries(), workload.substr(0, workload.find(':')), &Entry::name);
  return found == entries().end() ? nullptr : &*found;
}

Instance generate(std::string_view workload, const Machine& machine) {
  const Entry* entry = find(workload);
  if (entry == nullptr) {
    std::vector<std::string> names;
    for (const Entry& known : entries()) names.push_back(known.name);
    const std::string name(workload.substr(0, workload.find(':')));
    throw InputError("there is no workload '" + name + "'" + suggest(name, names));
  }
  const NamedSettings spec = parse_spec("workload", workload);
  Instance instance = entry->make(Options("workload '" + spec.name + "'", entry->options, spec.settings), machine);
  instance.name = workload;
  return instance;
}

}  // namespace heddle::workload
