// A plug-in with a mistake: that which the environment variable MISTAKE names, or one that the build makes.
#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include "heddle/policy/plugin.hpp"

namespace heddle::test {

#ifdef UNKNOWN_SYMBOL
void of_nobody();
#endif

namespace {

bool makes(std::string_view mistake) {
  const char* chosen = std::getenv("MISTAKE");
  return chosen != nullptr && chosen == mistake;
}

class Mistaken {
 public:
  void ready(const policy::View& /*view*/, std::span<const TaskId> /*tasks*/) {
    if (makes("throws")) throw std::out_of_range("no place for tasks");
#ifdef UNKNOWN_SYMBOL
    of_nobody();
#endif
  }
  policy::Action next(const policy::View& view) {
    if (!makes("no such worker")) return policy::wait();
    return policy::run(TaskId{0}, make_id<WorkerId>(view.platform().worker_count()));
  }
};

policy::Entry mistaken() {
  if (makes("throws at once")) throw std::runtime_error("not today");
  policy::Entry entry{.name = "mistaken",
                      .summary = "Waits for ever",
                      .publication = "",
                      .options = {},
                      .needs = [](const Options&) { return policy::Needs{}; },
                      .make = [](const policy::Setup&) { return policy::Policy(Mistaken()); }};
  if (makes("name taken")) entry.name = "heft";
  if (makes("bad name")) entry.name = "Mine, too";
  if (makes("no make")) entry.make = nullptr;
  return entry;
}

policy::Plugin describe() {
  policy::Plugin plugin{.name = "mistaken", .entry = mistaken};
  if (makes("other interface")) plugin.interface = 999;
  if (makes("other ABI")) plugin.compiler_abi = "Martian";
  if (makes("other library")) plugin.standard_library = "libmartian";
  if (makes("other sizes")) plugin.sizes += 8;
  if (makes("no entry")) plugin.entry = nullptr;
  return plugin;
}

}  // namespace
}  // namespace heddle::test

#ifndef NO_FUNCTION
extern "C" __attribute__((visibility("default"))) const heddle::policy::Plugin* heddle_policy_plugin();
#endif
extern "C" const heddle::policy::Plugin* heddle_policy_plugin() {
  static const heddle::policy::Plugin plugin = heddle::test::describe();
  return heddle::test::makes("no plug-in") ? nullptr : &plugin;
}
