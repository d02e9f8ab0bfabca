#include "heddle/partition/candidates.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <utility>

#include "heddle/io/json_read.hpp"
#include "heddle/model/error.hpp"
#include "heddle/policy/registry.hpp"

namespace heddle::partition {
namespace {

using Counts = Table<ClassId, std::uint32_t>;

Counts workers_of(const Platform& platform) {
  Counts counts(platform.class_count(), 0);
  for (const ClassId c : platform.classes()) counts[c] = platform.worker_count(c);
  return counts;
}

/// "cpu=4,gpu=1"
std::string describe_counts(const Counts& workers, const Platform& platform) {
  std::string text;
  for (const ClassId c : workers.ids()) {
    if (workers[c] == 0) continue;
    if (!text.empty()) text += ',';
    text += platform.class_name(c) + "=" + std::to_string(workers[c]);
  }
  return text;
}

std::uint64_t sum(const Counts& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

/// Divides the workers that are left into exactly `parts` contexts, none larger than the one before it.
class Divider {
 public:
  /// `shared`: workers that each context has as well; empty: none.
  Divider(Counts workers, std::size_t most, Partitions& found, Counts shared = {})
      : workers_(std::move(workers)), most_(most), found_(found), shared_(std::move(shared)) {}

  void divide(std::size_t parts) { divide(workers_, workers_, parts); }

 private:
  void divide(const Counts& left, const Counts& largest, std::size_t parts) {
    if (found_.is_cut) return;
    if (parts == 1) {
      if (!std::ranges::lexicographical_compare(largest, left)) found(left);
      return;
    }
    Counts part = std::min(left, largest, std::ranges::lexicographical_compare);
    // What is left must be enough for the other parts, and not too much for parts no larger than this one.
    const ClassId first{0};
    while (sum(part) > 0 && !found_.is_cut && std::uint64_t{part[first]} * parts >= left[first]) {
      Counts rest = left;
      for (const ClassId c : rest.ids()) rest[c] -= std::min(rest[c], part[c]);
      if (fits(part, left) && sum(rest) + 1 >= parts) {
        chosen_.push_back(part);
        divide(rest, part, parts - 1);
        chosen_.pop_back();
      }
      step_down(part, left);
    }
  }

  static bool fits(const Counts& part, const Counts& left) {
    return std::ranges::equal(part, left, std::ranges::less_equal());
  }

  /// To the next smaller vector of which no entry passes `left`.
  static void step_down(Counts& part, const Counts& left) {
    std::size_t c = part.size();
    while (c-- > 0) {
      std::uint32_t& count = part[make_id<ClassId>(c)];
      if (count > 0) {
        --count;
        break;
      }
    }
    for (++c; c < part.size(); ++c) part[make_id<ClassId>(c)] = left[make_id<ClassId>(c)];
  }

  void found(const Counts& last) {
    if (found_.candidates.size() == most_) {
      found_.is_cut = true;
      return;
    }
    Candidate candidate{std::to_string(found_.candidates.size() + 1), {}};
    for (const Counts& part : chosen_) candidate.parts.push_back({part, "", shared_});
    candidate.parts.push_back({last, "", shared_});
    found_.candidates.push_back(std::move(candidate));
  }

  const Counts workers_;
  const std::size_t most_;
  Partitions& found_;
  const Counts shared_;
  std::vector<Counts> chosen_;
};

/// The next vector of that sum, none of whose entries passes `most`, in lexicographic order; all zero comes before the
/// first. False when there is none.
bool next_of_sum(Counts& vector, const Counts& most, std::uint64_t wanted) {
  do {
    std::size_t c = vector.size();
    while (c-- > 0) {
      std::uint32_t& count = vector[make_id<ClassId>(c)];
      if (count < most[make_id<ClassId>(c)]) {
        ++count;
        break;
      }
      count = 0;
      if (c == 0) return false;
    }
  } while (sum(vector) != wanted);
  return true;
}

Counts read_counts(io::Json workers, const Platform& platform, const io::NameTable<ClassId>& classes) {
  Counts counts(platform.class_count(), 0);
  io::expect_map(workers, R"(numbers of workers by class, {"cpu": 4})");
  for (const io::Json member : workers) {
    const ClassId c = classes.resolve_key(member);
    counts[c] = static_cast<std::uint32_t>(io::read_integer(
        member, "a whole number of workers (digits only), no more than the class has", 0, platform.worker_count(c)));
  }
  return counts;
}

Part read_part(io::Json value, const Platform& platform, const io::NameTable<ClassId>& classes) {
  constexpr const char* kCounts = R"(numbers of workers by class, {"cpu": 4})";
  constexpr const char* kContext = R"(a context, {"workers": {"cpu": 2, "gpu": 1}})";
  io::expect_map(value, kContext);
  const io::Json workers = io::require(value, "workers", kCounts);
  Part part{read_counts(workers, platform, classes)};
  if (const auto shared = io::find(value, "shared")) part.shared = read_counts(*shared, platform, classes);
  if (sum(part.workers) + sum(part.shared) == 0) workers.fail("gives the context no worker");
  if (const auto policy = io::find(value, "policy")) {
    part.policy = io::read_string(*policy, "a policy");
    if (!part.policy.empty()) io::with_place(*policy, [&] { static_cast<void>(policy::Spec(part.policy)); });
  }
  return part;
}

}  // namespace

std::vector<Candidate> gazolla_2017(const Platform& platform) {
  struct Of {
    std::uint32_t cores;
    std::uint32_t gpus;
  };
  static const std::array<std::vector<Of>, 15> kTable{{{{4, 0}},
                                                       {{0, 2}},
                                                       {{4, 2}},
                                                       {{0, 2}, {4, 0}},
                                                       {{2, 1}, {2, 1}},
                                                       {{2, 2}, {2, 0}},
                                                       {{0, 1}, {0, 1}, {4, 0}},
                                                       {{1, 1}, {1, 1}, {2, 0}},
                                                       {{0, 2}, {2, 0}, {2, 0}},
                                                       {{2, 2}, {1, 0}, {1, 0}},
                                                       {{1, 1}, {1, 1}, {1, 0}, {1, 0}},
                                                       {{1, 2}, {1, 0}, {1, 0}, {1, 0}},
                                                       {{0, 2}, {1, 0}, {1, 0}, {1, 0}, {1, 0}},
                                                       {{1, 1}, {0, 1}, {1, 0}, {1, 0}, {1, 0}},
                                                       {{0, 1}, {0, 1}, {1, 0}, {1, 0}, {1, 0}, {1, 0}}}};
  const Counts all = workers_of(platform);
  if (all.size() != 2 || all[ClassId{0}] != 4 || all[ClassId{1}] != 2) {
    throw InputError(
        "the candidates gazolla-2017 divide four workers of one class and two of the next (cpu=4,gpu=2); this platform "
        "has others: take the candidates 'all', or a file");
  }
  std::vector<Candidate> candidates;
  for (const std::vector<Of>& row : kTable) {
    Candidate& candidate = candidates.emplace_back();
    candidate.name = std::to_string(candidates.size());
    for (const auto [cores, gpus] : row) {
      Part& part = candidate.parts.emplace_back(Part{Counts(2, cores)});
      part.workers[ClassId{1}] = gpus;
    }
  }
  return candidates;
}

Partitions all_partitions(const Platform& platform, std::size_t most) {
  Partitions found;
  Divider divider(workers_of(platform), most, found);
  for (std::size_t parts = 1; parts <= platform.worker_count() && !found.is_cut; ++parts) divider.divide(parts);
  return found;
}

void add_joint(const Platform& platform, std::size_t most, Partitions& found) {
  const Counts all = workers_of(platform);
  for (std::uint64_t count = 1; count + 2 <= sum(all); ++count) {
    Counts shared(all.size(), 0);
    while (!found.is_cut && next_of_sum(shared, all, count)) {
      Counts rest = all;
      for (const ClassId c : rest.ids()) rest[c] -= shared[c];
      Divider divider(rest, most, found, shared);
      for (std::size_t parts = 2; parts <= sum(rest) && !found.is_cut; ++parts) divider.divide(parts);
    }
  }
}

Partitions joint_candidates(const Platform& platform, std::size_t most) {
  Partitions found = all_partitions(platform, most / 2);
  const bool lacks_partitions = std::exchange(found.is_cut, false);
  add_joint(platform, most, found);
  found.is_cut |= lacks_partitions;
  return found;
}

std::vector<Candidate> read_candidates(std::string_view text, std::string_view source, const Platform& platform) {
  constexpr const char* kList = R"(an array of candidates, or an object that has one as "candidates")";
  constexpr const char* kCandidate = R"(a candidate, {"name": "halves", "contexts": [...]})";
  const io::JsonDocument document(text, source);
  io::Json list = document.root();
  if (list.kind() == io::JsonKind::object) list = io::require(list, "candidates", kList);
  io::expect_array(list, kList);
  io::NameTable<ClassId> classes("class");
  for (const ClassId c : platform.classes()) classes.add(platform.class_name(c));
  std::vector<Candidate> candidates;
  std::set<std::string_view> names;
  for (const io::Json value : list) {
    io::expect_map(value, kCandidate);
    const io::Json name = io::require(value, "name", "the name of the candidate");
    Candidate candidate{std::string(io::read_name(name, "the name of a candidate")), {}};
    if (!names.insert(name.text()).second) io::fail_repeated(name, "candidate");
    const io::Json contexts = io::require(value, "contexts", "an array of contexts");
    io::expect_array(contexts, "an array of contexts");
    Counts left = workers_of(platform);
    const auto take = [&](ClassId c, std::uint32_t count) {
      if (count > left[c]) {
        contexts.fail("takes more workers of class '" + platform.class_name(c) + "' than the platform has (" +
                      std::to_string(platform.worker_count(c)) + ")");
      }
      left[c] -= count;
    };
    for (const io::Json context : contexts) {
      const Part& part = candidate.parts.emplace_back(read_part(context, platform, classes));
      for (const ClassId c : left.ids()) take(c, part.workers[c]);
    }
    for (const ClassId c : left.ids()) take(c, candidate.shared(c));
    if (candidate.parts.empty()) contexts.fail("has no context; expected at least one");
    candidates.push_back(std::move(candidate));
  }
  if (candidates.empty()) list.fail("has no candidate; expected at least one");
  return candidates;
}

std::string describe(const Candidate& candidate, const Platform& platform) {
  std::string text;
  for (const Part& part : candidate.parts) {
    if (!text.empty()) text += " | ";
    text += describe_counts(part.workers, platform);
    if (sum(part.shared) > 0) text += (sum(part.workers) > 0 ? " + " : "+ ") + describe_counts(part.shared, platform);
  }
  return text;
}

Table<ContextId, Context> contexts_of(const Candidate& candidate, const Platform& platform, const std::string& policy) {
  Counts own(platform.class_count(), 0);  // how many have been given
  Table<ContextId, Context> contexts;
  const auto give = [&](Context& context, ClassId c, std::uint32_t first, std::uint32_t count) {
    for (const WorkerId worker : platform.workers(c)) {
      if (count == 0) return;
      if (first > 0) {
        --first;
        continue;
      }
      context.workers.push_back(worker);
      --count;
    }
  };
  for (const Part& part : candidate.parts) {
    Context context{std::to_string(contexts.size() + 1), {}, part.policy.empty() ? policy : part.policy};
    for (const ClassId c : platform.classes())
      give(context, c, std::exchange(own[c], own[c] + part.workers[c]), part.workers[c]);
    contexts.push_back(std::move(context));
  }
  for (const ContextId id : contexts.ids()) {
    for (const ClassId c : platform.classes()) give(contexts[id], c, own[c], candidate.parts[index(id)].shared_of(c));
    std::ranges::sort(contexts[id].workers);
  }
  return contexts;
}

std::uint32_t Candidate::shared(ClassId c) const {
  std::uint32_t most = 0;
  for (const Part& part : parts) most = std::max(most, part.shared_of(c));
  return most;
}

double Candidate::worth(std::size_t part, ClassId c) const {
  double workers = parts[part].workers[c];
  // The first shared worker serves all that share any, the next ones only those that share more.
  for (std::uint32_t i = 0; i < parts[part].shared_of(c); ++i) {
    workers += 1.0 / static_cast<double>(
                         std::ranges::count_if(parts, [&](const Part& other) { return other.shared_of(c) > i; }));
  }
  return workers;
}

}  // namespace heddle::partition
