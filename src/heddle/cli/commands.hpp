#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heddle/files/files.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the library is called so
class App;
}

/// What each command of `heddle` was asked to do, and the functions that do it. They print results on standard output
/// and everything else on standard error, return the exit status (0 done, 1 the answer is "no"), and throw InputError
/// for what the user got wrong.
namespace heddle::cli {

/// `heddle help COMMAND`, `heddle help glossary TERM`
struct HelpOptions {
  std::vector<std::string> words;
  const CLI::App* program = nullptr;
};
int help(const HelpOptions& options);

struct ListOptions {
  bool json = false;
};
int list_platforms(const ListOptions& options);
int list_workloads(const ListOptions& options);

struct PolicyListOptions {
  bool json = false;
  bool markdown = false;
};
int list_policies(const PolicyListOptions& options);

struct GenerateOptions {
  std::string workload;
  files::InstanceOptions input;  ///< how INSTANCE is read
  std::string output;
};
int generate(const GenerateOptions& options);

struct ConvertOptions {
  std::vector<std::string> inputs;
  files::InstanceOptions input;  ///< how INSTANCE is read
  std::string output;
  std::string from;  ///< format of the input; empty: by content
  std::string to;    ///< format of the output; empty: by suffix
};
int convert(const ConvertOptions& options);

struct InspectOptions {
  std::string instance;
  files::InstanceOptions input;  ///< how INSTANCE is read
  bool json = false;
};
int inspect(const InspectOptions& options);

struct BoundOptions {
  std::string instance;
  files::InstanceOptions input;  ///< how INSTANCE is read
  std::string kind = "default";
  std::string time;  ///< "2s", "500ms"; empty: no limit
  bool json = false;
};
int bound(const BoundOptions& options);

struct AnalyzeOptions {
  std::vector<std::string> run;  ///< recordings, or an instance and schedules of it: one or two
  files::InstanceOptions input;  ///< how INSTANCE is read
  std::string bound = "default";
  std::string what_if_time = "10s";  ///< "0": no changes are simulated
  std::string html;
  std::string perfetto;  ///< the run in other programs' formats
  std::string paje;
  std::string csv;
  std::string command_line;  ///< for the foot of the page
  bool json = false;
};
int analyze(const AnalyzeOptions& options);

struct ScheduleOptions {
  std::string instance;
  files::InstanceOptions input;  ///< how INSTANCE is read
  std::string policy = "auto";
  bool policy_given = false;  ///< otherwise the policies of contexts decide, where there are some
  std::string resize;         ///< the rule by which contexts change while they run; empty: they do not
  std::string noise;
  std::string bound = "default";
  std::uint64_t seed = 1;
  std::uint32_t ahead = 1;
  std::string aborts = "allowed";
  std::string output;
  std::string gantt;
  std::string command_line;  ///< for the foot of the page
  std::string facts;         ///< where what the policy is told is written; empty: nowhere
  bool json = false;
};
int schedule(const ScheduleOptions& options);

struct CompareOptions {
  std::vector<std::string> instances;
  std::vector<std::string> platforms;  ///< each instance is compared on each; `input.platform` is not used
  files::InstanceOptions input;        ///< how INSTANCE is read
  std::string policies = "all";
  std::string resize;  ///< the rule by which contexts change while they run; empty: they do not
  std::string noise;
  std::string bound = "default";
  std::uint32_t runs = 1;
  std::uint64_t seed = 1;
  std::uint32_t ahead = 1;
  std::string aborts = "allowed";
  std::string html;
  std::string csv;
  std::string command_line;      ///< for the foot of the page
  bool keeps_schedules = false;  ///< also where no page shows them
  bool json = false;
};
int compare(const CompareOptions& options);

struct SearchOptions {
  std::string instance;
  files::InstanceOptions input;  ///< how INSTANCE is read
  std::string policies;          ///< whose schedules it starts from
  std::string start;             ///< a schedule file to start from as well; empty: none
  std::string time;              ///< "10s"; empty: 10 s unless `iterations` or `prove` says when to end
  std::string gap;               ///< over the bound, "0.01"; empty: 0
  std::optional<std::uint64_t> iterations;
  bool prove = false;
  std::uint64_t seed = 1;
  std::size_t threads = 0;  ///< 0: one per core
  std::string bound = "default";
  std::string output;
  std::string gantt;
  std::string command_line;  ///< for the foot of the page
  bool json = false;
};
int search(const SearchOptions& options);

struct ChooseContextsOptions {
  std::string instance;
  files::InstanceOptions input;           ///< how INSTANCE is read
  std::string candidates = "all";         ///< "gazolla-2017", "all", "joint" or a file
  std::string policies = "eager,lws,ws";  ///< of contexts
  std::string method = "simulate";
  std::string objective = "time";
  std::string reading = "example";
  std::string machines;  ///< empty: the platform is one machine
  std::uint64_t seed = 1;
  std::string output;  ///< the instance with its contexts; empty: not written
  bool json = false;
};
int choose_contexts(const ChooseContextsOptions& options);

struct RunOptions {
  bool list = false;
  std::string workload;
  std::string policy = "dmdas";
  bool policy_given = false;
  std::string contexts;  ///< as files::InstanceOptions has them
  std::string assign;
  std::string objective = "time";  ///< of contexts that are chosen
  std::string resize;              ///< the rule by which contexts change while they run; empty: they do not
  std::string workers = "auto";    ///< "cpu=2"
  std::string history;             ///< a file; empty: in the user's cache folder
  std::uint64_t seed = 1;
  std::string bound = "default";
  std::string output;
  std::string instance;  ///< where the tasks with the durations measured are written; empty: nowhere
  std::string gantt;
  std::string command_line;  ///< for the foot of the page
  std::string facts;         ///< where what the policy is told is written; empty: nowhere
  bool json = false;
};
int run_workload(const RunOptions& options);

struct ReplayOptions {
  std::string log;
  std::string policy;  ///< that is told what the log says; empty: the one of the log
  bool json = false;
};
int replay(const ReplayOptions& options);

struct ExperimentOptions {
  std::string name;
  bool list = false;
  bool quick = false;
  std::string journal;      ///< empty: in the user's cache folder
  bool fresh = false;       ///< what the journal knows is forgotten
  std::size_t threads = 0;  ///< 0: one per core
  std::string html;
  std::string csv;
  std::string command_line;  ///< for the foot of the page
  bool json = false;
};
int experiment(const ExperimentOptions& options);

/// `heddle devices`
int list_devices(const ListOptions& options);

/// `heddle history show|export|clear`, and where `heddle calibrate` puts what it measures.
struct HistoryOptions {
  std::string path;  ///< empty: in the user's cache folder
  bool json = false;
};
int show_history(const HistoryOptions& options);
int clear_history(const HistoryOptions& options);

struct HistoryExportOptions {
  HistoryOptions history;
  std::string workers = "auto";  ///< of the platform
  std::string output;
};
int export_history(const HistoryExportOptions& options);

struct CalibrateOptions {
  HistoryOptions history;
  std::string workers = "auto";
  std::vector<std::size_t> tiles{128, 256, 512};
  std::string precision = "all";  ///< "single", "double" or "all"
  std::uint32_t runs = 3;
};
int calibrate(const CalibrateOptions& options);

struct AdversaryOptions {
  std::string policy;
  std::string against = "bound";  ///< a policy, or "bound"
  std::string platform = "counts:cpu=2,gpu=2";
  std::size_t tasks = 12;
  std::uint64_t iterations = 40'000;  ///< instances to try
  std::uint64_t seed = 1;
  std::size_t threads = 0;  ///< 0: one per core
  std::string output;
  bool json = false;
};
int adversary(const AdversaryOptions& options);

struct ValidateOptions {
  std::string instance;
  std::string schedule;
  files::InstanceOptions input;  ///< how INSTANCE is read
  bool json = false;
};
int validate(const ValidateOptions& options);

}  // namespace heddle::cli
