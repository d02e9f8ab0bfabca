#pragma once

#include <span>
#include <string>

#include "heddle/model/platform.hpp"

namespace heddle::platforms {

/// Fits the links and buses of a machine, measured when its classes were `measured`, to the numbers of workers that it
/// has now. Links of workers that are gone are removed, and then the buses without a link.
///
/// A new worker with a memory of its own copies the links of its original: number k of a class those of number k modulo
/// the n that were measured. The link between two workers copies that between their originals. Workers with the same
/// original copy the link between it and its peer, the first of its class that it has a link with in the order of the
/// links; without a peer they exchange data through `ram`. Copies go through the same buses: what a bus can carry does
/// not grow with the number of devices.
///
/// Throws InputError, which starts with `owner`, when new workers have no original, and for more than 256 memories.
void fit_links(const std::string& owner, std::span<const ResourceClass> measured, Machine& machine);

}  // namespace heddle::platforms
