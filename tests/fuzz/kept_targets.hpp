#pragma once

#include <string_view>

namespace heddle::test {

/// Takes the bytes for the journal of an experiment, and for lines of one whose checksums are right. What is then
/// appended must be there when it is opened again.
void run_journal(std::string_view bytes);
/// Takes the bytes for a history of durations. What is then added must be there when it is opened again.
void run_history(std::string_view bytes);

}  // namespace heddle::test
