#pragma once

#include <string>

namespace heddle::test {

/// A record of `tasks.rec` put together field by field: `record("7", {.order = 3, .depends_on = "5 6"})`.
struct RecordFields {
  std::string name = "GEMM";
  std::string model = "gemm_model";
  int order = 0;  ///< SubmitOrder; 0 for none
  std::string depends_on{};
  std::string handles{};
  std::string modes{};
  std::string sizes{};
  std::string footprint = "24c84a50";
  std::string extra{};  ///< further lines
  bool ran = true;
};

inline std::string field(const std::string& name, const std::string& value) {
  return value.empty() ? "" : name + ": " + value + "\n";
}

inline std::string record(const std::string& job, const RecordFields& fields = {}) {
  return field("Name", fields.name) + field("Model", fields.model) + field("JobId", job) +
         field("SubmitOrder", fields.order > 0 ? std::to_string(fields.order) : "") +
         field("DependsOn", fields.depends_on) + field("WorkerId", fields.ran ? "0" : "") +
         field("Footprint", fields.footprint) + field("Handles", fields.handles) + field("Modes", fields.modes) +
         field("Sizes", fields.sizes) + fields.extra + "\n";
}

/// One that never ran: it only orders others.
inline std::string sync(const std::string& job, const std::string& depends_on = "", int order = 0) {
  return record(job, {.name = "_starpu_data_acquire_post",
                      .model = "",
                      .order = order,
                      .depends_on = depends_on,
                      .footprint = "0",
                      .ran = false});
}

}  // namespace heddle::test
