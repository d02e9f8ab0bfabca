#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::io {

/// The formats that are read.
enum class Format : std::uint8_t {
  unknown,
  heddle_instance,
  heddle_schedule,
  heddle_platform,
  heddle_facts,
  hetero_swf,
  stg,
  wfformat,
  starpu_tasks,       ///< tasks.rec
  starpu_data,        ///< data.rec
  starpu_perfmodel,   ///< of one codelet
  starpu_bus_config,  ///< bus/<host>.config
  starpu_bus_matrix,  ///< bus/<host>.bandwidth and .latency look alike
};

/// The name of a format as the command spells it: "heddle-instance", "hetero-swf", ...
[[nodiscard]] std::string_view to_string(Format format);

/// The names of all formats that are read.
[[nodiscard]] std::vector<std::string> format_names();

/// The format with such a name; Format::unknown when there is none.
[[nodiscard]] Format find_format(std::string_view name);

/// What a file's content is, whatever its name; unpacked content, as read_file returns it. Looks at the beginning only,
/// except at a JSON document, which is searched for its "format".
[[nodiscard]] Format detect(std::string_view content);

/// Why `detect` answered unknown, as one sentence for an InputError: what the content looks like, and what is read.
[[nodiscard]] std::string explain_unknown(std::string_view content, std::string_view source);

}  // namespace heddle::io
