#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "heddle/runtime/job.hpp"
#include "heddle/runtime/views.hpp"

namespace heddle::runtime {

/// What an implementation is written for.
enum class Processor : std::uint8_t { cpu };

struct Implementation {
  Processor processor = Processor::cpu;
  std::function<void(const Job&)> run;
};

/// A kernel without the types of its parameters: what the engine knows of it.
struct KernelInfo {
  std::string name;
  std::vector<Implementation> implementations;

  /// Null when there is none for such a processor.
  [[nodiscard]] const Implementation* find(Processor processor) const {
    for (const Implementation& one : implementations) {
      if (one.processor == processor) return &one;
    }
    return nullptr;
  }
};

/// Where the parameters of a kernel are found: views number the data, plain values lie one after the other.
template <class... Params>
struct Layout {
  struct Place {
    std::size_t number = 0;  ///< of a view among the views; of a value, the byte where it begins
  };

  static constexpr std::size_t kViews = (std::size_t{0} + ... + (View<Params> ? 1 : 0));
  static constexpr auto kPlaces = [] {
    std::array<Place, sizeof...(Params) + 1> places{};
    std::size_t views = 0;
    std::size_t bytes = 0;
    std::size_t next = 0;
    const auto place = [&](bool is_view, std::size_t size, std::size_t alignment) {
      if (is_view) {
        places[next++].number = views++;
      } else {
        bytes = (bytes + alignment - 1) / alignment * alignment;
        places[next++].number = bytes;
        bytes += size;
      }
    };
    (place(View<Params>, sizeof(std::remove_reference_t<Params>), alignof(std::remove_reference_t<Params>)), ...);
    places[next].number = bytes;
    return places;
  }();
  static constexpr std::size_t kValueBytes = kPlaces[sizeof...(Params)].number;
};

/// An implementation together with the types of the parameters it was written for.
template <class... Params>
struct TypedImplementation {
  static_assert(((View<Params> || std::is_trivially_copyable_v<Params>) && ...),
                "a kernel's parameters are views of data (std::span<T>, Matrix<T>, T&) or trivially copyable values");
  static_assert(((View<Params> || alignof(std::remove_reference_t<Params>) <= alignof(std::max_align_t)) && ...),
                "values that want a larger alignment than any built-in type are not supported");
  Implementation implementation;
};

namespace detail {

template <class P>
[[nodiscard]] P argument(const Job& job, std::size_t number) {
  if constexpr (View<P>) {
    const Argument& data = job.arguments()[number];
    return ViewTraits<P>::make(data.piece, data.shape);
  } else {
    return *std::launder(reinterpret_cast<const P*>(job.values() + number));
  }
}

template <class... Params, class F>
TypedImplementation<Params...> on_cpu(F function) {
  using Places = Layout<Params...>;
  auto run = [function = std::move(function)](const Job& job) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      if constexpr (std::invocable<const F&, const Job&, Params...>) {
        function(job, argument<Params>(job, Places::kPlaces[I].number)...);
      } else {
        function(argument<Params>(job, Places::kPlaces[I].number)...);
      }
    }(std::index_sequence_for<Params...>());
  };
  return {{Processor::cpu, std::move(run)}};
}

/// The parameters of anything that can be called in one way, without a leading `const Job&`.
template <class F>
struct Parameters : Parameters<decltype(&F::operator())> {};
template <class R, class... P>
struct Parameters<R (*)(P...)> {
  template <class F>
  static auto implement(F function) {
    return on_cpu<P...>(std::move(function));
  }
};
template <class R, class... P>
struct Parameters<R (*)(const Job&, P...)> : Parameters<R (*)(P...)> {};
template <class R, class... P>
struct Parameters<R (*)(P...) noexcept> : Parameters<R (*)(P...)> {};
template <class R, class C, class... P>
struct Parameters<R (C::*)(P...) const> : Parameters<R (*)(P...)> {};
template <class R, class C, class... P>
struct Parameters<R (C::*)(P...) const noexcept> : Parameters<R (*)(P...)> {};

}  // namespace detail

/// An implementation for CPU cores: a function or a lambda that can be called from several threads at once. Its
/// parameters tell what the kernel takes:
///   std::span<T>, Matrix<T>   a registered vector or matrix; T const when it is only read
///   T&                        a registered object
///   anything else by value    a plain value, which is copied at submission
/// It may declare `const Job&` before them.
template <class F>
[[nodiscard]] auto on_cpu(F function) {
  return detail::Parameters<F>::implement(std::move(function));
}

/// What a task runs: a name and an implementation for each kind of processor, all with the same parameters. Copies are
/// the same kernel; tasks of one kernel with data of the same shapes share their history of durations.
template <class... Params>
class Kernel {
 public:
  Kernel(std::string name, TypedImplementation<Params...> first,
         std::same_as<TypedImplementation<Params...>> auto... more)
      : info_(std::make_shared<const KernelInfo>(
            KernelInfo{std::move(name), {std::move(first.implementation), std::move(more.implementation)...}})) {}

  [[nodiscard]] const std::shared_ptr<const KernelInfo>& info() const { return info_; }

 private:
  std::shared_ptr<const KernelInfo> info_;
};

}  // namespace heddle::runtime
