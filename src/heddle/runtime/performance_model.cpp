#include "heddle/runtime/performance_model.hpp"

#include <algorithm>

#include "heddle/model/error.hpp"

namespace heddle::runtime {

double size_of(std::span<const Shape> shapes) {
  double size = 0;
  for (const Shape& shape : shapes) size += static_cast<double>(shape.bytes());
  return size;
}

std::optional<PowerLaw> KernelModel::law(std::size_t c) const {
  std::vector<Sample> samples;
  for (const auto& [shapes, signature] : signatures) {
    std::optional<Time> least;
    for (const auto& [name, durations] : signature[c]) {
      if (durations.measured.count() == 0) continue;
      const Time mean = durations.measured.mean();
      least = std::min(least.value_or(mean), mean);
    }
    if (least) samples.push_back({size_of(shapes), *least});
  }
  return fit_power_law(samples);
}

PerformanceModel::PerformanceModel(const Platform& platform, std::optional<History> history, History::Warn warn)
    : history_(std::move(history)), warn_(std::move(warn)) {
  for (const ClassId c : platform.classes()) classes_.push_back(platform.class_name(c));
  if (!history_) return;
  try {
    load();
  } catch (const InputError& error) {
    if (warn_) warn_(error.what());
  }
}

void PerformanceModel::load() {
  for (const Measured& entry : history_->read()) {
    const auto found = std::ranges::find(classes_, entry.class_name);
    if (found == classes_.end()) continue;
    const auto c = static_cast<std::size_t>(found - classes_.begin());
    signature_of(model_of(entry.kernel, entry.shapes), entry.shapes)[c][entry.variant] = {entry.duration,
                                                                                          entry.duration.count()};
  }
}

void PerformanceModel::adopt(std::span<TaskType* const> types) {
  for (TaskType* type : types.subspan(adopted_)) {
    KernelModel& model = model_of(type->kernel->name, type->shapes);
    type->model = &model;
    KernelModel::Signature& signature = signature_of(model, type->shapes);
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      type->variants[c].attach([&](const Implementation& one) -> Estimate& { return signature[c][one.name].measured; });
    }
  }
  adopted_ = types.size();
}

void PerformanceModel::save() {
  if (!history_) return;
  std::vector<Measured> later;
  for (auto& [key, model] : models_) {
    for (auto& [shapes, signature] : model.signatures) {
      for (std::size_t c = 0; c < classes_.size(); ++c) {
        for (auto& [variant, durations] : signature[c]) {
          const Estimate& all = durations.measured;
          const std::uint64_t before = std::exchange(durations.resumed, all.count());
          if (all.count() > before) later.push_back({key.first, shapes, classes_[c], all.since(before), variant});
        }
      }
    }
  }
  try {
    history_->add(later);
  } catch (const InputError& error) {
    if (warn_) warn_(error.what());
  }
}

KernelModel& PerformanceModel::model_of(const std::string& kernel, std::span<const Shape> shapes) {
  std::vector<std::size_t> elements;
  for (const Shape& shape : shapes) elements.push_back(shape.element);
  std::ranges::sort(elements);
  elements.erase(std::ranges::unique(elements).begin(), elements.end());
  return models_[{kernel, std::move(elements)}];
}

KernelModel::Signature& PerformanceModel::signature_of(KernelModel& model, const std::vector<Shape>& shapes) const {
  KernelModel::Signature& signature = model.signatures[shapes];
  signature.resize(classes_.size());
  return signature;
}

}  // namespace heddle::runtime
