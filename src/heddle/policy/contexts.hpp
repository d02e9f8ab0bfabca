#pragma once

#include <functional>

#include "heddle/policy/registry.hpp"

namespace heddle::policy {

/// The policy `contexts`: each context of the instance with its policy (Composition). Unlike those of the registry it
/// decides nothing itself, so it is found by name (Spec), but is none of entries().
[[nodiscard]] Entry contexts();

/// What it makes. `wrap`, if any, puts another policy in the place of the one of a context, which lets that decide.
[[nodiscard]] Policy make_contexts(const Setup& setup,
                                   std::function<Policy(ContextId context, Policy policy)> wrap = {});

}  // namespace heddle::policy
