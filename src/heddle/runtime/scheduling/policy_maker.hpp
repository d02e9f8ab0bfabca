#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "heddle/facts/log.hpp"
#include "heddle/host/present.hpp"
#include "heddle/policy/registry.hpp"
#include "heddle/policy/resizing/resize_rule.hpp"
#include "heddle/runtime/runtime.hpp"
#include "heddle/runtime/scheduling/context_failures.hpp"
#include "heddle/runtime/submission/job_contexts.hpp"
#include "heddle/runtime/submission/task_type.hpp"
#include "heddle/runtime/trace/unique_names.hpp"

namespace heddle::runtime {

/// Makes the policy of each epoch, as the configuration asks for it: from the registry, with a plan where it follows
/// one, or a copy of the program's own; and has what it is told recorded.
class PolicyMaker {
 public:
  /// Throws InputError when the policy cannot decide on such workers.
  PolicyMaker(const Config& config, const Platform& platform);

  /// Throws InputError when the policy of a context cannot decide on its workers, and when the program has one of its
  /// own.
  void check_contexts(const JobContexts& contexts, const Platform& platform) const;
  /// From now on the policies of contexts decide, each on the tasks and workers of its own; before the first epoch.
  void set_contexts(const JobContexts& contexts, const Platform& platform);
  /// From the next epoch on they do so for these, of which the first are those that there were.
  void change_contexts(const JobContexts& contexts, const Platform& platform);

  /// One that knows nothing yet. Policies that draw lots draw others in each epoch.
  [[nodiscard]] policy::Policy operator()(const Instance& instance);
  /// Whether it may look ahead.
  [[nodiscard]] bool looks_ahead() const { return looks_ahead_; }
  /// None where it aborts nothing, as where workers are of one class.
  [[nodiscard]] host::Aborts aborts() const { return aborts_; }
  /// Whether it may abort tasks of the type. The program's own may also abort those that can run on one class only.
  [[nodiscard]] bool may_abort(const TaskType& type) const {
    if (aborts_ != host::Aborts::allowed) return false;
    return decider_ || (type.has_choice && (aborting_.empty() || aborting_[type.context]));
  }
  /// How often a rule has asked for workers to move between contexts, so far. Where some did, the policy says so
  /// (policy::Policy::moves).
  [[nodiscard]] std::uint64_t resizings() const { return *resizings_; }
  /// Whether a rule may.
  [[nodiscard]] bool resizes() const { return failures_ && !resize_.empty(); }
  /// What policies of contexts have thrown; null: there are no contexts.
  [[nodiscard]] const ContextFailures* failures() const { return failures_.get(); }
  /// The specification; empty for the program's own.
  [[nodiscard]] std::string text() const { return decider_ ? "" : spec_.text(); }
  [[nodiscard]] std::uint64_t seed() const { return seed_; }

  /// Whether plans are made (Config::plan), which know tasks by their names in traces.
  [[nodiscard]] bool makes_plans() const { return plan_ != nullptr; }
  /// The name of the task of this number, which is otherwise called `name`.
  [[nodiscard]] const std::string& planned_name(std::uint64_t number, const std::string& name);

  /// Nothing is recorded any more of what policies are told. Throws InputError when the file cannot be written.
  void finish_facts();

 private:
  [[nodiscard]] policy::Policy make(std::uint64_t seed, const Schedule& plan) const;
  void check(const policy::Spec& spec, const Instance& machine) const;
  void decide_by(const policy::Spec& spec, const Table<ContextId, Context>& contexts);
  [[nodiscard]] policy::Spec contexts_spec() const;
  [[nodiscard]] std::optional<policy::ResizeRule> rule() const;

  policy::Spec spec_;
  const std::optional<policy::Policy> decider_;
  bool looks_ahead_;
  host::Aborts aborts_;
  Table<ContextId, bool> aborting_;  ///< whether the policy of the context aborts tasks; empty: there are no contexts
  std::shared_ptr<ContextFailures> failures_;                                      ///< null: there are no contexts
  const std::string resize_;                                                       ///< the name of a rule; empty: none
  std::shared_ptr<std::uint64_t> resizings_ = std::make_shared<std::uint64_t>(0);  ///< counted by what rules call
  const std::uint64_t seed_;
  const std::string facts_path_;
  std::shared_ptr<facts::Log> facts_;                          ///< null when they are not recorded
  const std::function<Schedule(const Instance&)> plan_maker_;  ///< the program's
  std::function<Schedule(const Instance&)> plan_;              ///< empty where the policy follows none
  std::uint64_t made_ = 0;                                     ///< so far
  std::unordered_map<std::uint64_t, std::string> planned_names_;
  UniqueNames unique_names_;
};

}  // namespace heddle::runtime
