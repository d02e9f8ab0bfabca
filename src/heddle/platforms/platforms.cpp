#include "heddle/platforms/platforms.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "heddle/io/platform_file.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/options.hpp"
#include "heddle/model/suggest.hpp"
#include "heddle/platforms/files/embedded.hpp"
#include "heddle/platforms/worker_counts.hpp"

namespace heddle::platforms {
namespace {

constexpr std::string_view kCounts = "counts";

constexpr std::array<Entry, 7> kEntries{{
    {"kumar-2017", "20 cores of Xeon E5-2680, also in groups of 2, 5 and 10, and 4 Tesla K40: published rates."},
    {"mirage", "12 cores of Xeon X5650 and 3 Tesla M2070: StarPU's measurements."},
    {"mirage-relative", "9 cores of Xeon X5650 and 3 Tesla M2070: published acceleration factors of Cholesky."},
    {"sirocco", "24 cores of Xeon E5-2680 and 4 Tesla K40: StarPU's measurements."},
    {"idgraf", "12 cores of Xeon X5650 and 8 Tesla C2050: StarPU's measurements."},
    {"attila", "12 cores of Xeon X5650 and 3 Tesla C2050: StarPU's measurements."},
    {"hannibal", "3 Quadro FX5800, no CPU: StarPU's measurements."},
}};

[[noreturn]] void fail_unknown(const std::string& name) {
  std::vector<std::string> names;
  for (const Entry& entry : entries()) names.emplace_back(entry.name);
  names.emplace_back(kCounts);
  throw InputError("there is no platform '" + name + "'" + suggest(name, names));
}

std::string_view name_of(std::string_view text) {
  return text.substr(0, text.find(':'));
}

Machine bare_machine(std::span<const Setting> counts) {
  Machine machine;
  machine.name = kCounts;
  if (counts.empty()) {
    throw InputError("platform 'counts' needs the number of workers of each class, e.g. counts:cpu=16,gpu=4");
  }
  for (const Setting& count : counts) {
    if (count.key == "links") throw InputError("platform 'counts' has no links; a platform file can have some");
    check_class_name("platform 'counts'", count.key);
    ResourceClass one;
    one.name = count.key;
    one.workers = parse_workers("platform 'counts'", count);
    if (!one.name.starts_with("cpu")) one.memory = ResourceClass::kEach;
    machine.classes.push_back(std::move(one));
  }
  return without_idle_classes(configure(std::move(machine), "", Links::off));
}

}  // namespace

std::span<const Entry> entries() {
  return kEntries;
}

Machine builtin(std::string_view name) {
  const std::string file = std::string(name) + ".json";
  const auto found = std::ranges::find(files::files(), file, &files::File::name);
  if (found == files::files().end()) fail_unknown(std::string(name));
  return io::read_platform(found->text, file);
}

Machine resolve(std::string_view text) {
  const std::string_view name = name_of(text);
  if (name == kCounts) return bare_machine(parse_spec("platform", text).settings);
  const std::string_view settings = text.substr(std::min(text.size(), name.size() + 1));
  return without_idle_classes(configure(builtin(name), settings, Links::off));
}

bool is_known(std::string_view text) {
  return name_of(text) == kCounts || std::ranges::find(kEntries, name_of(text), &Entry::name) != kEntries.end();
}

}  // namespace heddle::platforms
