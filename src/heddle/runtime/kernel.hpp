#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "heddle/runtime/job.hpp"
#include "heddle/runtime/kernel_check.hpp"
#include "heddle/runtime/views.hpp"

namespace heddle::runtime {

/// What an implementation is written for.
enum class Processor : std::uint8_t { cpu, opencl, cuda };

/// How many work items a kernel in OpenCL C has in each dimension, and in each of its groups; no groups: the device
/// divides them as it likes.
struct WorkItems {
  std::array<std::size_t, 3> items{1, 1, 1};
  std::optional<std::array<std::size_t, 3>> group{};
};

/// A kernel in OpenCL C (on_opencl).
struct OpenClSource {
  /// As an argument of the kernel: `vector` two arguments, the memory and a uint, its size; `matrix` three, the memory,
  /// rows, and columns, which follow each other; `object` the memory; `value` a plain value.
  enum class Form : std::uint8_t { vector, matrix, object, value };
  struct Parameter {
    Form form;
    std::size_t number;     ///< as Layout::Place
    std::size_t bytes = 0;  ///< of a value
  };

  std::string text;
  std::string entry;  ///< the name of the function
  std::vector<Parameter> parameters;
  std::function<WorkItems(const Job&)> items;
  bool needs_double = false;  ///< not all devices compute in double precision
};

/// One way in which a kernel computes what it does, on one kind of processor.
struct Implementation {
  /// What `run` does. `computes`: all that there is to do, before it returns. `enqueues`: asks the device for it, on
  /// Job::queue(). `native`: as `computes`, but on the memory of a device, which the processor can address.
  enum class Form : std::uint8_t { computes, enqueues, native, source };

  Processor processor = Processor::cpu;
  Form form = Form::computes;
  std::function<void(const Job&)> run;         ///< of all forms but `source`
  std::shared_ptr<const OpenClSource> source;  ///< of this form
  std::string name{};                          ///< among the kernel's for such processors; the first may have none
  std::function<std::string()> missing{};      ///< in one sentence, why it cannot run here; none or empty: it can
};

/// A kernel without the types of its parameters: what the engine knows of it.
struct KernelInfo {
  std::string name;
  std::vector<Implementation> implementations;

  /// Names those that have no name by their number among those for one kind of processor: the second is "2". Throws
  /// InputError when two of a kind have one name.
  KernelInfo(std::string kernel_name, std::vector<Implementation> list);
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
    [[maybe_unused]] const auto place = [&](bool is_view, std::size_t size, std::size_t alignment) {
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
  static_assert(detail::kParametersChecked<std::index_sequence_for<Params...>, Params...>);
  Implementation implementation;

  /// Under a name that tells it from the kernel's others for this kind of processor, in histories and traces.
  [[nodiscard]] TypedImplementation named(std::string name) && {
    implementation.name = std::move(name);
    return std::move(*this);
  }
  /// Does not run where `missing` returns a sentence that tells why (Config::warn is told, once). It is asked at the
  /// first task with data of certain shapes, by a runtime with a class of workers for it.
  [[nodiscard]] TypedImplementation unless(std::function<std::string()> missing) && {
    implementation.missing = std::move(missing);
    return std::move(*this);
  }
};

namespace detail {

template <class P>
[[nodiscard]] P argument(const Job& job, std::size_t number) {
  if constexpr (View<P>) {
    const Argument& data = job.argument(number);
    return ViewTraits<P>::make(data.piece, data.shape);
  } else {
    return *std::launder(reinterpret_cast<const P*>(job.values() + number));
  }
}

/// A function of typed parameters as one of a Job.
template <class... Params, class F>
[[nodiscard]] std::function<void(const Job&)> unpacked(F function) {
  using Places = Layout<Params...>;
  return [function = std::move(function)](const Job& job) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      if constexpr (std::invocable<const F&, const Job&, Params...>) {
        function(job, argument<Params>(job, Places::kPlaces[I].number)...);
      } else {
        function(argument<Params>(job, Places::kPlaces[I].number)...);
      }
    }(std::index_sequence_for<Params...>());
  };
}

/// The implementation that calls the function; TypedImplementation<Mistaken> when it does not pass the checks.
template <class F>
[[nodiscard]] auto implement(Processor processor, Implementation::Form form, F function) {
  static_assert(kChecked<FunctionOfKernel<F>>);
  if constexpr (mistake_in_function<F>() == FunctionMistake::none) {
    return [&]<class... Params>(std::type_identity<TypedImplementation<Params...>>) {
      static_assert(kParametersChecked<std::index_sequence_for<Params...>, Params...>);
      if constexpr (kParametersFit<Params...>) {
        return TypedImplementation<Params...>{{processor, form, unpacked<Params...>(std::move(function)), nullptr}};
      } else {
        return TypedImplementation<Mistaken>();
      }
    }(std::type_identity<typename SignatureOf<F>::template Parameters<TypedImplementation>>());
  } else {
    return TypedImplementation<Mistaken>();
  }
}

/// The parameters of a kernel as a function in OpenCL C has them.
template <class... Params>
[[nodiscard]] std::vector<OpenClSource::Parameter> opencl_parameters() {
  using Form = OpenClSource::Form;
  std::vector<OpenClSource::Parameter> parameters;
  const auto add = [&]<class P>(std::type_identity<P>) {
    const std::size_t number = Layout<Params...>::kPlaces[parameters.size()].number;
    if constexpr (View<P>) {
      parameters.push_back({ViewTraits<P>::kDimensions == 2   ? Form::matrix
                            : ViewTraits<P>::kDimensions == 1 ? Form::vector
                                                              : Form::object,
                            number});
    } else {
      parameters.push_back({Form::value, number, sizeof(P)});
    }
  };
  (add(std::type_identity<Params>()), ...);
  return parameters;
}

/// Whether the parameter is of numbers in double precision.
template <class P>
[[nodiscard]] constexpr bool is_double() {
  if constexpr (View<P>) {
    return std::same_as<std::remove_const_t<typename ViewTraits<P>::Element>, double>;
  } else {
    return std::same_as<P, double>;
  }
}

/// A work item for each element of the first datum that is written.
template <class... Params>
[[nodiscard]] WorkItems per_element(const Job& job) {
  std::optional<Shape> written;
  std::size_t number = 0;
  const auto look_at = [&]<class P>(std::type_identity<P>) {
    if constexpr (View<P>) {
      if (!written && !std::is_const_v<typename ViewTraits<P>::Element>) written = job.argument(number).shape;
      ++number;
    }
  };
  (look_at(std::type_identity<Params>()), ...);
  if (!written) return {};
  return {{written->rows, written->columns, 1}, {}};
}

}  // namespace detail

