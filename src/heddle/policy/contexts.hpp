#pragma once

#include <functional>
#include <optional>

#include "heddle/policy/registry.hpp"
#include "heddle/policy/resizing/resize_rule.hpp"

namespace heddle::policy {

/// The policy `contexts`: each context of the instance with its policy (Composition). Unlike those of the registry it
/// decides nothing itself, so it is found by name (Spec), but is none of entries().
[[nodiscard]] Entry contexts();

/// The rule that its options name.
[[nodiscard]] std::optional<ResizeRule> resize_rule_of(const Options& options);

/// What it makes. `wrap`, if any, puts another policy in the place of the one of a context, which lets that decide;
/// then what that answers is checked first (CheckedPolicy).
/// `rule`: by which the contexts change while they run, instead of that of the options.
[[nodiscard]] Policy make_contexts(const Setup& setup,
                                   std::function<Policy(ContextId context, Policy policy)> wrap = {},
                                   std::optional<ResizeRule> rule = {});

}  // namespace heddle::policy
