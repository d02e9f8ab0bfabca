#pragma once

#include <string>

#include "heddle/model/error.hpp"

namespace heddle::runtime {

/// The module heddle_NAME.so, which stays open until the process ends. It is looked for in the folder that the
/// environment variable HEDDLE_MODULES names, and nowhere else; unless that is set, beside the program (as it is
/// installed), where the build puts it, if the program is of the same build, where
/// `cmake --install` does, and where the program was linked to look.
class ModuleFile {
 public:
  /// `purpose`: what the module is for, as the sentence says when there is none. Throws InputError, in one sentence,
  /// when there is no such module or it cannot be loaded.
  ModuleFile(const std::string& name, const std::string& purpose);

  /// What it exports, with C linkage. Throws other_version() when it does not.
  template <class Function>
  [[nodiscard]] Function* function(const char* symbol) const {
    return reinterpret_cast<Function*>(address(symbol));
  }
  /// What to throw when what it exports is not for this library.
  [[nodiscard]] InputError other_version() const;

 private:
  [[nodiscard]] void* address(const char* symbol) const;

  std::string file_;
  void* library_;
};

}  // namespace heddle::runtime
