#include <memory>
#include <string>
#include <utility>

#include "heddle/policy/bucket_queues.hpp"
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
    auto buckets = std::make_shared<const TaskBuckets>(view.instance());
    BucketOrders orders = lists_.empty() ? orders_by_speedup(view.platform(), *buckets) : given_orders(view, *buckets);
    queues_.start(view, std::move(buckets), std::move(orders));
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
  [[nodiscard]] BucketOrders given_orders(const View& view, const TaskBuckets& buckets) const {
    return parse_bucket_orders(view.instance(), buckets, lists_, "policy 'la-heteroprio': option 'lists'");
  }

  std::string lists_;
  BucketQueues queues_;
};

}  // namespace

Entry la_heteroprio() {
  std::vector<Option> options = {
      affinity_option(),
      text("lists", "",
           "the types that each class serves, the most preferred first: cpu:POTRF+TRSM+GEMM/gpu:GEMM+TRSM; without it "
           "each class prefers what it is best at"),
      slowdown_option()};
  for (Option& option : stealing_options()) options.push_back(std::move(option));
  return {.name = "la-heteroprio",
          .summary = "A bucket of ready tasks per type and memory; each class has its list of buckets",
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
