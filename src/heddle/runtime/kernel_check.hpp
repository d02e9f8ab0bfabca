#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "heddle/runtime/views.hpp"

/// Checks at compile time of what a kernel is made of. The static_asserts say in one sentence what is wrong; they are
/// in templates whose names, which compilers print beside the sentence, tell the position and the types:
/// ParameterNumber<2>::Is<std::vector<double>&>.
namespace heddle::runtime {

class Job;
template <class... Params>
struct TypedImplementation;
template <class... Params>
class Kernel;

namespace detail {

template <class T>
inline constexpr bool kIsFixedSpan = false;
template <class T, std::size_t Extent>
inline constexpr bool kIsFixedSpan<std::span<T, Extent>> = Extent != std::dynamic_extent;

/// Whether it is a view of elements that the runtime cannot copy between memories.
template <class P>
inline constexpr bool kHasOwningElements = false;
template <View P>
inline constexpr bool kHasOwningElements<P> = !std::is_trivially_copyable_v<typename ViewTraits<P>::Element>;

enum class ParameterMistake : std::uint8_t {
  none,
  job,
  pointer,
  rvalue,
  fixed_span,
  view_by_reference,
  owner,
  owning_elements,
  alignment
};

template <class P>
[[nodiscard]] consteval ParameterMistake mistake_in_parameter() {
  using Object = std::remove_reference_t<P>;
  using Type = std::remove_cv_t<Object>;
  using enum ParameterMistake;
  if (std::is_same_v<Type, Job>) return job;
  if (std::is_pointer_v<Type>) return pointer;
  if (std::is_rvalue_reference_v<P>) return rvalue;
  if (kIsFixedSpan<Type>) return fixed_span;
  if (std::is_reference_v<P> && View<Type>) return view_by_reference;
  if (!std::is_trivially_copyable_v<Object>) return owner;
  if (kHasOwningElements<P>) return owning_elements;
  if (!View<P> && alignof(Object) > alignof(std::max_align_t)) return alignment;
  return none;
}

/// The parameter of a kernel, without a leading `const Job&`; the first has number 1.
template <std::size_t Number>
struct ParameterNumber {
  template <class P>
  struct Is {
    using Mistake = ParameterMistake;
    static constexpr Mistake kMistake = mistake_in_parameter<P>();

