#include <nlohmann/json.hpp>
#include <utility>

#include "heddle/cli/diagnosed_run.hpp"
#include "heddle/cli/output.hpp"
#include "heddle/judge/judge.hpp"

namespace heddle::cli {
namespace {

using analysis::Cause;
using analysis::ChainLink;
using Json = nlohmann::ordered_json;

Json json_classes(const DiagnosedRun& diagnosed) {
  const Platform& platform = diagnosed.instance().platform;
  const Table<ClassId, TimeSum>& least = diagnosed.diagnosis.least_data;
  Json classes = Json::array();
  for (const ClassId c : platform.classes()) {
    const analysis::ClassLosses& losses = diagnosed.diagnosis.losses.by_class()[c];
    Json causes = Json::object();
    for (const Cause cause : analysis::kLosses) causes[std::string(to_string(cause))] = json_seconds(losses[cause]);
    Json links = Json::array();
    for (const auto& [from, to, time] : losses.data) {
      links.push_back({{"from", platform.memories()[from].name},
                       {"to", platform.memories()[to].name},
                       {"seconds", json_seconds(time)}});
    }
    classes.push_back({{"name", platform.class_name(c)},
                       {"workers", platform.worker_count(c)},
                       {"kernels", json_seconds(losses[Cause::kernel])},
                       {"losses", std::move(causes)},
                       {"data_by_link", std::move(links)},
                       {"least_data", least.empty() ? Json() : json_seconds(least[c])},
                       {"dual_value", diagnosed.diagnosis.costs.duals[c]},
                       {"unfavourable", diagnosed.diagnosis.costs.unfavourable[c] / static_cast<double>(kSecond)}});
  }
  return classes;
}

Json json_chain(const DiagnosedRun& diagnosed) {
  const Instance& instance = diagnosed.instance();
  Json chain = Json::array();
  for (const ChainLink& link : diagnosed.diagnosis.chain) {
    const Attempt& attempt = diagnosed.run.schedule.attempts[link.attempt];
    chain.push_back({{"task", instance.graph.name(attempt.task)},
                     {"type", instance.graph.type_name(instance.graph.type(attempt.task))},
                     {"worker", instance.platform.worker_name(attempt.worker)},
                     {"start", json_seconds(attempt.start)},
                     {"end", json_seconds(attempt.end)},
                     {"waited", json_seconds(link.waited)},
                     {"for", link.wait == analysis::Wait::nothing ? Json() : Json(to_string(link.wait))}});
  }
  return chain;
}

Json json_outliers(const DiagnosedRun& diagnosed) {
  const Instance& instance = diagnosed.instance();
  Json list = Json::array();
  for (const analysis::Outliers& outliers : diagnosed.diagnosis.outliers) {
    Json slowest = Json::array();
    for (const std::size_t i : outliers.slowest) {
      const Attempt& attempt = diagnosed.run.schedule.attempts[i];
      slowest.push_back({{"task", instance.graph.name(attempt.task)},
                         {"worker", instance.platform.worker_name(attempt.worker)},
                         {"seconds", json_seconds(attempt.end - attempt.start)}});
    }
    list.push_back({{"type", instance.graph.type_name(outliers.type)},
                    {"class", instance.platform.class_name(outliers.on)},
                    {"attempts", outliers.attempts},
                    {"median", json_seconds(outliers.median)},
                    {"limit", json_seconds(outliers.limit)},
                    {"excess", json_seconds(outliers.excess)},
                    {"slowest", std::move(slowest)}});
  }
  return list;
}

Json json_peaks(const DiagnosedRun& diagnosed) {
  Json list = Json::array();
  for (const MemoryId memory : diagnosed.diagnosis.peaks.ids()) {
    const analysis::MemoryPeak& peak = diagnosed.diagnosis.peaks[memory];
    list.push_back({{"memory", diagnosed.instance().platform.memories()[memory].name},
                    {"bytes", peak.bytes},
                    {"at", json_seconds(peak.at)}});
  }
  return list;
}

Json json_leaving(const DiagnosedRun& diagnosed) {
  Json list = Json::array();
  if (!diagnosed.what_if) return list;
  for (const auto& [from, workers] : diagnosed.what_if->leaving) {
    list.push_back({{"class", diagnosed.instance().platform.class_name(from)}, {"workers", workers}});
  }
  return list;
}

void add_what_if(Json& record, const judge::WhatIf& what_if) {
  Json changes = Json::array();
  for (const judge::Change& change : what_if.changes) {
    changes.push_back({{"change", change.what},
                       {"makespan", json_seconds(change.makespan)},
                       {"gain", change.gain ? Json(*change.gain) : Json()},
                       {"policy", change.policy.empty() ? Json() : Json(change.policy)}});
  }
  const bool simulated = !what_if.model.empty();
  record.update({{"what_if", std::move(changes)},
                 {"model_error", simulated ? Json(what_if.model_error) : Json()},
                 {"model", simulated ? Json(what_if.model) : Json()},
                 {"not_simulated", what_if.not_reached}});
}

}  // namespace

Json json_diagnosed(const DiagnosedRun& diagnosed) {
  const Time makespan = diagnosed.makespan();
  Json record{{"run", diagnosed.run.path}};
  record.update(json_record(diagnosed.instance().name, diagnosed.run.loaded.platform));
  const bounds::Bounds& kinds = diagnosed.bounds.kinds;
  const auto best_kind = kinds.best_kind();
  const auto json_ratio = [&](Time bound) {
    const std::optional<double> ratio = ratio_to(bound, makespan);
    return ratio ? Json(*ratio) : Json();
  };
  record.update({{"policy", diagnosed.run.schedule.policy.empty() ? Json() : Json(diagnosed.run.schedule.policy)},
                 {"tasks", diagnosed.instance().graph.task_count()},
                 {"makespan", json_seconds(makespan)},
                 {"replayed", diagnosed.run.is_replayed},
                 {"measured", diagnosed.run.measured ? json_seconds(*diagnosed.run.measured) : Json()},
                 {"bounds", json_bounds(judge::bound_lines(kinds))},
                 {"best_kind", best_kind ? Json(to_string(*best_kind)) : Json()},
                 {"ratio", json_ratio(kinds.best())},
                 {"linked_bound", diagnosed.bounds.linked ? json_seconds(diagnosed.bounds.linked->value) : Json()},
                 {"linked_kind", diagnosed.bounds.linked ? Json(diagnosed.bounds.linked->kind) : Json()},
                 {"linked_ratio", json_ratio(diagnosed.bounds.linked ? diagnosed.bounds.linked->value : 0)},
                 {"verdict", diagnosed.verdict()},
                 {"classes", json_classes(diagnosed)},
                 {"chain", json_chain(diagnosed)},
                 {"outliers", json_outliers(diagnosed)},
                 {"memory_peaks", json_peaks(diagnosed)},
                 {"leaving", json_leaving(diagnosed)}});
  add_what_if(record, diagnosed.what_if.value_or(judge::WhatIf()));
  return record;
}

}  // namespace heddle::cli
