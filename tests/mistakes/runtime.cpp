// Typical mistakes, and how each is put right. Where a mistake is made (-D its name), the first error is the sentence
// in the first comment, and the compiler names the template in the second one, where there is one; where none is made,
// all of this compiles. check.py reads this file and tries them one by one.
#include "heddle/runtime/runtime.hpp"

#include <array>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

using namespace heddle::runtime;

namespace {

struct alignas(64) Wide {
  double value;
};

// Kernels.
#ifdef POINTER_PARAMETER
// a kernel does not take pointers
// ParameterNumber<2>::Is<double*>
const auto of_numbers = on_cpu([](double, double*) {});
#else
const auto of_numbers = on_cpu([](double, std::span<double>) {});
#endif

#ifdef VECTOR_PARAMETER
// a kernel takes views of registered data (std::span<T>, Matrix<T>, T&) and plain values
// ParameterNumber<1>::Is<std::vector<double>&>
const auto of_vector = on_cpu([](std::vector<double>&) {});
#else
const auto of_vector = on_cpu([](std::span<double>) {});
#endif

#ifdef STRING_PARAMETER
// a kernel takes views of registered data (std::span<T>, Matrix<T>, T&) and plain values
// ParameterNumber<2>::Is<std::string>
const auto of_text = on_cpu([](int&, std::string) {});
#else
const auto of_text = on_cpu([](int&, std::array<char, 16>) {});
#endif

#ifdef OPENCL_PARAMETER
// a kernel does not take pointers
// ParameterNumber<1>::Is<float*>
const auto of_source = on_opencl<float*>("kernel void f(global float* x) {}", "f");
#else
const auto of_source = on_opencl<std::span<float>>("kernel void f(global float* x, uint n) {}", "f");
#endif

#ifdef RVALUE_PARAMETER
// a kernel does not take T&&
// ParameterNumber<1>::Is<int&&>
const auto of_rvalue = on_cpu([](int&&) {});
#else
const auto of_rvalue = on_cpu([](int) {});
#endif

#ifdef VIEW_BY_REFERENCE
// a kernel takes views by value
// ParameterNumber<1>::Is<const Matrix<double>&>
const auto of_matrix = on_cpu([](const Matrix<double>&) {});
#else
const auto of_matrix = on_cpu([](Matrix<double>) {});
#endif

#ifdef FIXED_SPAN
// a kernel takes a vector as std::span<T>
// ParameterNumber<1>::Is<std::span<int, 4>>
const auto of_four = on_cpu([](std::span<int, 4>) {});
#else
const auto of_four = on_cpu([](std::array<int, 4>&) {});
#endif

#ifdef OWNING_ELEMENTS
// the elements of data must be trivially copyable
// ParameterNumber<1>::Is<std::span<std::string>>
const auto of_strings = on_cpu([](std::span<std::string>) {});
#else
const auto of_strings = on_cpu([](std::span<char>) {});
#endif

#ifdef ALIGNED_VALUE
// a kernel takes no plain values that are aligned more strictly
// ParameterNumber<1>::Is<
const auto of_wide = on_cpu([](Wide) {});
#else
const auto of_wide = on_cpu([](Wide&) {});
#endif

#ifdef JOB_BY_VALUE
// a kernel takes the job as its first parameter, declared as const Job&
// ParameterNumber<1>::Is<Job>
const auto of_job = on_cpu([](Job, int&) {});
#else
const auto of_job = on_cpu([](const Job&, int&) {});
#endif

#ifdef JOB_LAST
// a kernel takes the job as its first parameter, declared as const Job&
// ParameterNumber<2>::Is<const Job&>
const auto job_last = on_cpu([](int&, const Job&) {});
#else
const auto job_last = on_cpu([](const Job&, int&) {});
#endif

#ifdef GENERIC_LAMBDA
// a kernel is a function, or an object with one operator() that is not a template
// FunctionOfKernel<
const auto generic = on_cpu([](auto x) { x[0] = 1; });
#else
const auto generic = on_cpu([](std::span<int> x) { x[0] = 1; });
#endif

#ifdef NO_FUNCTION
// a kernel is a function, or an object with one operator() that is not a template
// FunctionOfKernel<int>
const auto number = on_cpu(7);
#else
const auto number = on_cpu([] {});
#endif

#ifdef MUTABLE_LAMBDA
// the operator() of a kernel must be const
// FunctionOfKernel<
const auto counts = on_cpu([calls = 0](int& x) mutable { x = ++calls; });
#else
const auto counts = on_cpu([](int& calls, int& x) { x = ++calls; });
#endif

#ifdef RESULT
// a kernel returns void
// FunctionOfKernel<
const auto twice = on_cuda([](double x) { return 2 * x; });
#else
const auto twice = on_cuda([](double x, double& result) { result = 2 * x; });
#endif

#ifdef UNIQUE_CAPTURE
// a kernel must be copyable
// FunctionOfKernel<
const auto owner = on_opencl_native([kept = std::make_unique<int>(1)](int& x) { x = *kept; });
#else
const auto owner = on_opencl_native([kept = std::make_shared<int>(1)](int& x) { x = *kept; });
#endif

#ifdef DIFFERENT_IMPLEMENTATIONS
// all implementations of a kernel have the same parameters
// ImplementationNumber<2>::Is<TypedImplementation<const float&>>::ForParameters<const double&>
const Kernel two("two", on_cpu([](const double&) {}), on_cuda([](const float&) {}));
#else
const Kernel two("two", on_cpu([](const double&) {}), on_cuda([](const double&) {}));
#endif

#ifdef OTHER_PARAMETERS
// all implementations of a kernel have the same parameters
// ImplementationNumber<1>::Is<TypedImplementation<int&>>::ForParameters<int>
const Kernel<int> other("other", on_cpu([](int&) {}));
#else
const Kernel<int&> other("other", on_cpu([](int&) {}));
#endif

#ifdef NO_IMPLEMENTATION
// a kernel needs an implementation
const Kernel none("none");
#else
const Kernel none("none", on_cpu([] {}));
#endif

#ifdef BARE_LAMBDA
// a kernel is given its name, then its implementations: on_cpu(function), ...
// ImplementationNumber<1>::Is<
const Kernel bare("bare", [](int&) {});
#else
const Kernel bare("bare", on_cpu([](int&) {}));
#endif

// Data and tasks.
const Kernel axpy("axpy", on_cpu([](double, std::span<const double>, std::span<double>) {}));
const Kernel add("add", on_cpu([](const double&, double&) {}));
const Kernel scale("scale", on_cpu([](double, Matrix<double>) {}));
const Kernel count("count", on_cpu([](int, int&) {}));
const Kernel fill("fill", on_cpu([](std::size_t, float, bool) {}));

[[maybe_unused]] void tasks(Runtime& runtime) {
  std::vector<double> x(8), y(8);
  std::vector<float> floats(8);
  double sum = 0;
  int number = 0;
  const auto dx = runtime.data(x);
  const auto dy = runtime.data(std::span(y));
  const auto df = runtime.data(floats);
  auto dsum = runtime.data(sum);
  const auto dnumber = runtime.data(number);
  const auto constant = runtime.data(std::span<const double>(x));
  const Matrix<double> matrix{x.data(), 2, 4, 2};
  const auto dmatrix = runtime.data(matrix);
  std::stop_source stop;

  runtime.submit(axpy, 2, read(constant), commute(dy), priority(3), named("axpy"), until(stop.get_token()));

#ifdef ELEMENT_TYPE
  // the data is of another type than the kernel's parameter
  // ArgumentNumber<3>::Is<Use<std::span<float>, AccessMode::read_write>>::For<std::span<double>>
  runtime.submit(axpy, 2.0, read(dx), rw(df));
#else
  runtime.submit(axpy, 2.0, read(dx), rw(dy));
#endif

#ifdef UNREGISTERED_VECTOR
  // the kernel expects registered data
  // ArgumentNumber<2>::Is<std::vector<double>>::For<std::span<const double>>
  runtime.submit(axpy, 2.0, x, rw(dy));
#else
  runtime.submit(axpy, 2.0, read(dx), rw(dy));
#endif

#ifdef UNREGISTERED_SPAN
  // the kernel expects registered data
  // ArgumentNumber<3>::Is<std::span<double>>::For<std::span<double>>
  runtime.submit(axpy, 2.0, read(dx), std::span(y));
#else
  runtime.submit(axpy, 2.0, read(dx), rw(dy));
#endif

#ifdef UNREGISTERED_MATRIX
  // the kernel expects registered data
  // ArgumentNumber<2>::Is<Matrix<double>>::For<Matrix<double>>
  runtime.submit(scale, 2.0, matrix);
#else
  runtime.submit(scale, 2.0, rw(dmatrix));
#endif

#ifdef UNREGISTERED_NUMBER
  // the kernel expects registered data
  // ArgumentNumber<1>::Is<double>::For<const double&>
  runtime.submit(add, 1.0, rw(dsum));
#else
  double one = 1;
  const auto done = runtime.data(one);
  runtime.submit(add, read(done), rw(dsum));
#endif

#ifdef NO_ACCESS_MODE
  // data needs an access mode
  // ArgumentNumber<2>::Is<Data<std::span<double>>>::For<std::span<const double>>
  runtime.submit(axpy, 2.0, dx, rw(dy));
#else
  runtime.submit(axpy, 2.0, read(dx), rw(dy));
#endif

#ifdef NO_ACCESS_MODE_ALSO
  // data needs an access mode
  // UseOf<Data<double&>>
  runtime.submit(none, also({dsum}));
#else
  runtime.submit(none, also({rw(dsum)}));
#endif

#ifdef WRITES_CONST_PARAMETER
  // the kernel's parameter is const, so it only reads the data
  // ArgumentNumber<2>::Is<Use<std::span<double>, AccessMode::read_write>>::For<std::span<const double>>
  runtime.submit(axpy, 2.0, rw(dx), rw(dy));
#else
  runtime.submit(axpy, 2.0, read(dx), rw(dy));
#endif

#ifdef READS_WHAT_IS_WRITTEN
  // the kernel's parameter is not const, so it writes the data
  // ArgumentNumber<2>::Is<Use<double&, AccessMode::read>>::For<double&>
  runtime.submit(add, read(dsum), read(dsum));
#else
  runtime.submit(add, read(dsum), rw(dsum));
#endif

#ifdef WRITES_CONST_DATA
  // data that was registered as const (std::span<const T> for example) can only be read
  // Use<std::span<const double>, AccessMode::write>
  runtime.submit(axpy, 2.0, read(dx), write(constant));
#else
  runtime.submit(axpy, 2.0, read(constant), write(dy));
#endif

#ifdef DATA_FOR_VALUE
  // the kernel expects a plain value
  // ArgumentNumber<1>::Is<Use<int&, AccessMode::read>>::For<int>
  runtime.submit(count, read(dnumber), rw(dnumber));
#else
  runtime.submit(count, 1, rw(dnumber));
#endif

#ifdef OTHER_VALUE
  // the argument cannot be converted to the kernel's parameter
  // ArgumentNumber<1>::Is<char[4]>::For<int>
  runtime.submit(count, "one", rw(dnumber));
#else
  runtime.submit(count, 1, rw(dnumber));
#endif

#ifdef FRACTION_FOR_INTEGER
  // the kernel's parameter cannot hold every value of the argument's type
  // ArgumentNumber<1>::Is<double>::For<int>
  runtime.submit(count, 3.7e12, rw(dnumber));
#else
  runtime.submit(count, static_cast<int>(3.7e6), rw(dnumber));
#endif

#ifdef SIGNED_FOR_UNSIGNED
  // the kernel's parameter cannot hold every value of the argument's type
  // ArgumentNumber<1>::Is<int>::For<unsigned long>
  runtime.submit(fill, -1, 1.0F, true);
#else
  runtime.submit(fill, 1U, 1.0F, true);
#endif

#ifdef DOUBLE_FOR_FLOAT
  // the kernel's parameter cannot hold every value of the argument's type
  // ArgumentNumber<2>::Is<double>::For<float>
  runtime.submit(fill, 1U, 0.1, true);
#else
  runtime.submit(fill, 1U, short{1}, true);
#endif

#ifdef POINTER_FOR_BOOL
  // the kernel's parameter cannot hold every value of the argument's type
  // ArgumentNumber<3>::Is<double*>::For<bool>
  runtime.submit(fill, 1U, 1.0F, x.data());
#else
  runtime.submit(fill, 1U, 1.0F, x.data() != nullptr);
#endif

#ifdef MISSING_ARGUMENT
  // an argument is missing: the kernel has more parameters
  // ArgumentNumber<3>::Is<Missing>::For<std::span<double>>
  runtime.submit(axpy, 2.0, read(dx));
#else
  runtime.submit(axpy, 2.0, read(dx), rw(dy));
#endif

#ifdef MISSING_BEFORE_OPTION
  // an option (priority, after, also, on_done, named, until, in) stands where the kernel expects an argument
  // ArgumentNumber<3>::Is<Priority>::For<std::span<double>>
  runtime.submit(axpy, 2.0, read(dx), priority(1));
#else
  runtime.submit(axpy, 2.0, read(dx), rw(dy), priority(1));
#endif

#ifdef OPTION_FIRST
  // an option (priority, after, also, on_done, named, until, in) stands where the kernel expects an argument
  // ArgumentNumber<1>::Is<Named>::For<int>
  runtime.submit(count, named("first"), 1, rw(dnumber));
#else
  runtime.submit(count, 1, rw(dnumber), named("first"));
#endif

#ifdef SURPLUS_VALUE
  // the kernel has no parameter for this argument
  // ArgumentNumber<3>::Is<int>::AsOption
  runtime.submit(count, 1, rw(dnumber), 7);
#else
  runtime.submit(count, 1, rw(dnumber), priority(7));
#endif

#ifdef SURPLUS_DATA
  // the kernel has no parameter for this argument
  // ArgumentNumber<3>::Is<Use<double&, AccessMode::read>>::AsOption
  runtime.submit(count, 1, rw(dnumber), read(dsum));
#else
  runtime.submit(count, 1, rw(dnumber), also({read(dsum)}));
#endif

#ifdef OPTION_TWICE
  // a task has one priority, one on_done, one name, one until and one context
  // OptionOfTask<Priority>::Times<2>
  runtime.submit(count, 1, rw(dnumber), priority(1), priority(2));
#else
  runtime.submit(count, 1, rw(dnumber), priority(2));
#endif

#ifdef TEMPORARY_HANDLE
  // the destructor of a temporary handle waits for the task
  // AccessTo<Data<std::span<float>>>
  runtime.submit(none, also({write(runtime.data(floats))}));
#else
  runtime.submit(none, also({write(df)}));
#endif

#ifdef ACCESS_TO_MEMORY
  // a task accesses registered data
  // AccessTo<std::vector<double>&>
  runtime.submit(axpy, 2.0, read(x), rw(dy));
#else
  runtime.submit(axpy, 2.0, read(dx), rw(dy));
#endif

#ifdef TEMPORARY_VECTOR
  // a temporary object cannot be registered
  // RegistrationOf<std::vector<double>>
  const auto result = runtime.data(std::vector<double>(8));
#else
  std::vector<double> values(8);
  const auto result = runtime.data(values);
#endif
  runtime.submit(axpy, 2.0, read(dx), rw(result));

#ifdef TEMPORARY_NUMBER
  // a temporary object cannot be registered
  // RegistrationOf<double>
  const auto zero = runtime.data(0.0);
#else
  const double nothing = 0;
  const auto zero = runtime.data(nothing);
#endif
  runtime.submit(add, read(zero), rw(dsum));

#ifdef POINTER_AS_DATA
  // a pointer does not tell how much it points to
  // RegistrationOf<double*&>
  double* pointer = x.data();
  const auto part = runtime.data(pointer);
#else
  const auto part = runtime.data(std::span(x.data(), 4));
#endif
  runtime.submit(axpy, 2.0, read(dx), rw(part));

#ifdef FIXED_SPAN_AS_DATA
  // nor is a std::span<T, N> registered
  // RegistrationOf<std::span<double, 4>&>
  std::span<double, 4> four(x.data(), 4);
  const auto dfour = runtime.data(four);
#else
  std::span<double> four(x.data(), 4);
  const auto dfour = runtime.data(four);
#endif
  runtime.submit(axpy, 2.0, read(dx), rw(dfour));

#ifdef STRING_AS_DATA
  // a registered object must be trivially copyable
  // RegistrationOf<std::string&>
  std::string text(8, ' ');
  const auto letters = runtime.data(text);
#else
  std::string text(8, ' ');
  const auto letters = runtime.data(std::span<char>(text));
#endif
  runtime.submit(none, also({rw(letters)}));

#ifdef NO_KERNEL
  // a task runs a kernel, which is made once
  // SubmissionOf<
  runtime.submit([](double&) {}, rw(dsum));
#else
  runtime.submit(Kernel("set", on_cpu([](double&) {})), rw(dsum));
#endif

#ifdef AFTER_ONE
  // after takes a list of tasks: after({task})
  runtime.submit(none, after(runtime.submit(none)));
#else
  runtime.submit(none, after({runtime.submit(none)}));
#endif

#ifdef FRACTIONAL_PRIORITY
  // a priority is an integer
  runtime.submit(none, priority(0.5));
#else
  runtime.submit(none, priority(x.size()));
#endif

#ifdef UNTIL_SOURCE
  // until takes a std::stop_token
  runtime.submit(none, until(stop));
#else
  runtime.submit(none, until(stop.get_token()));
#endif

#ifdef ON_DONE_WITH_PARAMETER
  // on_done takes a function without parameters that can be copied
  runtime.submit(none, on_done([](int) {}));
#else
  runtime.submit(none, on_done([] {}));
#endif

#ifdef COMBINES_ONE
  // combine must be callable as combine(T&, const T&)
  dsum.reduce_with(0.0, [](double&) {});
#else
  dsum.reduce_with(0.0, [](double& into, const double& from) { into += from; });
#endif
}

}  // namespace
