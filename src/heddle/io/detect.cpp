#include "heddle/io/detect.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

#include "heddle/io/json.hpp"
#include "heddle/io/starpu/recognise.hpp"
#include "heddle/io/text.hpp"
#include "heddle/model/error.hpp"

namespace heddle::io {
namespace {

struct Name {
  Format format;
  std::string_view name;
};

/// In the order in which they are listed to people.
constexpr std::array kNames = {
    Name{Format::heddle_instance, "heddle-instance"},
    Name{Format::heddle_schedule, "heddle-schedule"},
    Name{Format::heddle_platform, "heddle-platform"},
    Name{Format::heddle_facts, "heddle-facts"},
    Name{Format::hetero_swf, "hetero-swf"},
    Name{Format::stg, "stg"},
    Name{Format::wfformat, "wfformat"},
    Name{Format::starpu_tasks, "starpu-tasks"},
    Name{Format::starpu_data, "starpu-data"},
    Name{Format::starpu_perfmodel, "starpu-perfmodel"},
    Name{Format::starpu_bus_config, "starpu-bus-config"},
    Name{Format::starpu_bus_matrix, "starpu-bus-matrix"},
};

bool is_json(std::string_view content) {
  const std::size_t first = content.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && content[first] == '{';
}

/// The first lines that are not blank, taken apart. No more is needed to tell the formats of numbers from each other,
/// and of a file without line ends (it may be anything) only the beginning is looked at.
std::vector<std::vector<std::string_view>> first_lines(std::string_view content) {
  constexpr std::size_t kLines = 20;
  constexpr std::size_t kBytes = std::size_t{1} << 20;
  if (content.size() > kBytes) {
    content = content.substr(0, kBytes);
    content = content.substr(0, content.rfind('\n') + 1);
  }
  Lines lines(content, "");
  std::vector<std::vector<std::string_view>> result;
  std::vector<std::string_view> fields;
  while (const auto line = lines.next()) {
    split(*line, kBlanks, fields);
    if (!fields.empty()) result.push_back(fields);
    if (result.size() == kLines) break;
  }
  return result;
}

bool is_integer(std::string_view text) {
  return parse_integer(text).has_value();
}

bool is_number(std::string_view text) {
  try {
    return parse_time(text).has_value();
  } catch (const std::out_of_range&) {
    return true;
  }
}

/// Every line starts with an integer and at least 2 numbers.
bool is_hetero_swf(std::string_view content) {
  const auto lines = first_lines(content);
  const auto fits = [](const std::vector<std::string_view>& fields) {
    return fields.size() >= 3 && is_integer(fields[0]) && is_number(fields[1]) && is_number(fields[2]);
  };
  return !lines.empty() && std::ranges::all_of(lines, fits);
}

/// A lone integer, then `id time count ...`.
bool is_stg(std::string_view content) {
  const auto lines = first_lines(content);
  if (lines.size() < 2 || lines[0].size() != 1 || !is_integer(lines[0][0])) return false;
  const auto fits = [](const std::vector<std::string_view>& fields) {
    const bool is_comment = fields[0].front() == '#';
    return is_comment || (fields.size() >= 3 && is_integer(fields[0]) && is_number(fields[1]) && is_integer(fields[2]));
  };
  return std::all_of(lines.begin() + 1, lines.end(), fits);
}

struct Recogniser {
  Format format;
  bool (*recognises)(std::string_view content);
};

/// Those that are no JSON, asked in this order.
constexpr std::array kRecognisers = {
    Recogniser{Format::hetero_swf, is_hetero_swf},
    Recogniser{Format::stg, is_stg},
    Recogniser{Format::starpu_tasks, looks_like_tasks_rec},
    Recogniser{Format::starpu_data, looks_like_data_rec},
    Recogniser{Format::starpu_perfmodel, looks_like_perfmodel},
    Recogniser{Format::starpu_bus_config, looks_like_bus_config},
    Recogniser{Format::starpu_bus_matrix, looks_like_bus_matrix},
};

}  // namespace

std::string_view to_string(Format format) {
  const auto name = std::ranges::find(kNames, format, &Name::format);
  return name == kNames.end() ? "unknown" : name->name;
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const Name& name : kNames) names.emplace_back(name.name);
  return names;
}

Format find_format(std::string_view name) {
  const auto found = std::ranges::find(kNames, name, &Name::name);
  return found == kNames.end() ? Format::unknown : found->format;
}

Format detect(std::string_view content) {
  if (is_json(content)) {
    const std::string format = find_string_member(content, "format");
    if (format.starts_with("heddle-")) return find_format(format);
    return find_string_member(content, "schemaVersion").empty() ? Format::unknown : Format::wfformat;
  }
  const auto found = std::ranges::find_if(kRecognisers, [&](const Recogniser& r) { return r.recognises(content); });
  return found == kRecognisers.end() ? Format::unknown : found->format;
}

std::string explain_unknown(std::string_view content, std::string_view source) {
  std::string looks = "the content is of no known format";
  if (content.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    looks = "the file is empty";
  } else if (content.substr(0, 4096).find('\0') != std::string_view::npos) {
    looks = "the file is binary";
  } else if (is_json(content)) {
    try {
      const JsonDocument document(content, source);
      looks = "the file is JSON, but its \"format\" names none of Heddle's";
    } catch (const InputError& error) {
      return error.what();
    }
  }
  std::string known;
  for (const Name& name : kNames) known += (known.empty() ? "" : ", ") + std::string(name.name);
  return std::string(source) + ": " + looks + "; what is read: " + known;
}

}  // namespace heddle::io
