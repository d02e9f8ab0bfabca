#pragma once

#include "heddle/policy/registry.hpp"

namespace heddle::policy {

/// The policy `contexts`: each context of the instance with its policy (Composition). Unlike those of the registry it
/// decides nothing itself, so it is found by name (Spec), but is none of entries().
[[nodiscard]] Entry contexts();

}  // namespace heddle::policy
