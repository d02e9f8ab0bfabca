#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heddle/model/instance.hpp"

namespace heddle::policy {

/// A type of tasks that a class serves.
struct ListedType {
  TypeId type;
  double slowdown = 0;  ///< the factor that was given with it; 0: none
};

/// For each class, the types that it serves, the most preferred first: HeteroPrio's priority lists by hand.
using TypeLists = Table<ClassId, std::vector<ListedType>>;

/// Reads "cpu:A+B*11+C/gpu:C+B": classes parted by '/', the types that each serves by '+', a slowdown factor behind
/// '*'. In the text of a file blanks and ends of lines do for '+' and '/', and '#' starts a comment. A class that is
/// not named serves nothing. Throws InputError that starts with `owner` when the text is no such list, when a class or
/// type is unknown or named twice, or when no class that can run some task serves its type.
[[nodiscard]] TypeLists parse_type_lists(const Instance& instance, std::string_view text, std::string_view owner);

}  // namespace heddle::policy
