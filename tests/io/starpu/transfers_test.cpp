#include "heddle/io/starpu/transfers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "heddle/io/file.hpp"
#include "heddle/io/starpu/execution.hpp"
#include "heddle/io/starpu/recording.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/validate.hpp"

namespace heddle::io::transfers_test {
namespace {

const std::string kHeader =
    "%EventDef\tPajeStartLink\t24\n%\tTime\tdate\n%\tType\tstring\n%\tContainer\tstring\n%\tValue\tstring\n"
    "%\tStartContainer\tstring\n%\tKey\tstring\n%\tHandle\tstring\n%\tHName\tstring\n%EndEventDef\n"
    "%EventDef\tPajeStartLink\t18\n% Time date\n% Type string\n% Container string\n% Value string\n"
    "% StartContainer string\n% Key string\n%EndEventDef\n"
    "%EventDef\tPajeEndLink\t19\n%\tTime\tdate\n%\tType\tstring\n%\tContainer\tstring\n%\tValue\tstring\n"
    "%\tEndContainer\tstring\n%\tKey\tstring\n%EndEventDef\n";

std::string error_of(const std::string& text) {
  try {
    static_cast<void>(read_paje_transfers(text, "a.trace"));
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(PajeTransfers, AreTheLinksThatNameAHandle) {
  const auto transfers = read_paje_transfers(kHeader +
                                                 "24 1.5 F p 4096 mm0 com_1 5a00 \"sub A\"\n"
                                                 "24 2 F p 100 mm1 com_2 5a10 \"\"\n"
                                                 "18 2 MPI p 100 mm1 com_3\n"        // no handle
                                                 "10 3 w0 WS \"anything\" at all\n"  // another event
                                                 "19 3 F p 100 mm0 com_2\n"
                                                 "19 3.25 F p 4096 mm12 com_1\n"
                                                 "24 4 F p 1 mm0 com_4 5a00 x\n"  // never ends
                                                 "19 5 F p 1 mm0 com_5\n",        // never began
                                             "a.trace");
  ASSERT_EQ(transfers.size(), 2U);
  EXPECT_EQ(transfers[0].handle, "5a10");
  EXPECT_EQ(transfers[0].from, 1U);
  EXPECT_EQ(transfers[0].to, 0U);
  EXPECT_EQ(transfers[1].handle, "5a00");
  EXPECT_EQ(transfers[1].to, 12U);
  EXPECT_EQ(transfers[1].start, kMillisecond * 3 / 2);
  EXPECT_EQ(transfers[1].end, kMillisecond * 13 / 4);
  EXPECT_EQ(transfers[1].bytes, 4096);
}

TEST(PajeTransfers, SayWhatIsWrong) {
  EXPECT_EQ(error_of("24 1.5 F p 4096 mm0 com_1 5a00 x\n"),
            "a.trace:1: found no definition of events (%EventDef); expected a Paje trace");
  const std::string line = "a.trace:" + std::to_string(std::ranges::count(kHeader, '\n') + 1) + ": ";
  EXPECT_EQ(error_of(kHeader + "24 1.5 F p\n"), line + "the line has 4 fields; expected 9");
  EXPECT_EQ(error_of(kHeader + "24 1.5 F p many mm0 com_1 5a00 x\n"),
            line + "found 'many'; expected a number of bytes");
  EXPECT_NE(error_of(kHeader + "24 soon F p 1 mm0 com_1 5a00 x\n"), "no error");
}

TEST(PajeTransfers, OfARealTraceComeBeforeTheTasksThatNeedThem) {
  const std::string path = HEDDLE_SOURCE_DIR "/tests/recordings/simulated.tasks.rec.gz";
  const auto transfers = load_transfers(path);
  ASSERT_TRUE(transfers);
  const Execution run = execution_of(load_recording(path), std::nullopt, *transfers);
  EXPECT_EQ(run.schedule.transfers.size(), transfers->size());
  EXPECT_EQ(validate_attempts(run.instance, run.schedule, Durations::free), std::vector<std::string>());
  // Each datum that a task reads has come to its GPU by then, or was written there.
  const TaskGraph& graph = run.instance.graph;
  for (const Attempt& attempt : run.schedule.attempts) {
    const MemoryId memory = run.instance.platform.memory_of(attempt.worker);
    for (const Access access : graph.accesses(attempt.task)) {
      if (!reads(access.mode)) continue;
      const bool arrived = std::ranges::any_of(run.schedule.transfers, [&](const Transfer& transfer) {
        return transfer.data == access.data && transfer.to == memory && transfer.end <= attempt.start;
      });
      const bool written = std::ranges::any_of(graph.predecessors(attempt.task), [&](TaskId before) {
        return std::ranges::any_of(run.schedule.attempts, [&](const Attempt& other) {
          return other.task == before && run.instance.platform.memory_of(other.worker) == memory;
        });
      });
      EXPECT_TRUE(arrived || written) << graph.name(attempt.task) << " " << graph.datum(access.data).name;
    }
  }
  for (const Transfer& transfer : run.schedule.transfers) {
    EXPECT_EQ(transfer.bytes, 960 * 960 * 4);
    EXPECT_LT(transfer.start, transfer.end);
  }
}

TEST(PajeTransfers, OfRunsOnCoresAreNone) {
  for (const char* name : {"cg", "dot_product", "cholesky_implicit"}) {
    SCOPED_TRACE(name);
    const std::string path = std::string(HEDDLE_SOURCE_DIR "/tests/recordings/") + name + ".tasks.rec.gz";
    const auto transfers = load_transfers(path);
    ASSERT_TRUE(transfers);
    const Execution run = execution_of(load_recording(path), std::nullopt, *transfers);
    EXPECT_TRUE(run.schedule.transfers.empty());
    EXPECT_EQ(run.instance.platform.worker_count(), 2U);
    EXPECT_EQ(run.confined, 0U);
    EXPECT_EQ(validate_attempts(run.instance, run.schedule, Durations::free), std::vector<std::string>());
  }
}

}  // namespace
}  // namespace heddle::io::transfers_test
