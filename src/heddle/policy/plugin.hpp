#pragma once

#include <cstdint>
#include <version>

#include "heddle/policy/lookahead.hpp"
#include "heddle/policy/policy.hpp"
#include "heddle/policy/registry.hpp"

/// What the author of a policy outside Heddle includes; docs/plugins.md shows one. Such a policy is a shared library
/// that is linked with no library of Heddle: what it calls is in the program that opens it (open_plugin).
namespace heddle::policy {

/// What a plug-in and the program that opens it have to agree on: the headers of the policy and the model room. A
/// change of the layout or the meaning of any of it counts this on, so that a plug-in of another build is refused.
inline constexpr std::uint32_t kPluginInterface = 2;

/// How C++ is compiled, as far as g++ and clang may differ and as the standard library is concerned.
inline constexpr const char* kCompilerAbi =
#if defined(__GXX_ABI_VERSION)
    "Itanium C++ ABI";
#else
    "another C++ ABI";
#endif
inline constexpr const char* kStandardLibrary =
#if defined(_GLIBCXX_DEBUG)
    "libstdc++ with _GLIBCXX_DEBUG";
#elif defined(__GLIBCXX__) && _GLIBCXX_USE_CXX11_ABI
    "libstdc++";
#elif defined(__GLIBCXX__)
        "libstdc++ with the strings of before C++11";
#else
        "another standard library";
#endif

/// What a plug-in exports as `heddle_policy_plugin`, with C linkage: a function that returns the address of one. The
/// first members stay as they are in all interfaces.
struct Plugin {
  std::uint32_t interface = kPluginInterface;
  const char* compiler_abi = kCompilerAbi;
  const char* standard_library = kStandardLibrary;
  const char* name = "";  ///< of the policy, for people
  /// Of objects that both sides use: options of the compiler change some.
  std::uint64_t sizes =
      sizeof(View) + 1'000 * sizeof(Instance) + 1'000'000 * sizeof(Entry) + 1'000'000'000 * sizeof(Setup);
  Entry (*entry)() = nullptr;  ///< the policy; called once all of the above agrees
};

}  // namespace heddle::policy

/// Makes the source that it is in a plug-in. `name`: of the policy, a text. `entry`: a function without parameters that
/// returns its Entry, as those of Heddle's own policies do.
#define HEDDLE_POLICY_PLUGIN(policy_name, policy_entry)                                                    \
  extern "C" __attribute__((visibility("default"))) const heddle::policy::Plugin* heddle_policy_plugin() { \
    static const heddle::policy::Plugin plugin{.name = (policy_name), .entry = (policy_entry)};            \
    return &plugin;                                                                                        \
  }
