#include "tests/bounds/public_instances.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "heddle/bounds/bounds.hpp"
#include "heddle/io/timed_graph.hpp"
#include "tests/support/test_data.hpp"

namespace heddle::bounds {
namespace {

TEST(PublicInstances, TheBoundsOfHeteroSwfAreConsistent) {
  HEDDLE_REQUIRE_DATA(data);
  for (const Instance& instance : test::hetero_swf_instances(data)) {
    SCOPED_TRACE(instance.name);
    const Bounds bounds = compute(instance, kAllKinds);
    EXPECT_TRUE(bounds[Kind::iterative]->exact);
    EXPECT_GT(bounds[Kind::area]->value, 0);
    for (const Kind kind : {Kind::critical_path, Kind::area, Kind::mixed}) {
      if (!bounds[kind]) continue;
      EXPECT_LE(bounds[kind]->value, bounds[Kind::iterative]->value) << to_string(kind);
    }
    EXPECT_LE(bounds[Kind::iterative]->value, bounds[Kind::window]->value);
  }
}

/// A row of stg/optimal.csv: file,procs,optimal_makespan.
struct KnownOptimum {
  std::string file;
  std::uint32_t workers = 0;
  Time makespan = 0;
};

std::vector<KnownOptimum> known_optima(const std::filesystem::path& stg) {
  std::istringstream table(test::read_file(stg / "optimal.csv"));
  std::vector<KnownOptimum> optima;
  std::string line;
  std::getline(table, line);
  while (std::getline(table, line)) {
    const std::size_t first = line.find(',');
    const std::size_t second = line.find(',', first + 1);
    optima.push_back({line.substr(0, first),
                      static_cast<std::uint32_t>(std::stoul(line.substr(first + 1, second - first - 1))),
                      std::stoll(line.substr(second + 1)) * kSecond});
  }
  return optima;
}

TEST(PublicInstances, NoBoundPassesTheKnownOptimaOfStg) {
  HEDDLE_REQUIRE_DATA(data);
  const auto optima = known_optima(data / "instances/stg");
  EXPECT_GE(optima.size(), 16U);
  for (const KnownOptimum& known : optima) {
    SCOPED_TRACE(known.file + " on " + std::to_string(known.workers));
    const std::string text = test::read_file(data / "instances/stg" / known.file);
    const Instance instance = io::place(io::read_stg(text, known.file), Platform({{"cpu", known.workers, "ram", {}}}));
    const Time best = compute(instance, kAllKinds).best();
    EXPECT_LE(best, known.makespan);
    EXPECT_GE(best, known.makespan * 9 / 10);  // on this set the bounds are good
  }
}

}  // namespace
}  // namespace heddle::bounds
