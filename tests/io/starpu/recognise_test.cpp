#include "heddle/io/starpu/recognise.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/io/starpu/recorded_text.hpp"

namespace heddle::io {
namespace {

TEST(RecogniseStarPU, RecordsAreToldApartByTheirFields) {
  const std::string tasks = test::record("1") + test::sync("2");
  EXPECT_TRUE(looks_like_tasks_rec(tasks));
  EXPECT_FALSE(looks_like_data_rec(tasks));
  EXPECT_TRUE(looks_like_data_rec("Handle: a\nSize: 3\n"));
  EXPECT_FALSE(looks_like_tasks_rec("Handle: a\nSize: 3\n"));
}

TEST(RecogniseStarPU, ALongFileIsCutAtALine) {
  std::string tasks;
  for (int i = 0; i < 100; ++i) tasks += test::record(std::to_string(i));
  for (int cut = 0; cut < 50; ++cut) {
    tasks.insert(0, "#");
    EXPECT_TRUE(looks_like_tasks_rec(std::string("\n") + tasks));
  }
}

TEST(RecogniseStarPU, PerformanceModelsBeginWithTheirVersion) {
  EXPECT_TRUE(looks_like_perfmodel("##\n45\n\n4\n# c\n1\n1\n0\n1\n1\n4\n"));
  EXPECT_TRUE(looks_like_perfmodel("45\n0\n"));
  EXPECT_FALSE(looks_like_perfmodel("45\n0 0 0\n1 5 0\n"));
  EXPECT_FALSE(looks_like_perfmodel("44\n4\n1\n1\n0\n1\n1\n"));
}

TEST(RecogniseStarPU, BusFilesAreKnownByTheirComments) {
  EXPECT_TRUE(looks_like_bus_config("# Current configuration\n12 # Number of CPUs\n"));
  EXPECT_TRUE(looks_like_bus_matrix("# to 0\t\tto 1\t\t\n0 1\n"));
  EXPECT_FALSE(looks_like_bus_matrix("# to 01\n"));
}

TEST(RecogniseStarPU, NothingElseIsTaken) {
  for (const char* text : {"", "{\"format\": \"heddle-instance\"}", "50\n0 0 0\n1 3 0\n", "0 1.5 2.5\n1 2 3 0\n",
                           "digraph { a -> b }", "Dear: all\nsee the JobId: here\n", "\x00\xff", "45", "#"}) {
    EXPECT_FALSE(looks_like_tasks_rec(text)) << text;
    EXPECT_FALSE(looks_like_data_rec(text)) << text;
    EXPECT_FALSE(looks_like_perfmodel(text)) << text;
    EXPECT_FALSE(looks_like_bus_config(text)) << text;
    EXPECT_FALSE(looks_like_bus_matrix(text)) << text;
  }
}

}  // namespace
}  // namespace heddle::io
