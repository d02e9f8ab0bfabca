#pragma once

#include "heddle/cli/commands.hpp"
#include "heddle/runtime/history.hpp"

namespace heddle::cli {

/// The history that the options name; standard error is told when a file had to be set aside. Throws InputError when
/// they name none and the user has no cache folder.
[[nodiscard]] runtime::History open_history(
    const HistoryOptions& options, runtime::History::Unreadable unreadable = runtime::History::Unreadable::set_aside);

/// All that it knows of this machine, as a table or as JSON.
void print_history(const runtime::History& history, bool json);

}  // namespace heddle::cli