/// An implementation for CPU cores: a function or a lambda that can be called from several threads at once. Its
/// parameters tell what the kernel takes:
///   std::span<T>, Matrix<T>   a registered vector or matrix; T const when it is only read
///   T&                        a registered object
///   anything else by value    a plain value, which is copied at submission; no pointer
/// It may declare `const Job&` before them, and returns nothing.
template <class F>
[[nodiscard]] auto on_cpu(F function) {
  return detail::implement(Processor::cpu, Implementation::Form::computes, std::move(function));
}

/// An implementation for CUDA devices: a function as on_cpu() takes, but its views are of the device's memory, and it
/// asks for its work on Job::queue(), a cudaStream_t, and returns. It may be called by several threads at once, also
/// for one device, which has several streams.
template <class F>
[[nodiscard]] auto on_cuda(F function) {
  return detail::implement(Processor::cuda, Implementation::Form::enqueues, std::move(function));
}

/// An implementation for OpenCL devices that can run functions of the program (CL_EXEC_NATIVE_KERNEL), as CPUs can: a
/// function as on_cpu() takes, which computes in the device's memory. On a thread of the driver: it must not wait for
/// tasks.
template <class F>
[[nodiscard]] auto on_opencl_native(F function) {
  return detail::implement(Processor::opencl, Implementation::Form::native, std::move(function));
}

/// An implementation for OpenCL devices that asks for its work on Job::queue(), a cl_command_queue that keeps the
/// order, and returns. The address of an argument (Job::arguments()) is its cl_mem, in which columns follow each other.
template <class... Params>
[[nodiscard]] TypedImplementation<Params...> on_opencl_queue(std::function<void(const Job&)> enqueue) {
  return {{Processor::opencl, Implementation::Form::enqueues, std::move(enqueue), nullptr}};
}

/// An implementation in OpenCL C: the function `entry` of `text`. For each of the kernel's parameters it has
///   std::span<T>, Matrix<T>, T&   a `global T*`; after it, of a vector, its size, of a matrix, its rows and its
///   columns,
///                                 which follow each other, all of them `uint`
///   anything else                 a plain value of the same layout
/// It is for devices that compute in double precision when any of its parameters has that. `items`: the work items;
/// without it, one for each element of the first datum that the kernel writes, of a matrix in
/// two dimensions.
template <class... Params>
[[nodiscard]] TypedImplementation<Params...> on_opencl(std::string text, std::string entry,
                                                       std::function<WorkItems(const Job&)> items = {}) {
  if (!items) items = detail::per_element<Params...>;
  return {{Processor::opencl,
           Implementation::Form::source,
           {},
           std::make_shared<const OpenClSource>(OpenClSource{std::move(text), std::move(entry),
                                                             detail::opencl_parameters<Params...>(), std::move(items),
                                                             (detail::is_double<Params>() || ...)})}};
}

/// What a task runs: a name and implementations for each kind of processor, all with the same parameters; of several
/// that a class of workers can run, it finds out by trying which is quickest on data of each shape. Copies are the same
/// kernel; tasks of one kernel with data of the same shapes share their history of durations. To be made once: a
/// runtime keeps all that it was given.
template <class... Params>
class Kernel {
 public:
  template <class... Given>
  explicit Kernel(std::string name, Given... given)
      : info_(make_info(std::index_sequence_for<Given...>(), std::move(name), given...)) {}

  [[nodiscard]] const std::shared_ptr<const KernelInfo>& info() const { return info_; }

 private:
  template <std::size_t... I, class... Given>
  static std::shared_ptr<const KernelInfo> make_info(std::index_sequence<I...>, std::string name, Given&... given) {
    static_assert(sizeof...(Given) > 0, "a kernel needs an implementation: on_cpu(function), ...");
    static_assert(
        detail::kChecked<
            typename detail::ImplementationNumber<I + 1>::template Is<Given>::template ForParameters<Params...>...>);
    if constexpr ((... && std::same_as<Given, TypedImplementation<Params...>>)) {
      return std::make_shared<const KernelInfo>(std::move(name),
                                                std::vector<Implementation>{std::move(given.implementation)...});
    } else {
      return nullptr;
    }
  }

  std::shared_ptr<const KernelInfo> info_;
};

template <class... Params, class... More>
Kernel(std::string, TypedImplementation<Params...>, More...) -> Kernel<Params...>;
template <class... Given>
Kernel(std::string, Given...) -> Kernel<detail::Mistaken>;

}  // namespace heddle::runtime
