#pragma once

namespace heddle::cli {

/// Has the C library keep what is freed, and have the first of it in large pages where Linux gives them. Simulations
/// take and leave megabytes at a time: where each megabyte comes from the system and goes back to it, page faults take
/// longer than the simulation. Changes no result. Must come before threads are started; does nothing without glibc.
void keep_memory();

}  // namespace heddle::cli
