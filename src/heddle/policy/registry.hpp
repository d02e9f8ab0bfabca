#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <list>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/model/error.hpp"
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
  bool contexts = false;     ///< scheduling contexts (Instance::contexts), whose policies may need more
  bool moves = false;        ///< that workers stay in the contexts that it moves them to (Policy::moves)
};

/// What a host offers.
struct Host {
  bool whole_graph = true;  ///< all tasks are known before the run starts
  bool rounds = false;      ///< tasks arrive during the run, and policies start again on those that are known
  bool abort = true;
  bool lookahead = true;
  bool adopts_moves = false;  ///< with `rounds`: contexts have in the next round the workers that they got in the last
};

/// What a policy is made from. It must not compute anything yet: its work starts, and is timed, with start().
struct Setup {
  const Options& options;
  std::uint64_t seed = 0;
  const Schedule* plan = nullptr;  ///< for Needs::plan
};

/// A policy that can be named. Every file in policy/policies/ has a function that returns one, which the build lists;
/// add() takes others.
struct Entry {
  std::string name;
  std::string summary;      ///< one sentence
  std::string publication;  ///< paper and section
  /// Of a whole run, in n tasks, e edges, w workers, c classes, and a word on what dominates.
  std::string complexity{};
  std::vector<Option> options;
  std::function<Needs(const Options& options)> needs;
  std::function<Policy(const Setup& setup)> make;
  std::string plugin{};  ///< the file that it comes from; empty where it is of the program
};

/// All registered policies, by name: those of Heddle, and those that were added. The policy `contexts`, which lets
/// those of the instance's contexts decide, has a name (Spec) and is none of them.
[[nodiscard]] const std::list<Entry>& entries();

/// Adds a policy: from now on its name stands for it wherever a policy is named. Throws InputError when another policy
/// is called so, when the name is not made of small letters, digits and dashes, or when something is missing. While it
/// adds, no other thread may use the registry.
void add(Entry entry);
/// The same in the place of the policy of this name, such as one that is defined again; a Spec made before still names
/// that one. Throws InputError when there is none, and as add() does.
void replace(Entry entry);

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

  /// What it needs; where it lets the policies of contexts decide, also what those of these contexts do. Throws
  /// InputError where one of them is none.
  [[nodiscard]] Needs needs(const Table<ContextId, Context>& contexts = {}) const;
  /// Why the policy cannot take this instance on this host, in a sentence; empty when it can.
  [[nodiscard]] std::string objection(const Instance& instance, const Host& host = {}) const;
  /// A policy ready for start(). `plan` is needed by policies that say so, and ignored by the others.
  [[nodiscard]] Policy make(std::uint64_t seed, const Schedule* plan = nullptr) const;

 private:
  std::string text_;
  const Entry* entry_;
  Options options_;
};

/// Does what a policy decides in. What it throws, or is told for answers that make no sense, is a mistake of ours: but
/// not where the policy is that of a plug-in, of which an InputError then says so.
template <class F>
auto blaming_plugin(const policy::Spec& spec, F&& decide) {
  try {
    return decide();
  } catch (const InputError&) {
    throw;
  } catch (const std::exception& error) {
    if (spec.entry().plugin.empty()) throw;
    throw InputError("plug-in '" + spec.entry().plugin + "': policy '" + spec.entry().name + "': " + error.what());
  }
}

/// Opens a plug-in (plugin.hpp), which stays open until the process ends, and adds its policy to the registry. Nothing
/// is looked for: `file` is a path. Throws InputError, in one sentence that begins with the file, when it cannot be
/// opened, is no plug-in, was built for another interface, compiler or standard library, or when the registry does not
/// take its policy. A program that opens plug-ins exports its symbols (CMake: ENABLE_EXPORTS) and has all of
/// heddle::policy in it.
void open_plugin(const std::string& file);

}  // namespace heddle::policy
