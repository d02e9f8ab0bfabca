#include "heddle/experiment/journal.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "heddle/model/error.hpp"
#include "tests/experiment/scratch.hpp"

namespace heddle::experiment {
namespace {

TEST(Journal, GivesValuesBackToTheLastBit) {
  const ScratchFile file;
  const Values values{{"third", 1.0 / 3.0}, {"tiny", 5e-324}, {"negative", -0.0}, {"large", 1e300}};
  Journal(file.path(), "study", "1").append("a key, with words", values);
  const Journal journal(file.path(), "study", "1");
  ASSERT_NE(journal.find("a key, with words"), nullptr);
  EXPECT_EQ(*journal.find("a key, with words"), values);
  EXPECT_TRUE(std::signbit(journal.find("a key, with words")->at("negative")));
  EXPECT_EQ(journal.find("a key"), nullptr);
}

TEST(Journal, DoesNotReadALineThatWasCutShort) {
  const ScratchFile file;
  Journal(file.path(), "study", "1").append("whole", {{"makespan", 12.25}});
  const std::string whole = file.text();
  const std::string line = "cut\tmakespan=12.25\t.\n";
  for (std::size_t length = 1; length + 1 < line.size(); ++length) {
    file.write(whole + line.substr(0, length));
    {
      Journal journal(file.path(), "study", "1");
      EXPECT_NE(journal.find("whole"), nullptr);
      EXPECT_EQ(journal.find("cut"), nullptr) << length;
      journal.append("next", {{"makespan", 1.5}});
    }
    const Journal again(file.path(), "study", "1");
    EXPECT_EQ(again.find("cut"), nullptr) << length;
    ASSERT_NE(again.find("next"), nullptr) << length;
    EXPECT_EQ(again.find("next")->at("makespan"), 1.5);
  }
}

TEST(Journal, DropsTheCellsOfAnotherEditionAndOnDemand) {
  const ScratchFile file;
  Journal(file.path(), "study", "1").append("cell", {});
  EXPECT_NE(Journal(file.path(), "study", "1").find("cell"), nullptr);
  EXPECT_EQ(Journal(file.path(), "study", "2").find("cell"), nullptr);
  EXPECT_EQ(Journal(file.path(), "study", "1").find("cell"), nullptr) << "the file was begun anew";
  Journal(file.path(), "study", "1").append("cell", {});
  EXPECT_EQ(Journal(file.path(), "study", "1", true).find("cell"), nullptr);
}

TEST(Journal, IsNotAppendedToByAnotherEdition) {
  const ScratchFile file;
  Journal older(file.path(), "study", "1");
  Journal newer(file.path(), "study", "2");
  older.append("cell", {{"makespan", 1.5}});
  newer.append("other", {{"makespan", 2.5}});
  const Journal again(file.path(), "study", "2");
  EXPECT_EQ(again.find("cell"), nullptr);
  EXPECT_NE(again.find("other"), nullptr);
}

TEST(Journal, LeavesOtherFilesAlone) {
  const ScratchFile file;
  file.write("Chapter 1. Everything I know\n");
  EXPECT_THROW(Journal(file.path(), "study", "1", true), InputError);
  EXPECT_EQ(file.text(), "Chapter 1. Everything I know\n");
  file.write("");
  Journal(file.path(), "study", "1").append("cell", {});
  EXPECT_THROW(Journal(file.path(), "other", "1", true), InputError);
  EXPECT_NE(Journal(file.path(), "study", "1").find("cell"), nullptr);
}

TEST(Journal, SaysWhenItCannotBeKept) {
  EXPECT_THROW(Journal("/proc/no/such.journal", "study", "1"), InputError);
  EXPECT_THROW(Journal("/dev/full", "study", "1"), InputError);
}

}  // namespace
}  // namespace heddle::experiment
