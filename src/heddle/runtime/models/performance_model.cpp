#include "heddle/runtime/models/performance_model.hpp"

#include <algorithm>

#include "heddle/model/error.hpp"

namespace heddle::runtime {

double size_of(std::span<const Shape> shapes) {
  double size = 0;
  for (const Shape& shape : shapes) size += static_cast<double>(shape.bytes());
  return size;
}

const std::optional<PowerLaw>& KernelModel::law(std::size_t c) {
  constexpr std::size_t kShapesPerQuestion = 8;
  if (c >= fits_.size()) fits_.resize(c + 1);
  Fit& fit = fits_[c];
  if (++fit.questions <= fit.measured.size() / kShapesPerQuestion && fit.law) return fit.law;
  fit.questions = 0;
  std::vector<Sample> samples;
  for (const auto* const entry : fit.measured) {
    Time least = kMaxTime;
    for (const auto& [name, durations] : entry->second[c]) {
      if (durations.measured.count() > 0) least = std::min(least, durations.measured.mean());
    }
    samples.push_back({size_of(entry->first), least});
  }
  fit.law = fit_power_law(samples);
  return fit.law;
}

void KernelModel::note_measured(const std::vector<Shape>& shapes, std::size_t c) {
  const auto entry = signatures.find(shapes);
  const auto is_measured = [](const auto& variant) { return variant.second.measured.count() > 0; };
  if (std::ranges::count_if(entry->second[c], is_measured) > 1) return;  // it was, with another implementation
  if (c >= fits_.size()) fits_.resize(c + 1);
  fits_[c].measured.push_back(&*entry);
}

PerformanceModel::PerformanceModel(const Platform& platform, std::optional<History> history, History::Warn warn)
    : history_(std::move(history)), warn_(std::move(warn)) {
  for (const ClassId c : platform.classes()) classes_.push_back(platform.class_name(c));
  if (!history_) return;
  try {
    load();
  } catch (const InputError& error) {
    if (warn_) warn_(error.what());
    history_.reset();
  }
}

void PerformanceModel::load() {
  for (const Measured& entry : history_->read()) {
    const auto found = std::ranges::find(classes_, entry.class_name);
    if (found == classes_.end()) continue;
    const auto c = static_cast<std::size_t>(found - classes_.begin());
    KernelModel& model = model_of(entry.kernel, entry.shapes);
    signature_of(model, entry.shapes)[c][entry.variant] = {entry.duration, entry.duration.count()};
    model.note_measured(entry.shapes, c);
  }
}

void PerformanceModel::adopt(std::span<TaskType* const> types) {
  for (TaskType* type : types) {
    KernelModel& model = model_of(type->kernel->name, type->shapes);
    type->model = &model;
    KernelModel::Signature& signature = signature_of(model, type->shapes);
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      type->variants[c].attach([&](const Implementation& one) -> Estimate& { return signature[c][one.name].measured; });
    }
  }
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
