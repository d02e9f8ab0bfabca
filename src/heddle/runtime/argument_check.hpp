#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

#include "heddle/runtime/data.hpp"
#include "heddle/runtime/kernel_check.hpp"
#include "heddle/runtime/task.hpp"

/// Checks at compile time of what Runtime::data and Runtime::submit are given, made as those of kernels
/// (kernel_check.hpp).
namespace heddle::runtime::detail {

template <class T>
inline constexpr bool kPoints = std::is_pointer_v<T> || kIsFixedSpan<std::remove_cv_t<T>>;
template <class T>
concept Registrable = std::is_trivially_copyable_v<T> && !kPoints<T>;

/// The memory that is registered as an object; `Given` is T& for a variable, T for a temporary one.
template <class Given>
struct RegistrationOf {
  using Object = std::remove_reference_t<Given>;
  static constexpr bool kIsTemporary = !std::is_reference_v<Given>;

  static_assert(!kIsTemporary,
                "a temporary object cannot be registered, as it is gone before tasks use it: registered memory must "
                "outlive the handle that Runtime::data returns");
  static_assert(kIsTemporary || !kPoints<Object>,
                "a pointer does not tell how much it points to, nor is a std::span<T, N> registered: register "
                "std::span<T>(pointer, size)");
  static_assert(
      kIsTemporary || kPoints<Object> || Registrable<Object>,
      "a registered object must be trivially copyable: of a container register the elements, as std::span<T>");
};

/// Stands where the task has no argument.
struct Missing {};

template <class T>
inline constexpr bool kIsUse = false;
template <View V, AccessMode M>
inline constexpr bool kIsUse<Use<V, M>> = true;

template <class T>
concept Option = requires(TaskOptions options, const T& option) { options.set(option); };

/// Whether a number of type `To` can hold every value of `From`: a double can hold any int, a float cannot. The types
/// decide, not the value, which is known only when the task is submitted; so a literal for a std::size_t is 5U, not 5.
template <class From, class To>
[[nodiscard]] consteval bool keeps_numbers() {
  if constexpr (std::is_arithmetic_v<From>) {
    using Source = std::numeric_limits<From>;
    using Target = std::numeric_limits<To>;
    return (Source::is_integer || !Target::is_integer) && (!Source::is_signed || Target::is_signed) &&
           Source::digits <= Target::digits;
  } else {
    return requires(const From& from) { To{from}; };
  }
}

enum class ArgumentMistake : std::uint8_t {
  none,
  reported,
  missing,
  option,
  unregistered,
  no_access,
  other_type,
  writes_constant,
  only_reads,
  data_for_value,
  unconvertible,
  narrowing
};

template <class Given, class P>
inline constexpr ArgumentMistake kMistakeInView = ArgumentMistake::unregistered;
template <Handle Given, class P>
inline constexpr ArgumentMistake kMistakeInView<Given, P> = ArgumentMistake::no_access;
template <View V, AccessMode M, class P>
inline constexpr ArgumentMistake kMistakeInView<Use<V, M>, P> =
    !std::is_same_v<Writable<V>, Writable<P>> ? ArgumentMistake::other_type
    : kReadOnly<P> && M != AccessMode::read   ? ArgumentMistake::writes_constant
    : !kReadOnly<P> && M == AccessMode::read  ? ArgumentMistake::only_reads
                                              : ArgumentMistake::none;

template <class Given, class P>
[[nodiscard]] consteval ArgumentMistake mistake_in_argument() {
  using enum ArgumentMistake;
  if constexpr (std::is_same_v<Given, Mistaken>) {
    return reported;
  } else if constexpr (std::is_same_v<Given, Missing>) {
    return missing;
  } else if constexpr (Option<Given>) {
    return option;
  } else if constexpr (View<P>) {
    return kMistakeInView<Given, P>;
  } else if constexpr (kIsUse<Given> || Handle<Given>) {
    return data_for_value;
  } else if constexpr (!std::is_convertible_v<const Given&, P>) {
    return unconvertible;
  } else if constexpr (std::is_arithmetic_v<P>) {
    return keeps_numbers<Given, P>() ? none : narrowing;
  } else {
    return none;
  }
}

/// An argument of a task; the first has number 1.
template <std::size_t Number>
struct ArgumentNumber {
  template <class Given>
  struct Is {
    template <class P>
    struct For {
      using Mistake = ArgumentMistake;
      static constexpr Mistake kMistake = mistake_in_argument<Given, P>();

