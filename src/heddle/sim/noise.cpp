#include <cmath>
#include <vector>

#include "heddle/bounds/bounds.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/options.hpp"
#include "heddle/model/random.hpp"
#include "heddle/model/suggest.hpp"
#include "heddle/sim/simulate.hpp"

namespace heddle::sim {
namespace {

/// What sets these draws apart from others with the same seed.
constexpr std::uint64_t kStream = 0x6e6f697365;  // "noise"

std::string_view cut(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view head = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return head;
}

double parse_amount(std::string_view shape, std::string_view text, double most) {
  const auto amount = parse_number(text);
  if (!amount || !(*amount >= 0 && *amount <= most)) {
    throw InputError("noise '" + std::string(shape) + "' has amount '" + std::string(text) +
                     "'; expected a number from 0 to " + std::to_string(static_cast<int>(most)));
  }
  return *amount;
}

Time scaled(Time duration, double factor) {
  const double product = static_cast<double>(duration) * factor + 0.5;
  if (!(product < 0x1p62)) throw InputError("a duration under noise does not fit in 64 bits of picoseconds (106 days)");
  return static_cast<Time>(product);
}

}  // namespace

Noise::Noise(std::string_view text) {
  if (text.empty() || text == "none") return;
  text_ = text;
  std::string_view rest = text;
  std::string_view first = cut(rest, ',');
  const std::string_view shape = cut(first, ':');
  if (shape == "uniform") {
    shape_ = Shape::uniform;
    amount_ = parse_amount(shape, first, 1);
  } else if (shape == "lognormal") {
    shape_ = Shape::lognormal;
    amount_ = parse_amount(shape, first, 4);
  } else {
    const std::vector<std::string> shapes{"uniform", "lognormal", "none"};
    throw InputError("there is no noise '" + std::string(shape) + "'" + suggest(shape, shapes));
  }
  if (text.ends_with(',')) throw InputError("noise '" + text_ + "' ends with a comma; expected key=value behind it");
  for (const Setting& setting : parse_settings("noise '" + std::string(shape) + "'", rest)) {
    set_option(setting.key, setting.value);
  }
}

void Noise::set_option(std::string_view key, std::string_view value) {
  if (key == "per" && (value == "type" || value == "execution")) {
    per_ = value == "type" ? Per::type : Per::execution;
  } else if (key == "normalized" && (value == "true" || value == "false")) {
    normalized_ = value == "true";
  } else {
    const std::vector<std::string> possible{"per=type", "per=execution", "normalized=true", "normalized=false"};
    const std::string given = std::string(key) + "=" + std::string(value);
    throw InputError("noise has no option '" + given + "'" + suggest(given, possible));
  }
}

Noise::Durations Noise::durations(const Instance& instance, std::uint64_t seed) const {
  return Durations(instance, *this, seed);
}

Noise::Durations::Durations(const Instance& instance, const Noise& noise, std::uint64_t seed)
    : noise_(noise),
      seed_(seed),
      per_execution_(!noise.none() && noise.per_ == Per::execution),
      costs_(instance.costs) {
  if (noise_.none()) return;
  if (!per_execution_) perturb_types(instance);
  if (noise_.normalized_) normalize(instance);
}

Noise::Durations Noise::Durations::estimated(const Instance& instance) {
  Durations durations(instance, {}, 0);
  durations.costs_ = instance.costs.as_estimated();
  return durations;
}

double Noise::Durations::factor(std::uint64_t what, ClassId c, std::uint32_t attempt) const {
  Random random(seed_, kStream, what, index(c), attempt);
  if (noise_.shape_ == Shape::uniform) return random.uniform(1 - noise_.amount_, 1 + noise_.amount_);
  const double s = noise_.amount_;
  return deterministic_exp(s * random.normal() - s * s / 2);
}

Time Noise::Durations::draw(TaskId task, ClassId c, std::uint32_t attempt) const {
  return scaled(costs_.actual(task, c), scale_ * factor(index(task), c, attempt));
}

/// A row belongs to one type: its own, or that of the only task that has it.
void Noise::Durations::perturb_types(const Instance& instance) {
  std::vector<TypeId> type_of_row(costs_.row_count());
  for (const TypeId type : instance.graph.types()) type_of_row[Costs::row(type)] = type;
  for (const TaskId task : instance.graph.tasks()) type_of_row[costs_.row(task)] = instance.graph.type(task);
  for (std::uint32_t row = 0; row < costs_.row_count(); ++row) {
    for (const ClassId c : ids<ClassId>(costs_.class_count())) {
      const Time duration = instance.costs.actual_row(row)[index(c)];
      if (duration == kCannotRun) continue;
      costs_.set_actual(row, c, scaled(duration, factor(index(type_of_row[row]), c, 0)));
    }
  }
}

/// Scales what was drawn so that the area bound is that of the instance; per execution, that of the first attempts.
void Noise::Durations::normalize(const Instance& instance) {
  Instance perturbed = instance;
  if (per_execution_) {
    for (const TaskId task : instance.graph.tasks()) {
      const std::uint32_t row = perturbed.costs.own_row(task);
      for (const ClassId c : instance.platform.classes()) {
        if (instance.costs.can_run(task, c)) perturbed.costs.set_actual(row, c, draw(task, c, 0));
      }
    }
  } else {
    perturbed.costs = costs_;
  }
  const Time drawn = bounds::area_bound(perturbed).value;
  if (drawn == 0) return;
  scale_ = static_cast<double>(bounds::area_bound(instance).value) / static_cast<double>(drawn);
  if (per_execution_) return;
  for (std::uint32_t row = 0; row < costs_.row_count(); ++row) {
    for (const ClassId c : ids<ClassId>(costs_.class_count())) {
      const Time duration = costs_.actual_row(row)[index(c)];
      if (duration != kCannotRun) costs_.set_actual(row, c, scaled(duration, scale_));
    }
  }
}

}  // namespace heddle::sim
