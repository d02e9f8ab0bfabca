#include "heddle/policy/task_buckets.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "heddle/model/error.hpp"
#include "heddle/model/suggest.hpp"

namespace heddle::policy {
namespace {

constexpr BucketId kUnknown = kNone<BucketId>;

std::vector<bool> runnable(std::span<const Time> durations) {
  std::vector<bool> mask;
  for (const Time duration : durations) mask.push_back(duration != kCannotRun);
  return mask;
}

/// The parts between separators; one empty part for an empty text.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

/// Reads orders by hand.
class OrderReader {
 public:
  OrderReader(const Instance& instance, const TaskBuckets& buckets, std::string_view owner)
      : instance_(instance), buckets_(buckets), owner_(owner) {}

  [[nodiscard]] BucketOrders read(std::string_view text) const {
    BucketOrders orders(instance_.platform.class_count());
    std::vector<std::string_view> named;
    for (const std::string_view part : split(text, '/')) {
      const std::size_t colon = part.find(':');
      if (colon == std::string_view::npos) {
        fail("has '" + std::string(part) + "' where CLASS:TYPE+TYPE... is expected");
      }
      const std::string_view name = part.substr(0, colon);
      if (std::ranges::find(named, name) != named.end()) fail("names class '" + std::string(name) + "' twice");
      named.push_back(name);
      const ClassId c = find_class(name);
      orders[c] = order_of(c, part.substr(colon + 1));
    }
    check(orders);
    return orders;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw InputError(owner_ + " " + what); }

  [[nodiscard]] ClassId find_class(std::string_view name) const {
    if (const std::optional<ClassId> found = instance_.platform.find_class(name)) return *found;
    std::vector<std::string> names;
    for (const ClassId c : instance_.platform.classes()) names.push_back(instance_.platform.class_name(c));
    fail("names class '" + std::string(name) + "', which the platform does not have" + suggest(name, names));
  }

  [[nodiscard]] TypeId find_type(std::string_view name) const {
    std::vector<std::string> names;
    for (const TypeId type : instance_.graph.types()) {
      if (instance_.graph.type_name(type) == name) return type;
      names.emplace_back(instance_.graph.type_name(type));
    }
    fail("names type '" + std::string(name) + "', which the instance does not have" + suggest(name, names));
  }

  [[nodiscard]] std::vector<BucketId> order_of(ClassId c, std::string_view text) const {
    std::vector<BucketId> order;
    std::vector<bool> listed(instance_.graph.type_count(), false);
    for (const std::string_view name : split(text, '+')) {
      const TypeId type = find_type(name);
      if (listed[index(type)]) fail("names type '" + std::string(name) + "' twice for one class");
      listed[index(type)] = true;
      for (const BucketId bucket : buckets_.ids()) {
        if (buckets_.type(bucket) == type && buckets_.can_run(bucket, c)) order.push_back(bucket);
      }
    }
    return order;
  }

  /// Every bucket must be served by some class.
  void check(const BucketOrders& orders) const {
    Table<BucketId, bool> served(buckets_.count(), false);
    for (const std::vector<BucketId>& order : orders) {
      for (const BucketId bucket : order) served[bucket] = true;
    }
    for (const BucketId bucket : buckets_.ids()) {
      if (served[bucket]) continue;
      fail("leaves out tasks of type '" + std::string(instance_.graph.type_name(buckets_.type(bucket))) +
           "': no class that can run them serves it");
    }
  }

  const Instance& instance_;
  const TaskBuckets& buckets_;
  std::string owner_;
};

}  // namespace

TaskBuckets::TaskBuckets(const Instance& instance) : bucket_of_row_(instance.costs.row_count(), kUnknown) {
  std::map<std::pair<TypeId, std::vector<bool>>, BucketId> known;
  const std::size_t classes = instance.platform.class_count();
  for (const TaskId task : instance.graph.tasks()) {
    const std::uint32_t row = instance.costs.row(task);
    if (bucket_of_row_[row] == kUnknown) {
      const TypeId type = instance.graph.type(task);
      const auto [place, added] =
          known.try_emplace({type, runnable(instance.costs.actual_row(row))}, make_id<BucketId>(count()));
      if (added) info_.push_back({type, 0, std::vector<double>(classes, 0)});
      bucket_of_row_[row] = place->second;
    }
    Info& info = info_[bucket_of_row_[row]];
    ++info.tasks;
    for (const ClassId c : instance.platform.classes()) {
      if (instance.costs.can_run(task, c)) {
        info.mean[index(c)] += static_cast<double>(instance.costs.estimate(task, c));
      } else {
        info.mean[index(c)] = -1;
      }
    }
  }
  for (Info& info : info_) {
    for (double& mean : info.mean) {
      if (mean >= 0) mean = std::max(mean / static_cast<double>(info.tasks), 1.0);
    }
  }
}

BucketOrders orders_by_speedup(const Platform& platform, const TaskBuckets& buckets) {
  BucketOrders orders(platform.class_count());
  const auto mean = [&](BucketId bucket, ClassId c) { return buckets.mean(bucket, c); };
  for (const ClassId c : platform.classes()) {
    std::vector<std::pair<double, BucketId>> order;
    for (const BucketId bucket : buckets.ids()) {
      if (!buckets.can_run(bucket, c)) continue;
      // Nobody else can run it: it comes before everything.
      constexpr double kInfinite = 1e300;
      const double other = slowest_other(buckets, platform.class_count(), bucket, c, kInfinite, mean);
      order.emplace_back(-other / mean(bucket, c), bucket);
    }
    std::ranges::sort(order);
    for (const auto& [speedup, bucket] : order) orders[c].push_back(bucket);
  }
  return orders;
}

BucketOrders parse_bucket_orders(const Instance& instance, const TaskBuckets& buckets, std::string_view text,
                                 std::string_view owner) {
  return OrderReader(instance, buckets, owner).read(text);
}

}  // namespace heddle::policy
