#pragma once

#include "heddle/judge/judge.hpp"

namespace heddle::cli {

/// For people: a table per instance, the shortest makespan first, and which policy is best. Of many instances it prints
/// a summary only, of several both.
void print_comparison(const judge::Comparison& found);

/// One line on standard error that counts what was skipped.
void report_skipped(const judge::Comparison& found);

}  // namespace heddle::cli
