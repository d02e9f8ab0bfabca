#include "tests/policy/registered.hpp"

#include <algorithm>
#include <cctype>

#include "heddle/sim/simulation.hpp"

namespace heddle::test {

std::vector<std::string> registered_specs() {
  std::vector<std::string> specs;
  for (const policy::Entry& entry : policy::entries()) {
    specs.push_back(entry.name);
    for (const Option& option : entry.options) {
      std::vector<std::string> values = option.choices;
      if (option.kind == Option::Kind::flag) values = {"true", "false"};
      for (const std::string& value : values) {
        if (value != option.fallback) specs.push_back(entry.name + ":" + option.name + "=" + value);
      }
    }
  }
  return specs;
}

void drop_variants(std::vector<std::string>& specs) {
  // The plain one comes before its variants.
  const auto variants =
      std::ranges::unique(specs, {}, [](const std::string& text) { return policy::Spec(text).entry().name; });
  specs.erase(variants.begin(), variants.end());
}

std::string identifier(std::string text) {
  std::ranges::replace_if(text, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return text;
}

std::string test_name(const testing::TestParamInfo<std::string>& tested) {
  return identifier(tested.param);
}

Schedule plan_for(const Instance& instance) {
  if (instance.contexts.empty()) return sim::simulate(instance, policy::Spec("eager"));
  Instance simple = instance;
  for (Context& context : simple.contexts.all) context.policy = "eager";
  return sim::simulate(simple, policy::Spec("contexts"));
}

std::optional<policy::Policy> make_policy(const std::string& spec, const Instance& instance, const policy::Host& host) {
  const policy::Spec parsed(spec);
  if (!parsed.objection(instance, host).empty()) return std::nullopt;
  const Schedule plan = plan_for(instance);
  return parsed.make(1, &plan);
}

}  // namespace heddle::test