      static_assert(kMistake != Mistake::missing, "an argument is missing: the kernel has more parameters");
      static_assert(kMistake != Mistake::option,
                    "an option (priority, after, also, on_done, named, until, in) stands where the kernel expects an "
                    "argument: give it all arguments, then the options");
      static_assert(kMistake != Mistake::unregistered,
                    "the kernel expects registered data: register the memory (Runtime::data) and tell how the kernel "
                    "uses it, for example read(x) or rw(x)");
      static_assert(kMistake != Mistake::no_access,
                    "data needs an access mode: read(x), write(x), rw(x), commute(x) or reduce(x)");
      static_assert(kMistake != Mistake::other_type, "the data is of another type than the kernel's parameter");
      static_assert(kMistake != Mistake::writes_constant,
                    "the kernel's parameter is const, so it only reads the data: pass read(x)");
      static_assert(kMistake != Mistake::only_reads,
                    "the kernel's parameter is not const, so it writes the data: pass write(x), rw(x), commute(x) or "
                    "reduce(x), or declare the parameter const");
      static_assert(kMistake != Mistake::data_for_value,
                    "the kernel expects a plain value: to access registered data its parameter must be std::span<T>, "
                    "Matrix<T> or T&");
      static_assert(kMistake != Mistake::unconvertible, "the argument cannot be converted to the kernel's parameter");
      static_assert(kMistake != Mistake::narrowing,
                    "the kernel's parameter cannot hold every value of the argument's type: where the value fits, say "
                    "so by static_cast");
    };

    /// Beyond the parameters of the kernel.
    struct AsOption {
      static constexpr bool kFits = Option<Given> || std::is_same_v<Given, Mistaken>;
      static_assert(kFits,
                    "the kernel has no parameter for this argument: arguments may be followed by options only "
                    "(priority, after, also, on_done, named, until, in)");
    };
  };
};

/// How often an option is given.
template <class Option>
struct OptionOfTask {
  template <std::size_t Count>
  struct Times {
    static_assert(Count <= 1,
                  "a task has one priority, one on_done, one name, one until and one context: only after and also may "
                  "be repeated");
  };
};

template <class Option, class... Args>
inline constexpr std::size_t kCount = (std::size_t{std::is_same_v<Option, Args>} + ... + 0);

template <std::size_t I, class... Args>
using ArgumentAt = std::tuple_element_t<std::min(I, sizeof...(Args)), std::tuple<Args..., Missing>>;

/// Checks what a task is submitted with: `Arguments` are the numbers of what stands for the kernel's parameters,
/// `Options` those of what follows.
template <class Arguments, class Options, class Params, class Args>
struct TaskCheck;
template <std::size_t... I, std::size_t... J, class... Params, class... Args>
struct TaskCheck<std::index_sequence<I...>, std::index_sequence<J...>, std::tuple<Params...>, std::tuple<Args...>> {
  template <std::size_t Index>
  using Given = typename ArgumentNumber<Index + 1>::template Is<ArgumentAt<Index, Args...>>;

  static constexpr bool kFits =
      (... && (mistake_in_argument<ArgumentAt<I, Args...>, Params>() == ArgumentMistake::none)) &&
      (... && Option<ArgumentAt<sizeof...(I) + J, Args...>>);
  static constexpr bool kIsChecked =
      kChecked<typename Given<I>::template For<Params>..., typename Given<sizeof...(I) + J>::AsOption...,
               typename OptionOfTask<Priority>::template Times<kCount<Priority, Args...>>,
               typename OptionOfTask<OnDone>::template Times<kCount<OnDone, Args...>>,
               typename OptionOfTask<Named>::template Times<kCount<Named, Args...>>,
               typename OptionOfTask<Until>::template Times<kCount<Until, Args...>>,
               typename OptionOfTask<In>::template Times<kCount<In, Args...>>>;
};

/// A task of a kernel with these parameters.
template <class... Params>
struct TaskOf {
  template <class... Args>
  using With = TaskCheck<std::make_index_sequence<sizeof...(Params)>,
                         std::make_index_sequence<std::max(sizeof...(Args), sizeof...(Params)) - sizeof...(Params)>,
                         std::tuple<Params...>, std::tuple<Args...>>;
};
template <>
struct TaskOf<Mistaken> {
  template <class...>
  struct With {
    static constexpr bool kFits = false;
    static constexpr bool kIsChecked = true;
  };
};

}  // namespace heddle::runtime::detail
