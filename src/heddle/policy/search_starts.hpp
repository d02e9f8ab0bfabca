#pragma once

#include <array>

namespace heddle::policy {

/// Policies, as Spec reads them, from whose schedules a search begins unless the user names others: cheap ones that
/// are unlike each other. Those that cannot take an instance are left out. The first is the most promising: its
/// allocation is that of a linear program, and its order, which is often poor, is what a search mends soonest.
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

}  // namespace heddle::policy
