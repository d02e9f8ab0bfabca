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
  Journal(file.path(), "study", "1").append("cut", {{"makespan", 12.25}});
  const std::string line = file.text().substr(whole.size());
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

TEST(Journal, DoesNotReadALineInWhichABitChanged) {
  const ScratchFile file;
  Journal(file.path(), "study", "1").append("whole", {{"makespan", 12.25}});
  const std::size_t heading = file.text().find('\n') + 1;
  Journal(file.path(), "study", "1").append("other", {{"bound", 0.5}, {"makespan", 1.5}});
  const std::string text = file.text();
  for (std::size_t at = heading; at < text.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = text;
      damaged[at] = static_cast<char>(damaged[at] ^ 1 << bit);
      file.write(damaged);
      const Journal journal(file.path(), "study", "1");
      const Values* const whole = journal.find("whole");
      const Values* const other = journal.find("other");
      EXPECT_TRUE(whole == nullptr || *whole == Values({{"makespan", 12.25}})) << at << ", bit " << bit;
      EXPECT_TRUE(other == nullptr || *other == Values({{"bound", 0.5}, {"makespan", 1.5}})) << at << ", bit " << bit;
      EXPECT_FALSE(whole != nullptr && other != nullptr) << at << ", bit " << bit;
    }
  }
}

TEST(Journal, OfTheOldFormatIsBegunAnew) {
  const ScratchFile file;
  file.write("heddle-journal 1\tstudy\t1\ncell\tmakespan=12.25\t.\n");
  Journal journal(file.path(), "study", "1");
  EXPECT_EQ(journal.find("cell"), nullptr);
  EXPECT_EQ(file.text(), "heddle-journal 2\tstudy\t1\n");
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
  file.write("heddle-journals 2\tstudy\t1\n");
  EXPECT_THROW(Journal(file.path(), "study", "1"), InputError);
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