    static_assert(kMistake != Mistake::job, "a kernel takes the job as its first parameter, declared as const Job&");
    static_assert(kMistake != Mistake::pointer,
                  "a kernel does not take pointers, which do not tell how much they point to: take registered data as "
                  "std::span<T>, Matrix<T> or T&, and let a lambda capture pointers to anything else");
    static_assert(kMistake != Mistake::rvalue,
                  "a kernel does not take T&&: take a registered object as T&, a plain value as T");
    static_assert(kMistake != Mistake::fixed_span,
                  "a kernel takes a vector as std::span<T>, of a size that is known when it runs");
    static_assert(kMistake != Mistake::view_by_reference,
                  "a kernel takes views by value: std::span<T> or Matrix<T>, without &");
    static_assert(kMistake != Mistake::owner,
                  "a kernel takes views of registered data (std::span<T>, Matrix<T>, T&) and plain values, all of them "
                  "trivially copyable: take the elements of a std::vector<T> as std::span<T>");
    static_assert(kMistake != Mistake::owning_elements,
                  "the elements of data must be trivially copyable, as they are copied between memories byte by byte");
    static_assert(kMistake != Mistake::alignment,
                  "a kernel takes no plain values that are aligned more strictly than std::max_align_t");
  };
};

template <class... Params>
inline constexpr bool kParametersFit = (... && (mistake_in_parameter<Params>() == ParameterMistake::none));

template <class Numbers, class... Params>
inline constexpr bool kParametersChecked = false;
template <std::size_t... I, class... Params>
inline constexpr bool kParametersChecked<std::index_sequence<I...>, Params...> =
    kChecked<typename ParameterNumber<I + 1>::template Is<Params>...>;

/// How something is called, given the type of its address or of that of its operator().
template <class Call>
struct Signature {
  static constexpr bool kIsConst = false;
};
template <class R, class... P>
struct Signature<R (*)(P...)> {
  static constexpr bool kIsConst = true;
  using Result = R;
  template <template <class...> class Template>
  using Parameters = Template<P...>;
};
template <class R, class... P>
struct Signature<R (*)(const Job&, P...)> : Signature<R (*)(P...)> {};
template <class R, class... P>
struct Signature<R (*)(P...) noexcept> : Signature<R (*)(P...)> {};
template <class R, class C, class... P>
struct Signature<R (C::*)(P...) const> : Signature<R (*)(P...)> {};
template <class R, class C, class... P>
struct Signature<R (C::*)(P...) const noexcept> : Signature<R (*)(P...)> {};

template <class F>
concept FunctionPointer = std::is_pointer_v<F> && std::is_function_v<std::remove_pointer_t<F>>;
template <class F>
concept FunctionObject = requires { &F::operator(); };

template <class F>
struct SignatureOf : Signature<void> {};
template <FunctionPointer F>
struct SignatureOf<F> : Signature<F> {};
template <FunctionObject F>
struct SignatureOf<F> : Signature<decltype(&F::operator())> {};

enum class FunctionMistake : std::uint8_t { none, no_signature, not_const, result, not_copyable };

template <class F>
[[nodiscard]] consteval FunctionMistake mistake_in_function() {
  using enum FunctionMistake;
  if constexpr (!FunctionPointer<F> && !FunctionObject<F>) {
    return no_signature;
  } else if constexpr (!SignatureOf<F>::kIsConst) {
    return not_const;
  } else if constexpr (!std::is_void_v<typename SignatureOf<F>::Result>) {
    return result;
  } else {
    return std::is_copy_constructible_v<F> ? none : not_copyable;
  }
}

/// What an implementation calls.
template <class F>
struct FunctionOfKernel {
  using Mistake = FunctionMistake;
  static constexpr Mistake kMistake = mistake_in_function<F>();

  static_assert(
      kMistake != Mistake::no_signature,
      "a kernel is a function, or an object with one operator() that is not a template: a generic lambda has to "
      "name the types of its parameters");
  static_assert(kMistake != Mistake::not_const,
                "the operator() of a kernel must be const, as several threads may call it at once: a mutable lambda "
                "cannot be a kernel; state that changes belongs into registered data");
  static_assert(kMistake != Mistake::result,
                "a kernel returns void: what it returned would be lost; results belong into registered data (T&)");
  static_assert(kMistake != Mistake::not_copyable,
                "a kernel must be copyable: let it capture a reference or a std::shared_ptr");
};

template <class T>
inline constexpr bool kIsImplementation = false;
template <class... Params>
inline constexpr bool kIsImplementation<TypedImplementation<Params...>> = true;

/// One of the implementations of a kernel; the first has number 1.
template <std::size_t Number>
struct ImplementationNumber {
  template <class Given>
  struct Is {
    template <class... Params>
    struct ForParameters {
      static constexpr bool kIsOne = kIsImplementation<Given>;
      static constexpr bool kIsAlike = std::is_same_v<Given, TypedImplementation<Params...>> ||
                                       std::is_same_v<Given, TypedImplementation<Mistaken>> ||
                                       (... || std::is_same_v<Params, Mistaken>);

      static_assert(kIsOne, "a kernel is given its name, then its implementations: on_cpu(function), ...");
      static_assert(kIsAlike || !kIsOne, "all implementations of a kernel have the same parameters");
    };
  };
};

template <class... Params>
void accept_kernel(const Kernel<Params...>&);
template <class T>
concept AnyKernel = requires(const T& kernel) { accept_kernel(kernel); };

/// What is submitted.
template <class Given>
struct SubmissionOf {
  static_assert(AnyKernel<Given>,
                "a task runs a kernel, which is made once: const Kernel kernel(\"name\", on_cpu(function))");
};

}  // namespace detail
}  // namespace heddle::runtime
