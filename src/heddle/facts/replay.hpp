#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"
#include "heddle/policy/policy.hpp"
#include "heddle/policy/registry.hpp"

namespace heddle::facts {

/// What a policy was made from, besides its specification.
struct Origin {
  std::uint64_t seed = 0;
  std::optional<Schedule> plan{};  ///< where it follows one; of its instance
};

/// Makes the policy that a log names, or another one, for the instance. Throws InputError when that cannot be.
using Maker = std::function<policy::Policy(const std::string& name, const Origin& origin, const Instance& instance)>;

/// Throws InputError when the policy cannot take the instance.
[[nodiscard]] policy::Policy make_again(const policy::Spec& spec, const Origin& origin, const Instance& instance);
/// From the registry. Throws InputError when the policy has no name, or cannot take the instance.
[[nodiscard]] policy::Policy make_registered(const std::string& name, const Origin& origin, const Instance& instance);

/// What policies did that were told the same once more.
struct Replayed {
  std::size_t epochs = 0;     ///< policies that were asked what to do
  std::size_t decisions = 0;  ///< their answers, but for those that nothing is to be done
  /// The first answer, or question to a lookahead, that is another one, in a sentence; nothing is told after it.
  std::optional<std::string> difference{};
};

/// Who is told what is in a log.
struct Audience {
  Maker make = make_registered;
  /// The specification of what is told instead of the policy that the log names; empty: that one.
  std::string other{};
  /// Told now and then how many events there were, of how many; what it throws ends the replay.
  std::function<void(std::size_t done, std::size_t total)> watch{};
};

/// Tells policies that know nothing yet what a log says that others were told, and compares what they answer. `text` is
/// the log, `source` names it in errors. Throws InputError when it is none, and when another policy looks ahead, which
/// a log answers only those who ask what was asked then.
[[nodiscard]] Replayed replay(std::string_view text, std::string_view source, const Audience& audience = {});

}  // namespace heddle::facts
