#include <memory>
#include <string>
#include <utility>

#include "heddle/policy/kit/queues/bucket_queues.hpp"
#include "heddle/policy/policy_table.hpp"

namespace heddle::policy {
namespace {

/// LaHeteroprio: HeteroPrio's buckets, each split into a queue per memory. A ready task waits in the memory that suits
/// it, and a worker serves its own memory first. The lists of the classes stay as they are at the start; by default
/// each class prefers what it is best at. Without transfers it is HeteroPrio with a bucket per type.
///
/// For any number of classes, in the usual service order: the class listed last first.
class LaHeteroprio {
 public:
  LaHeteroprio(std::string lists, bool slowdown, Locality locality)
      : lists_(std::move(lists)), queues_(slowdown, locality) {}

  void start(const View& view) {
    const Instance& instance = view.instance();
    auto buckets = std::make_shared<const TaskBuckets>(instance);
    if (lists_.empty()) {
      queues_.start(view, buckets, orders_by_speedup(view.platform(), *buckets));
      return;
    }
    constexpr std::string_view kOwner = "policy 'la-heteroprio': option 'lists'";
    const TypeLists lists = parse_type_lists(instance, lists_, kOwner);
    const BucketOrders orders = orders_by_lists(*buckets, lists);
    Table<BucketId, BucketSpeed> speeds = estimated_speeds(*buckets, orders);
    replace_slowdowns(instance, *buckets, lists, kOwner, speeds);
    queues_.start(view, buckets, orders);
    queues_.set_speeds(std::move(speeds));
  }
  void ready(const View& view, std::span<const TaskId> tasks) {
    for (const TaskId task : tasks) queues_.push(view, task);
  }
  void finished(const View&, std::span<const Completion> completions) { queues_.finished(completions); }
  void refused(const View& view, Action action) {
    if (action.kind == Action::Kind::run) queues_.put_back(view, action.task);
  }
  void workers_changed(const View& view) { queues_.workers_changed(view); }
  [[nodiscard]] Action next(const View& view) { return queues_.serve(view); }

 private:
  std::string lists_;
  BucketQueues queues_;
};

}  // namespace

Entry la_heteroprio() {
  std::vector<Option> options = {affinity_option(),
                                 text("lists", "",
                                      "the types that each class serves, the most preferred first, as for heteroprio: "
                                      "cpu:POTRF+TRSM*11+GEMM/gpu:GEMM+TRSM (*11: slowdown 11), or @FILE; default: "
                                      "each class prefers the types that it is best at"),
                                 slowdown_option()};
  for (Option& option : stealing_options()) options.push_back(std::move(option));
  return {.name = "la-heteroprio",
          .summary = "A bucket of ready tasks per type and memory; each class has an ordered list of buckets",
          .publication = "Bramas 2019, doi:10.7717/peerj-cs.190; StarPU 1.4's heteroprio with locality",
          .complexity = "O(n c b m) for b types and m memories, and O(m) for each access of a task",
          .options = std::move(options),
          .needs = [](const Options&) { return Needs{.whole_graph = true}; },
          .make =
              [](const Setup& setup) {
                return Policy(LaHeteroprio(setup.options.text("lists"), setup.options.flag("slowdown"),
                                           {chosen_affinity(setup.options), chosen_stealing(setup.options)}));
              }};
}

}  // namespace heddle::policy
