#pragma once

#include <array>
#include <string>
#include <vector>

namespace heddle::policy {

/// Policies, as Spec reads them, from whose schedules a search begins first: cheap ones that are unlike each other. The
/// first is the most promising: its allocation is that of a linear program, and its order, which is often poor, is what
/// a search mends soonest.
inline constexpr std::array kSearchStarts{"hlp",
                                          "heteroprio-dep:order=best",
                                          "heteroprio-dep:order=latest",
                                          "heteroprio-indep",
                                          "heft",
                                          "heft:rank=avg",
                                          "peft",
                                          "cpop",
                                          "dual-hp",
                                          "qa",
                                          "er-ls",
                                          "dmdas"};

/// Where data moves, these come next to the first: they look at where it is.
inline constexpr std::array kLinkAwareStarts{
    "slack", "dmdas", "dmda", "dmdar", "la-heteroprio", "dmdas:priority=due", "dmdas:overlap=false"};

/// All policies from whose schedules a search begins unless the user names others, each once, in the order in which
/// they are worth a try: those above, then every other one that needs no plan and does not simulate itself. Some of
/// them cannot take every instance.
[[nodiscard]] std::vector<std::string> search_starts(bool data_moves);

}  // namespace heddle::policy
