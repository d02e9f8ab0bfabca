#include "heddle/io/starpu/performance_model.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>

#include "heddle/io/starpu/footprint.hpp"
#include "heddle/io/starpu/values.hpp"
#include "heddle/io/text.hpp"

namespace heddle::io {
namespace {

constexpr std::int64_t kVersion = 45;
constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kCpuDevice = 0;
constexpr std::int64_t kCudaDevice = 1;

/// The samples of one footprint on one device, or on all devices of a class.
struct Samples {
  double total = 0;  ///< microseconds
  std::uint64_t count = 0;
};

/// Of a class: the number of its device, where these are classes of their own; another number for the cores.
using ClassKey = std::int64_t;
constexpr ClassKey kCores = -1;
constexpr ClassKey kAllDevices = 0;

/// How long a footprint takes on each class.
struct Row {
  std::uint32_t footprint;
  std::int64_t bytes;
  std::map<ClassKey, Samples> by_class{};
};

/// One entry of a history.
struct Entry {
  std::uint32_t footprint;
  std::int64_t bytes;
  double mean;  ///< microseconds
  std::uint64_t count;
};

/// The mean, rounded to 0.1 ns. Binary floating point, rounded by its decimal text, is how the facts behind the
/// built-in platforms were pooled; exact fractions would differ from them where the mean lies half way.
Time mean_of(const Samples& samples) {
  std::array<char, 64> text{};
  const double mean = samples.total / static_cast<double>(samples.count);
  const char* const end = std::to_chars(text.begin(), text.end(), mean, std::chars_format::fixed, 4).ptr;
  return parse_time({text.begin(), end}, kMicrosecond).value_or(0);
}

class ModelReader {
 public:
  ModelReader(std::string_view text, std::string_view source, Devices devices)
      : values_(text, source), devices_(devices) {}

  PerformanceModel read() {
    if (values_.at_end()) {
      model_.warnings.emplace_back("the file is empty");
      return std::move(model_);
    }
    values_.expect_integer("45, the version of the format that is read", kVersion, kVersion);
    const std::int64_t combinations = values_.expect_integer("the number of device combinations", 0, kLargest);
    for (std::int64_t i = 0; i < combinations; ++i) read_combination();
    if (!values_.at_end()) {
      model_.warnings.push_back("ignored what follows the " + std::to_string(combinations) +
                                " announced device combinations");
    }
    if (ignored_ > 0) {
      model_.warnings.push_back("ignored " + std::to_string(ignored_) +
                                " device combinations that are neither one CPU core nor one CUDA device");
    }
    list_timings();
    return std::move(model_);
  }

 private:
  void read_combination() {
    const std::optional<ClassKey> c = read_devices();
    if (!c) ++ignored_;
    entries_.clear();
    const std::int64_t implementations = values_.expect_integer("the number of implementations", 0, kLargest);
    for (std::int64_t i = 0; i < implementations; ++i) read_implementation();
    if (c) pool_fastest(*c);
  }

  /// The class of the combination, if it is of one.
  std::optional<ClassKey> read_devices() {
    const std::int64_t devices = values_.expect_integer("the number of devices in the combination", 0, kLargest);
    std::optional<ClassKey> c;
    for (std::int64_t i = 0; i < devices; ++i) {
      const std::int64_t type = values_.expect_integer("the type of a device", 0, kLargest);
      const std::int64_t number =
          values_.expect_integer("the number of a device", std::numeric_limits<std::int64_t>::min(), kLargest);
      const std::int64_t cores = values_.expect_integer("a number of cores", 0, kLargest);
      if (cores == 1 && type == kCpuDevice) c = kCores;
      if (cores == 1 && type == kCudaDevice) c = devices_ == Devices::apart ? number : kAllDevices;
    }
    return devices == 1 ? c : std::nullopt;
  }

  void read_implementation() {
    constexpr int kRegressionValues = 12;
    const std::int64_t entries = values_.expect_integer("the number of entries", 0, kLargest);
    for (int i = 0; i < kRegressionValues; ++i) values_.expect_word("a value of the regressions");
    const std::int64_t coefficients = values_.expect_integer("the number of coefficients", 0, kLargest);
    for (std::int64_t i = 0; i < coefficients; ++i) values_.expect_word("a coefficient");
    for (std::int64_t i = 0; i < entries; ++i) read_entry();
  }

  /// hash, size, flops (absent in old files), mean, dev, sum, sum2, n.
  void read_entry() {
    constexpr std::size_t kFields = 8;
    const std::vector<std::string_view>& fields = values_.expect_line("a history entry");
    if (fields.size() != kFields && fields.size() != kFields - 1) {
      values_.fail("found " + std::to_string(fields.size()) + " values; expected the 8 (or 7) of a history entry");
    }
    const std::optional<std::uint32_t> footprint = parse_footprint(fields[0]);
    if (!footprint) values_.fail("the footprint is " + in_quotes(fields[0]) + "; expected 8 hexadecimal digits");
    const std::int64_t bytes = values_.integer_of(fields[1], "a number of bytes", 0, kLargest);
    const std::int64_t count = values_.integer_of(fields.back(), "a number of samples", 0, 0xFFFF'FFFF);
    const std::string_view mean = fields[fields.size() - 5];
    if (count == 0 || is_nan(mean)) return;
    entries_.push_back({*footprint, bytes, read_mean(mean), static_cast<std::uint64_t>(count)});
  }

  [[nodiscard]] double read_mean(std::string_view text) const {
    const Time rounded = values_.duration_of(text, kMicrosecond);  // fails for what is no duration
    if (rounded > kMaxTime / 2) values_.fail("the duration is " + in_quotes(text) + "; expected less than 53 days");
    if (text.starts_with('+')) text.remove_prefix(1);
    double mean = 0;  // stays so where the number is too small for a double
    std::from_chars(text.data(), text.data() + text.size(), mean);
    return mean;
  }

  void pool_fastest(ClassKey c) {
    std::unordered_map<std::uint32_t, const Entry*> fastest;
    for (const Entry& entry : entries_) {
      const auto [found, is_new] = fastest.emplace(entry.footprint, &entry);
      if (!is_new && entry.mean < found->second->mean) found->second = &entry;
    }
    for (const Entry& entry : entries_) {
      Row& row = row_of(entry);
      if (fastest.at(entry.footprint) != &entry) continue;
      row.by_class[c].total += entry.mean * static_cast<double>(entry.count);
      row.by_class[c].count += entry.count;
    }
  }

  Row& row_of(const Entry& entry) {
    const auto [found, is_new] = row_of_.emplace(entry.footprint, rows_.size());
    if (is_new) rows_.push_back({entry.footprint, entry.bytes});
    return rows_[found->second];
  }

  void list_timings() {
    for (const Row& row : rows_) {
      for (const auto& [c, samples] : row.by_class) {
        model_.timings.push_back(
            {class_name(c), format_footprint(row.footprint), row.bytes, mean_of(samples), samples.count});
      }
    }
  }

  [[nodiscard]] std::string class_name(ClassKey c) const {
    if (c == kCores) return "cpu";
    return devices_ == Devices::apart ? "gpu" + std::to_string(c) : "gpu";
  }

  Values values_;
  Devices devices_;
  std::vector<Entry> entries_;  ///< of the combination being read
  std::vector<Row> rows_;
  std::unordered_map<std::uint32_t, std::size_t> row_of_;
  std::size_t ignored_ = 0;
  PerformanceModel model_;
};

}  // namespace

PerformanceModel read_performance_model(std::string_view text, std::string_view source, Devices devices) {
  return ModelReader(text, source, devices).read();
}

}  // namespace heddle::io
