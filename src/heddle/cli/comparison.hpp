#pragma once

#include <cstddef>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "heddle/cli/input.hpp"
#include "heddle/cli/judge.hpp"

namespace heddle::cli {

/// The runs of one policy on one instance: so many of `Comparison::judged`.
struct Row {
  std::size_t first;
  std::size_t count;
};

/// An instance and, for each policy, its runs; absent where the policy could not take the instance.
struct Compared {
  Loaded loaded;
  std::vector<std::optional<Row>> rows{};
};

/// A policy that was left out.
struct Skipped {
  const Loaded* loaded;
  std::size_t policy;
  std::string reason;
};

/// What `compare` found, in the order asked for: instance by instance, policy by policy, run by run, whatever ended
/// first.
struct Comparison {
  std::list<Compared> instances;  ///< a list: reports point to them
  std::vector<std::string> policies;
  std::vector<Judged> judged;
  std::vector<Skipped> skipped;
};

/// For people: a table per instance, the shortest makespan first, and which policy is best. Of many instances it prints
/// a summary only, of several both.
void print_comparison(const Comparison& found);

/// One line on standard error that counts what was skipped.
void report_skipped(const Comparison& found);

}  // namespace heddle::cli
