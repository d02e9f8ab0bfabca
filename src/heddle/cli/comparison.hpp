#pragma once

#include <cstddef>
#include <list>
#include <string>
#include <vector>

#include "heddle/cli/input.hpp"
#include "heddle/cli/judge.hpp"

namespace heddle::cli {

/// The runs of one policy on one instance.
struct Row {
  const Loaded* loaded;
  std::size_t policy;  ///< its position among the policies
  std::size_t first;   ///< of `judged`
  std::size_t count;
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
  std::list<Loaded> instances;  ///< a list: rows and reports point to them
  std::vector<std::string> policies;
  std::vector<Judged> judged;
  std::vector<Row> rows;
  std::vector<Skipped> skipped;
};

/// For people: a table per instance, the shortest makespan first, and which policy is best. Of many instances it prints
/// a summary only, of several both.
void print_comparison(const Comparison& found);

/// One line on standard error that counts what was skipped.
void report_skipped(const Comparison& found);

}  // namespace heddle::cli
