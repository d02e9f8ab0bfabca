#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/model/options.hpp"
#include "heddle/model/schedule.hpp"
#include "heddle/policy/policy.hpp"

namespace heddle::policy {

/// What a policy cannot do without. Matched against the instance and the host before the first fact.
struct Needs {
  bool whole_graph = false;  ///< all tasks before the run starts (offline)
  bool abort = false;        ///< that a running task can be aborted: spoliation or preemption
  bool two_classes = false;  ///< exactly two classes of workers
  bool lookahead = false;    ///< that the host can simulate a clone
  bool plan = false;         ///< a schedule to follow, read by the host
};

/// What a host offers.
struct Host {
  bool whole_graph = true;
  bool abort = true;
  bool lookahead = true;
};

/// What a policy is made from. It must not compute anything yet: its work starts, and is timed, with start().
struct Setup {
  const Options& options;
  std::uint64_t seed = 0;
  const Schedule* plan = nullptr;  ///< for Needs::plan
};

/// A registered policy. Every file in policy/policies/ has a function that returns one; the build lists them.
struct Entry {
  std::string name;
  std::string summary;      ///< one sentence
  std::string publication;  ///< paper and section
  /// Of a whole run, in n tasks, e edges, w workers, c classes, and a word on what dominates.
  std::string complexity{};
  std::vector<Option> options;
  Needs (*needs)(const Options& options) = nullptr;
  Policy (*make)(const Setup& setup) = nullptr;
};

/// All registered policies, by name.
[[nodiscard]] std::span<const Entry> entries();

/// A policy and its options as a user wrote them: "heteroprio-dep:order=latest".
class Spec {
 public:
  /// Throws InputError for unknown names, keys and values; lists the nearest and the possible ones.
  explicit Spec(std::string_view text);
  /// The same where some values are not those of the text: a host reads the file that "key=@FILE" names.
  Spec(std::string_view text, const NamedSettings& parsed);

  [[nodiscard]] const Entry& entry() const { return *entry_; }
  [[nodiscard]] const Options& options() const { return options_; }
  [[nodiscard]] const std::string& text() const { return text_; }

  /// Why the policy cannot take this instance on this host, in a sentence; empty when it can.
  [[nodiscard]] std::string objection(const Instance& instance, const Host& host = {}) const;
  /// A policy ready for start(). `plan` is needed by policies that say so, and ignored by the others.
  [[nodiscard]] Policy make(std::uint64_t seed, const Schedule* plan = nullptr) const;

 private:
  std::string text_;
  const Entry* entry_;
  Options options_;
};

}  // namespace heddle::policy
