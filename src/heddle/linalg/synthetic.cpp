#include "heddle/linalg/synthetic.hpp"

#include "heddle/linalg/opencl_program.hpp"
#include "heddle/model/random.hpp"

namespace heddle::linalg {
namespace {

using runtime::Kernel;
using runtime::Matrix;
using runtime::on_cpu;
using runtime::on_opencl;
using runtime::on_opencl_native;
using Element = Synthetic::Element;

/// Keep these numbers apart from others that are made with the same seed.
constexpr std::uint64_t kSteps = 202;
constexpr std::uint64_t kValues = 203;

void add(std::span<const Element> x, std::span<Element> y) {
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += x[i];
}

void subtract(std::span<const Element> x, std::span<Element> y) {
  for (std::size_t i = 0; i < y.size(); ++i) y[i] -= x[i];
}

void scale(Element factor, std::span<Element> y) {
  for (Element& element : y) element *= factor;
}

/// C := C + A B
void multiply(Matrix<const Element> a, Matrix<const Element> b, Matrix<Element> c) {
  for (std::size_t j = 0; j < c.columns; ++j) {
    for (std::size_t k = 0; k < a.columns; ++k) {
      const Element factor = b(k, j);
      for (std::size_t i = 0; i < c.rows; ++i) c(i, j) += a(i, k) * factor;
    }
  }
}

using Vector = std::span<Element>;
using Input = std::span<const Element>;
using InputMatrix = Matrix<const Element>;

struct SyntheticKernels {
  std::string program = opencl::synthetic_program();
  Kernel<Input, Vector> add{"ADD", on_cpu(linalg::add), on_opencl_native(linalg::add),
                            on_opencl<Input, Vector>(program, "add")};
  Kernel<Input, Vector> subtract{"SUBTRACT", on_cpu(linalg::subtract), on_opencl_native(linalg::subtract),
                                 on_opencl<Input, Vector>(program, "subtract")};
  Kernel<Element, Vector> scale{"SCALE", on_cpu(linalg::scale), on_opencl_native(linalg::scale),
                                on_opencl<Element, Vector>(program, "scale")};
  Kernel<InputMatrix, InputMatrix, Matrix<Element>> multiply{
      "MULTIPLY", on_cpu(linalg::multiply), on_opencl_native(linalg::multiply),
      on_opencl<InputMatrix, InputMatrix, Matrix<Element>>(program, "multiply")};
};

const SyntheticKernels& synthetic_kernels() {
  static const SyntheticKernels all;
  return all;
}

Matrix<Element> square(std::vector<Element>& memory, std::size_t side) {
  return {memory.data(), side, side, side};
}

}  // namespace

Synthetic::Synthetic(runtime::Runtime& runtime, std::uint64_t tasks, std::uint64_t seed)
    : runtime_(runtime), tasks_(tasks), seed_(seed), values_(initial()) {
  for (std::vector<Element>& vector : values_.vectors) vectors_.push_back(runtime.data(vector));
  for (std::size_t i = 0; i < values_.matrices.size(); ++i) {
    matrices_.push_back(runtime.data(square(values_.matrices[i], kSides[i / kEach])));
  }
}

Synthetic::Values Synthetic::initial() const {
  Values values;
  const auto fill = [&](std::vector<std::vector<Element>>& all, std::size_t size, std::uint64_t purpose) {
    Random random(seed_, kValues, purpose, all.size());
    std::vector<Element>& datum = all.emplace_back(size);
    for (Element& element : datum) element = static_cast<Element>(random.bits());
  };
  for (const std::size_t length : kLengths) {
    for (std::size_t i = 0; i < kEach; ++i) fill(values.vectors, length, 0);
  }
  for (const std::size_t side : kSides) {
    for (std::size_t i = 0; i < kEach; ++i) fill(values.matrices, side * side, 1);
  }
  return values;
}

Synthetic::Step Synthetic::step(std::uint64_t task) const {
  Random random(seed_, kSteps, task);
  Step step{};
  step.kind = static_cast<Kind>(random.below(4));
  step.size = random.below(kLengths.size());
  // Three different ones: steps around the ring of data, the second longer than the first.
  const std::size_t first = step.size * kEach;
  const std::size_t target = random.below(kEach);
  const std::size_t near = 1 + random.below(kEach - 2);
  const std::size_t far = near + 1 + random.below(kEach - 1 - near);
  step.target = first + target;
  step.first = first + (target + near) % kEach;
  step.second = first + (target + far) % kEach;
  step.factor = static_cast<Element>(random.bits()) | 1;
  return step;
}

void Synthetic::submit() {
  for (std::uint64_t task = 0; task < tasks_; ++task) {
    const Step now = step(task);
    const auto side = static_cast<double>(kSides[now.size]);
    operations_ += now.kind == Kind::multiply ? 2 * side * side * side : static_cast<double>(kLengths[now.size]);
    switch (now.kind) {
      case Kind::add:
        runtime_.submit(synthetic_kernels().add, read(vectors_[now.first]), rw(vectors_[now.target]));
        break;
      case Kind::subtract:
        runtime_.submit(synthetic_kernels().subtract, read(vectors_[now.first]), rw(vectors_[now.target]));
        break;
      case Kind::scale:
        runtime_.submit(synthetic_kernels().scale, now.factor, rw(vectors_[now.target]));
        break;
      case Kind::multiply:
        runtime_.submit(synthetic_kernels().multiply, read(matrices_[now.first]), read(matrices_[now.second]),
                        rw(matrices_[now.target]));
    }
  }
}

std::size_t Synthetic::wrong_data(const Watch& watch) const {
  constexpr std::uint64_t kOften = 1024;
  Values expected = initial();
  for (std::uint64_t task = 0; task < tasks_; ++task) {
    if (watch && task % kOften == 0) watch(static_cast<double>(task) / static_cast<double>(tasks_));
    const Step now = step(task);
    const auto matrix = [&](std::size_t i) { return square(expected.matrices[i], kSides[now.size]); };
    switch (now.kind) {
      case Kind::add:
        add(expected.vectors[now.first], expected.vectors[now.target]);
        break;
      case Kind::subtract:
        subtract(expected.vectors[now.first], expected.vectors[now.target]);
        break;
      case Kind::scale:
        scale(now.factor, expected.vectors[now.target]);
        break;
      case Kind::multiply:
        multiply(matrix(now.first), matrix(now.second), matrix(now.target));
    }
  }
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < values_.vectors.size(); ++i) wrong += values_.vectors[i] != expected.vectors[i] ? 1 : 0;
  for (std::size_t i = 0; i < values_.matrices.size(); ++i) {
    wrong += values_.matrices[i] != expected.matrices[i] ? 1 : 0;
  }
  return wrong;
}

