#pragma once

#include <array>

namespace heddle::policy {

/// Policies, as Spec reads them, from whose schedules a search begins unless the user names others: cheap ones that
/// are unlike each other. Those that cannot take an instance are left out.
inline constexpr std::array kSearchStarts{"heteroprio-dep:order=best",
                                          "heteroprio-dep:order=latest",
                                          "heteroprio-indep",
                                          "heft",
                                          "heft:rank=avg",
                                          "peft",
                                          "cpop",
                                          "hlp",
                                          "dual-hp",
                                          "qa",
                                          "er-ls",
                                          "dmdas"};

}  // namespace heddle::policy
