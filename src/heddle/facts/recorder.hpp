#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "heddle/facts/log.hpp"
#include "heddle/facts/mirror.hpp"
#include "heddle/facts/replay.hpp"
#include "heddle/policy/policy.hpp"
#include "heddle/policy/registry.hpp"

namespace heddle::facts {

/// A policy that lets another one decide, and writes down what that one is told, sees, asks and answers. A copy of it
/// is a copy of both; each goes on under a number of its own as soon as they differ.
class Recorder {
 public:
  /// `policy`: one that knows nothing yet; `origin`: what it was made from.
  Recorder(policy::Policy policy, std::shared_ptr<Log> log, const Origin& origin);

  void recall(const Recorder& before);
  void start(const policy::View& view);
  void ready(const policy::View& view, std::span<const TaskId> tasks);
  void started(const policy::View& view, TaskId task, WorkerId worker);
  void finished(const policy::View& view, std::span<const policy::Completion> completions);
  void aborted(const policy::View& view, TaskId task, WorkerId worker);
  void refused(const policy::View& view, policy::Action action);
  void workers_changed(const policy::View& view);
  [[nodiscard]] policy::Action next(const policy::View& view);
  [[nodiscard]] bool keeps_order() const;
  [[nodiscard]] bool polls() const { return policy_.polls(); }
  [[nodiscard]] std::string note() const { return policy_.note(); }
  [[nodiscard]] std::vector<WorkerMove> moves() const { return policy_.moves(); }

 private:
  class Self;

  /// Calls the policy, which sees the mirror: step(policy, its view) returns the call as it is to be written down.
  template <class Step>
  void pass_on(const policy::View& view, Step step);

  std::shared_ptr<const Self> self_;  ///< copies share it until one of them is called
  policy::Policy policy_;
  std::optional<Mirror> mirror_;
};

/// A policy of the registry (Spec::make, which see), with a recorder.
[[nodiscard]] policy::Policy make_watched(const policy::Spec& spec, std::uint64_t seed, const Schedule* plan,
                                          std::shared_ptr<Log> log);

}  // namespace heddle::facts
