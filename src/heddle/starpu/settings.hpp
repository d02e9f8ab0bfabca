#pragma once

#include <memory>
#include <string>
#include <vector>

#include "heddle/host/present.hpp"
#include "heddle/model/platform.hpp"
#include "heddle/policy/registry.hpp"
#include "heddle/policy/resizing/resize_rule.hpp"

namespace heddle::starpu {

/// What the user chooses, in environment variables; empty: not given.
struct Settings {
  std::string policy{};    ///< HEDDLE_POLICY; "starpu:NAME" is a scheduler of StarPU
  std::string contexts{};  ///< HEDDLE_CONTEXTS: divides the workers of the first of StarPU's contexts (Assignment)
  std::string assign{};    ///< HEDDLE_ASSIGN: which tasks belong to which of them
  std::string resize{};    ///< HEDDLE_RESIZE: the rule by which workers move between them
  std::string record{};    ///< HEDDLE_RECORD: where the instance goes; the schedule goes beside it
  std::string facts{};     ///< HEDDLE_FACTS: where the calls of the policy go
  /// HEDDLE_PLUGINS: files of policies from outside, between colons.
  std::vector<std::string> plugins{};
  bool summarizes = false;  ///< HEDDLE_SUMMARY=1: a line at the end
  /// HEDDLE_SPOLIATION=hold-back|none: what policies can have that abort tasks, as StarPU cannot.
  host::Aborts aborts = host::Aborts::hold_back;
  bool splits_cpus = false;  ///< HEDDLE_SPLIT_CPUS=1, an aid for tests: every second core is of a class of its own
  /// Of several processes, as under mpirun, which this is, from 0; empty: there is only one. The files above are named
  /// after it: "run.rank1.json".
  std::string rank{};
};

/// Throws InputError when a value makes no sense.
[[nodiscard]] Settings read_settings();

/// The scheduler of StarPU that decides instead of a policy ("starpu:lws"), to be watched; empty: a policy does.
/// Throws InputError when the other settings ask for what only policies have.
[[nodiscard]] std::string watched_scheduler(const Settings& settings);

/// The policy that decides on the machine: the one for contexts where there are some. Throws InputError when there is
/// none of that name, or when it needs what StarPU does not offer.
[[nodiscard]] policy::Spec choose_policy(const Settings& settings, const Platform& platform,
                                         const Table<ContextId, Context>& contexts = {});

/// The rule by which workers move between contexts; null: they stay. Throws InputError when there is no such rule, or
/// it needs what StarPU does not tell.
[[nodiscard]] std::shared_ptr<const policy::ResizeRule> choose_rule(const Settings& settings);

/// The platform that the policy is shown: where it, or that of a context, is for two classes, and there is only one, an
/// empty one is added.
[[nodiscard]] Platform shown_to(const policy::Spec& spec, const Platform& platform,
                                const Table<ContextId, Context>& contexts = {});

/// "run.json" -> "run.schedule.json"; contexts other than the first have their number in all names.
[[nodiscard]] std::string instance_path(const std::string& record, unsigned context);
[[nodiscard]] std::string schedule_path(const std::string& record, unsigned context);
[[nodiscard]] std::string facts_path(const std::string& facts, unsigned context);

}  // namespace heddle::starpu
