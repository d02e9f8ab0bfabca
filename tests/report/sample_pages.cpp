// Writes the pages that the browser test opens: sample_pages FOLDER

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "heddle/report/html_page.hpp"
#include "heddle/report/run_report.hpp"
#include "tests/analysis/samples.hpp"
#include "tests/report/samples.hpp"

namespace heddle::report::test {
namespace {

void write(const std::filesystem::path& path, const std::string& page) {
  std::ofstream(path, std::ios::binary) << page;
  fmt::print("{} {}\n", path.filename().string(), page.size());
}

void write_small(const std::filesystem::path& folder) {
  const Instance instance = diamond();
  const Schedule schedule = diamond_schedule();
  write(folder / "small.html",
        html_page("One schedule", std::vector{summarize(instance, schedule, {{"critical-path", 3 * kSecond / 2}})}));
}

void write_contexts(const std::filesystem::path& folder) {
  const Instance instance = diamond_with_watts();
  const Schedule schedule = diamond_schedule_in_contexts();
  write(folder / "contexts.html", html_page("Contexts", std::vector{summarize(instance, schedule)}));
  const Schedule resized = diamond_schedule_with_move();
  write(folder / "moves.html", html_page("Moves", std::vector{summarize(instance, resized)}));
}

void write_transfers(const std::filesystem::path& folder) {
  const Instance instance = diamond();
  const Schedule schedule = diamond_schedule_with_transfers();
  write(folder / "transfers.html", html_page("Transfers", std::vector{summarize(instance, schedule)}));
}

void write_empty(const std::filesystem::path& folder) {
  PageOptions options;
  options.skipped = {{"nothing", "heft", "no reason"}};
  write(folder / "empty.html", html_page("No schedule", {}, options));
  const Instance instance = diamond();
  const Schedule schedule;
  write(folder / "idle.html", html_page("An empty schedule", std::vector{summarize(instance, schedule)}));
}

/// Every string of the page is hostile, and every outcome occurs.
void write_hostile(const std::filesystem::path& folder) {
  const std::vector<std::string>& names = hostile_names();
  const Instance instance = hostile_instance();
  std::vector<Schedule> schedules;
  for (std::size_t i = 0; i < 2; ++i) {
    schedules.push_back(greedy_schedule(instance, names[i], 2));
    schedules.back().noise = names[i + 1];
    schedules.back().attempts[3].outcome = Outcome::failed;
    add_transfers(schedules.back(), instance);
  }
  std::vector<ScheduleReport> reports;
  const analysis::Losses losses(instance, schedules[0]);
  RunReport run{.losses = &losses, .verdict = names[0], .model = names[1]};
  run.changes = {{names[2], kSecond, 0.1}};
  run.not_reached = {names[3]};
  run.remarks = {names[4], names[1]};
  const std::vector<analysis::Outliers> outliers{{.type = make_id<TypeId>(0),
                                                  .on = make_id<ClassId>(0),
                                                  .attempts = 1,
                                                  .median = kSecond,
                                                  .limit = kSecond,
                                                  .excess = kSecond,
                                                  .slowest = {0}}};
  run.outliers = outliers;
  for (const Schedule& schedule : schedules) {
    reports.push_back(summarize(instance, schedule, {{names[2], kSecond}}));
    reports.back().platform = names[3];
  }
  reports[0].run_report = &run;
  write(folder / "hostile.html",
        html_page(names[0], reports,
                  {.skipped = {{names[0], names[1], names[4]}}, .origin = {names[1], names[2], names[0]}}));
}

void write_long_names(const std::filesystem::path& folder) {
  const std::string longest(100'000, 'W');
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < 20; ++i) {
    const std::string name = fmt::format("{} {}", std::string(100, static_cast<char>('a' + i)), longest);
    builder.add_task(name, builder.add_type(name));
  }
  TaskGraph graph = builder.build();
  Costs costs(graph, 1);
  for (const TypeId type : graph.types()) costs.set_actual(Costs::row(type), make_id<ClassId>(0), kSecond);
  const Instance instance =
      make_instance(longest, std::move(graph), Platform({{.name = longest, .workers = 3}}), costs);
  const std::vector<Schedule> schedules(2, greedy_schedule(instance, longest));
  std::vector<ScheduleReport> reports;
  for (const Schedule& schedule : schedules) reports.push_back(summarize(instance, schedule));
  write(folder / "long-names.html", html_page(longest, reports));
}

/// Two instances, several policies, runs under noise, and more charts than the budget allows.
void write_comparison(const std::filesystem::path& folder) {
  const std::vector<Instance> instances = {cholesky(8), cholesky(16)};
  std::vector<Schedule> schedules;
  std::vector<ScheduleReport> reports;
  schedules.reserve(100);
  for (const Instance& instance : instances) {
    for (const char* policy :
         {"heft", "heteroprio-dep:order=best", "heteroprio-dep:order=acceleration", "dmdas", "ect"}) {
      for (std::uint32_t run = 0; run < 3; ++run) {
        const std::size_t abort_every = 3 + std::string_view(policy).size() % 7 * 3 + run;
        schedules.push_back(greedy_schedule(instance, policy, abort_every));
        reports.push_back(summarize(instance, schedules.back(), {}));
        const Time makespan = greedy_schedule(instance, "").makespan();
        reports.back().bounds = {{"area", makespan * 8 / 10}, {"iterative", makespan * 9 / 10}};
        reports.back().ratio = to_seconds(reports.back().makespan) / to_seconds(makespan * 9 / 10);
        reports.back().platform = "sirocco";
        reports.back().run = run;
        reports.back().noise = "uniform:0.1";
      }
    }
  }
  PageOptions options;
  options.origin.command =
      "heddle compare cholesky:tiles=8 cholesky:tiles=16 --platform sirocco --policies all --runs 3";
  options.skipped = {{"cholesky:tiles=8", "er-ls", "er-ls needs exactly two classes, the platform has 3"}};
  options.attempt_budget = 8'000;
  write(folder / "comparison.html", html_page("Policies compared", reports, options));
}

/// The example of docs/analyze.md, judged; what would have changed is invented.
void write_run(const std::filesystem::path& folder) {
  const Instance instance = heddle::test::four_tasks();
  Schedule schedule = heddle::test::four_tasks_schedule(instance);
  schedule.policy = "by hand";
  const analysis::Losses losses(instance, schedule);
  RunReport run{.losses = &losses, .verdict = "Most of the loss is cpu workers idle although a task was ready."};
  run.loss = 3e12;
  run.costs = {1e11, 2.5e11, 0, 0, 1.5e12, 7.5e11, 0, 4e11, 0};
  run.model = "Simulated, with its own decisions, the run takes 6.000 s: the model's error is 0.0 %.";
  run.changes = {{"policy heft", 5 * kSecond, 1.0 / 6}, {"one more gpu", 6 * kSecond, std::nullopt}};
  run.not_reached = {"P 10 % faster", "links twice as fast"};
  ScheduleReport report = summarize(instance, schedule, {{"area", 3 * kSecond}});
  report.run_report = &run;
  write(folder / "run.html", html_page("A run", std::vector{report}));
}

/// The example, and the same without its aborted attempt, s a second earlier: two runs to compare.
void write_two_runs(const std::filesystem::path& folder) {
  const Instance instance = heddle::test::four_tasks();
  const Schedule before = heddle::test::four_tasks_schedule(instance);
  Schedule after = before;
  std::erase_if(after.attempts, [](const Attempt& attempt) { return attempt.outcome == Outcome::aborted; });
  after.attempts.back().start -= kSecond;
  after.attempts.back().end -= kSecond;
  const analysis::Losses losses_before(instance, before);
  const analysis::Losses losses_after(instance, after);
  const RunReport runs[] = {{.losses = &losses_before}, {.losses = &losses_after}};
  std::vector<ScheduleReport> reports{summarize(instance, before, {{"area", 3 * kSecond}}),
                                      summarize(instance, after, {{"area", 3 * kSecond}})};
  for (std::size_t i = 0; i < reports.size(); ++i) reports[i].run_report = &runs[i];
  reports[0].policy = "before.json";
  reports[1].policy = "after.json";
  write(folder / "two_runs.html", html_page("Two runs", reports));
}

/// A recording: without transfers. Many attempts, idle workers, aborted work, overhead before each task, and few
/// attempts that take twice as long as others.
void write_recording(const std::filesystem::path& folder) {
  const Instance instance = cholesky(14);
  Schedule schedule = greedy_schedule(instance, "greedy", 5);
  for (std::size_t i = 0; i < schedule.attempts.size(); ++i) {
    Attempt& attempt = schedule.attempts[i];
    attempt.end -= (attempt.end - attempt.start) / (i % 50 == 1 ? 8 : 2);
  }
  const analysis::Losses losses(instance, schedule, {.has_transfers = false});
  const std::vector<analysis::Outliers> outliers = analysis::find_outliers(instance, schedule);
  RunReport run{.losses = &losses, .outliers = outliers, .remarks = {"Could leave without harm: 1 of 4 gpu."}};
  for (const TimeSum time : {kSecond / 4, Time{0}}) run.least_data.push_back(time);
  ScheduleReport report = summarize(instance, schedule);
  report.run_report = &run;
  write(folder / "recording.html", html_page("A recording", std::vector{report}));
}

void write_large(const std::filesystem::path& folder) {
  const Instance instance = cholesky(64);
  const Schedule schedule = greedy_schedule(instance, "greedy", 100);
  ScheduleReport report = summarize(instance, schedule, {{"area", schedule.makespan() * 95 / 100}});
  report.platform = "sirocco";
  write(folder / "large.html", html_page("Cholesky, 64 x 64 tiles", std::vector{report}));
}

/// Many workers of several classes, and more types than colours.
void write_wide(const std::filesystem::path& folder) {
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < 4'000; ++i) {
    const TypeId type = i < 40 ? builder.add_type(fmt::format("kernel_{}", i)) : make_id<TypeId>(i % 40);
    builder.add_task(fmt::format("task {} of {}", i, index(type)), type);
  }
  TaskGraph graph = builder.build();
  Costs costs(graph, 3);
  for (const TypeId type : graph.types()) {
    for (std::size_t c = 0; c < 3; ++c) {
      costs.set_actual(Costs::row(type), make_id<ClassId>(c),
                       static_cast<Time>(1 + index(type) * (c + 1)) * kMicrosecond);
    }
  }
  const Instance instance = make_instance("wide", std::move(graph),
                                          Platform({{.name = "cpu", .workers = 200},
                                                    {.name = "cpu10", .workers = 3},
                                                    {.name = "a-long-class-name", .workers = 1}}),
                                          std::move(costs));
  const Schedule schedule = greedy_schedule(instance, "greedy");
  write(folder / "wide.html", html_page("Many workers and types", std::vector{summarize(instance, schedule)}));
}

void write_studies(const std::filesystem::path& folder) {
  write(folder / "study.html", study_page(sample_study({"tiny-study", "What is there to see", "Somebody 2020",
                                                        "4 to 12 tiles", "nothing is left out"}),
                                          {"1.0", "2020-02-02 02:02 UTC", "heddle experiment tiny-study"}));
  write(folder / "hostile-study.html", study_page(sample_study(hostile_names()), {.command = hostile_names()[0]}));
}

}  // namespace
}  // namespace heddle::report::test

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: sample_pages FOLDER\n", stderr);
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  heddle::report::test::write_small(folder);
  heddle::report::test::write_contexts(folder);
  heddle::report::test::write_transfers(folder);
  heddle::report::test::write_empty(folder);
  heddle::report::test::write_hostile(folder);
  heddle::report::test::write_long_names(folder);
  heddle::report::test::write_comparison(folder);
  heddle::report::test::write_run(folder);
  heddle::report::test::write_two_runs(folder);
  heddle::report::test::write_recording(folder);
  heddle::report::test::write_large(folder);
  heddle::report::test::write_wide(folder);
  heddle::report::test::write_studies(folder);
}
