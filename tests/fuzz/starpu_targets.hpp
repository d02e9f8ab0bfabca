#pragma once

#include <string_view>

namespace heddle::test {

/// Reads the bytes as tasks.rec and as its companion data.rec; what is accepted becomes an instance, which is written
/// and read again.
void run_tasks_rec(std::string_view bytes);
/// Reads the bytes as a paje.trace.
void run_paje(std::string_view bytes);
/// Reads the bytes as a performance model, whose timings must be written and read again.
void run_perfmodel(std::string_view bytes);
/// Reads the bytes as each of the bus files.
void run_bus(std::string_view bytes);

}  // namespace heddle::test