IndependentTasks::IndependentTasks(runtime::Runtime& runtime, std::size_t tasks, std::size_t side, std::uint64_t seed)
    : runtime_(runtime),
      side_(side),
      seed_(seed),
      inputs_{draw(0), draw(1), draw(2)},
      vector_(runtime.data(inputs_[0])),
      first_(runtime.data(square(inputs_[1], side))),
      second_(runtime.data(square(inputs_[2], side))) {
  targets_.reserve(tasks);
  for (std::size_t task = 0; task < tasks; ++task) {
    std::vector<Element>& target = targets_.emplace_back(draw(inputs_.size() + task));
    if (task % kKernels == kKernels - 1) {
      products_.push_back(runtime.data(square(target, side)));
    } else {
      vectors_.push_back(runtime.data(target));
    }
  }
}

std::vector<Element> IndependentTasks::draw(std::uint64_t number) const {
  Random random(seed_, kValues, number);
  std::vector<Element> values(side_ * side_);
  for (Element& value : values) value = static_cast<Element>(random.bits());
  return values;
}

void IndependentTasks::submit() {
  std::size_t vector = 0;
  std::size_t product = 0;
  for (std::size_t task = 0; task < targets_.size(); ++task) {
    switch (task % kKernels) {
      case 0:
        runtime_.submit(synthetic_kernels().add, read(vector_), rw(vectors_[vector++]));
        break;
      case 1:
        runtime_.submit(synthetic_kernels().subtract, read(vector_), rw(vectors_[vector++]));
        break;
      case 2:
        runtime_.submit(synthetic_kernels().scale, kFactor, rw(vectors_[vector++]));
        break;
      default:
        runtime_.submit(synthetic_kernels().multiply, read(first_), read(second_), rw(products_[product++]));
    }
  }
}

std::size_t IndependentTasks::wrong_data() const {
  std::size_t wrong = 0;
  for (std::size_t task = 0; task < targets_.size(); ++task) {
    std::vector<Element> expected = draw(inputs_.size() + task);
    switch (task % kKernels) {
      case 0:
        add(inputs_[0], expected);
        break;
      case 1:
        subtract(inputs_[0], expected);
        break;
      case 2:
        scale(kFactor, expected);
        break;
      default: {
        const InputMatrix a{inputs_[1].data(), side_, side_, side_};
        const InputMatrix b{inputs_[2].data(), side_, side_, side_};
        multiply(a, b, square(expected, side_));
      }
    }
    if (expected != targets_[task]) ++wrong;
  }
  return wrong;
}

}  // namespace heddle::linalg
