#include <gtest/gtest.h>

#include <ostream>

#include "heddle/io/instance_file.hpp"
#include "tests/io/toy.hpp"

namespace heddle::test {

void PrintTo(const Mistake& mistake, std::ostream* out) {
  *out << mistake.to;
}

namespace {

using InstanceMistakes = testing::TestWithParam<Mistake>;

TEST_P(InstanceMistakes, GetOneClearSentence) {
  const std::string text = mutated(kToy, GetParam().from, GetParam().to);
  EXPECT_EQ(error_of([&] { static_cast<void>(io::read_instance(text, "toy.json")); }), GetParam().sentence);
}

const Mistake kSyntax[] = {
    {R"("version": 1,)", R"("version": 1)",
     "toy.json:2:50: the text cannot be read as JSON: unexpected string literal; expected '}'"},
    {R"("name": "toy",)", R"("name": "toy,)",
     "toy.json:2:59: the text cannot be read as JSON: invalid string: control character U+000A (LF) must be escaped to "
     "\\u000A or \\n"},
    {R"("name": "toy")", R"(name: "toy")",
     "toy.json:2:47: the text cannot be read as JSON: invalid literal; expected string literal"},
    {"2, \"memory\"", "02, \"memory\"",
     "toy.json:5:35: the text cannot be read as JSON: unexpected number literal; expected '}'"},
    {"\n  ]\n}\n", "\n  ]\n", "toy.json:28:1: the text cannot be read as JSON: unexpected end of input; expected '}'"},
    {"\n  ]\n}\n", "\n  ]\n}}",
     "toy.json:28:2: the text cannot be read as JSON: unexpected '}'; expected end of input"},
    {"0.001", "1e999", "toy.json:18:46: the text cannot be read as JSON: number overflow parsing '1e999'"},
    {"toy", "\xFF", "toy.json:2:55: the text cannot be read as JSON: invalid string: ill-formed UTF-8 byte"},
};
INSTANTIATE_TEST_SUITE_P(Syntax, InstanceMistakes, testing::ValuesIn(kSyntax));

const Mistake kHead[] = {
    {"\"format\"", "\"fromat\"",
     "toy.json: the document has the unknown key 'fromat'; did you mean 'format'? (possible: format, version, name, "
     "platform, types, data, contexts, tasks)"},
    {"heddle-instance", "heddle-instanze",
     "toy.json: format is the string 'heddle-instanze'; expected 'heddle-instance'"},
    {"heddle-instance", "heddle-schedule",
     "toy.json: format is the string 'heddle-schedule'; expected 'heddle-instance'"},
    {"\"version\": 1", "\"version\": 2", "toy.json: version is the number 2; expected 1, the only version there is"},
    {"\"version\": 1", "\"version\": \"1\"",
     "toy.json: version is the string '1'; expected 1, the only version there is"},
    {"\"version\": 1, ", "", "toy.json: the document has no 'version'; expected 1"},
    {"\"name\": \"toy\"", "\"naem\": \"toy\"",
     "toy.json: the document has the unknown key 'naem'; did you mean 'name'? (possible: format, version, name, "
     "platform, types, data, contexts, tasks)"},
    {"\"name\": \"toy\"", "\"name\": 7", "toy.json: name is the number 7; expected the name of the instance"},
    {"\"types\"", "\"type\"",
     "toy.json: the document has the unknown key 'type'; did you mean 'types'? (possible: format, version, name, "
     "platform, types, data, contexts, tasks)"},
    {"\"data\"", "\"date\"",
     "toy.json: the document has the unknown key 'date'; did you mean 'data'? (possible: format, version, name, "
     "platform, types, data, contexts, tasks)"},
    {"\"tasks\"", "\"jobs\"",
     "toy.json: the document has the unknown key 'jobs'; possible: format, version, name, platform, types, data, "
     "contexts, tasks"},
    {"\"platform\"", "\"plattform\"",
     "toy.json: the document has the unknown key 'plattform'; did you mean 'platform'? (possible: format, version, "
     "name, platform, types, data, contexts, tasks)"},
    {"\"name\": \"toy\"", "\"name\": \"toy\", \"name\": \"toy\"", "toy.json: the document has the key 'name' twice"},
};
INSTANTIATE_TEST_SUITE_P(Head, InstanceMistakes, testing::ValuesIn(kHead));

const Mistake kPlatform[] = {
    {"\"classes\"", "\"class\"",
     "toy.json: platform has the unknown key 'class'; did you mean 'classes'? (possible: classes, links, buses)"},
    {"\"name\": \"cpu\", ", "", "toy.json: platform.classes[0] has no 'name'; expected the name of a class"},
    {"\"name\": \"cpu\"", "\"name\": \"\"",
     "toy.json: platform.classes[0].name is an empty string; expected the name of a class"},
    {"\"name\": \"gpu\"", "\"name\": \"cpu\"",
     "toy.json: platform.classes[1].name is 'cpu' again; expected a different name for each class"},
    {"\"workers\": 2", "\"worker\": 2",
     "toy.json: platform.classes[0] has the unknown key 'worker'; did you mean 'workers'? (possible: name, workers, "
     "memory, memory_bytes, watts)"},
    {"\"workers\": 2", "\"workers\": -2",
     "toy.json: platform.classes[0].workers is the number -2; expected a whole number of workers (digits only, at most "
     "a million)"},
    {"\"workers\": 2", "\"workers\": 2.0",
     "toy.json: platform.classes[0].workers is the number 2.0; expected a whole number of workers (digits only, at "
     "most a million)"},
    {"\"workers\": 2", "\"workers\": \"two\"",
     "toy.json: platform.classes[0].workers is the string 'two'; expected a whole number of workers (digits only, at "
     "most a million)"},
    {"\"workers\": 2", "\"workers\": 4000000000",
     "toy.json: platform.classes[0].workers is the number 4000000000; expected a whole number of workers (digits only, "
     "at most a million)"},
    {"\"workers\": 2", "\"workers\": 5000000000",
     "toy.json: platform.classes[0].workers is the number 5000000000; expected a whole number of workers (digits only, "
     "at most a million)"},
    {"\"workers\": 2", "\"workers\": 99999999999999999999",
     "toy.json: platform.classes[0].workers is the number 99999999999999999999; expected a whole number of workers "
     "(digits only, at most a million)"},
    {"\"memory\": \"ram\"", "\"memmory\": \"ram\"",
     "toy.json: platform.classes[0] has the unknown key 'memmory'; did you mean 'memory'? (possible: name, workers, "
     "memory, memory_bytes, watts)"},
    {"\"memory\": \"ram\"", "\"memory\": 7",
     "toy.json: platform.classes[0].memory is the number 7; expected \"each\" or the name of a memory"},
    {"16000000000", "1.6e10",
     "toy.json: platform.classes[1].memory_bytes is the number 1.6e10; expected a whole number of bytes (digits only)"},
    {"16000000000", "-1",
     "toy.json: platform.classes[1].memory_bytes is the number -1; expected a whole number of bytes (digits only)"},
    {"\"from\": \"ram\"", "\"from\": \"rma\"",
     "toy.json: platform.links[0].from is 'rma', but no memory is called so; did you mean 'ram'? (possible: ram, "
     "gpu0)"},
    {"\"to\": \"gpu0\"", "\"to\": \"gpu1\"",
     "toy.json: platform.links[0].to is 'gpu1', but no memory is called so; did you mean 'gpu0'? (possible: ram, "
     "gpu0)"},
    {"\"memory\": \"each\"", "\"memory\": \"eahc\"",
     "toy.json: platform.links[0].to is 'gpu0', but no memory is called so; possible: ram, eahc"},
    {"\"to\": \"gpu0\"", "\"to\": \"ram\"", "toy.json: platform: the link from 'ram' to 'ram' goes nowhere"},
    {"\"from\": \"ram\", ", "", "toy.json: platform.links[0] has no 'from'; expected the name of a memory"},
    {"\"bandwidth\": 12000000000", "\"bandwith\": 12000000000",
     "toy.json: platform.links[0] has the unknown key 'bandwith'; did you mean 'bandwidth'? (possible: from, to, "
     "bandwidth, latency, via)"},
    {"\"bandwidth\": 12000000000", "\"bandwidth\": 0",
     "toy.json: platform.links[0].bandwidth is the number 0; expected bytes per second, above 0"},
    {"\"bandwidth\": 12000000000", "\"bandwidth\": \"fast\"",
     "toy.json: platform.links[0].bandwidth is the string 'fast'; expected bytes per second, above 0"},
    {"\"latency\": 0.00001", "\"latency\": -1",
     "toy.json: platform.links[0].latency is the number -1; expected seconds, which are not negative"},
    {"\"latency\": 0.00001", "\"latency\": \"1 ms\"",
     "toy.json: platform.links[0].latency is the string '1 ms'; expected seconds"},
    {"[\"switch0\"]", "\"switch0\"",
     "toy.json: platform.links[0].via is the string 'switch0'; expected an array of bus names"},
    {"[\"switch0\"]", "[\"swich0\"]",
     "toy.json: platform.links[0].via[0] is 'swich0', but no bus is called so; did you mean 'switch0'? (possible: "
     "switch0)"},
    {"{\"name\": \"switch0\"", "{\"nam\": \"switch0\"",
     "toy.json: platform.buses[0] has the unknown key 'nam'; did you mean 'name'? (possible: name, bandwidth)"},
    {"\"from\": \"gpu0\", \"to\": \"ram\"", "\"from\": \"ram\", \"to\": \"gpu0\"",
     "toy.json: platform: the link from 'ram' to 'gpu0' is given twice"},
};
INSTANTIATE_TEST_SUITE_P(Platform, InstanceMistakes, testing::ValuesIn(kPlatform));

const Mistake kTypes[] = {
    {"{\"name\": \"CHECK\"", "{\"nmae\": \"CHECK\"",
     "toy.json: types[1] has the unknown key 'nmae'; did you mean 'name'? (possible: name, seconds, estimates)"},
    {"\"CHECK\"", "\"POTRF\"", "toy.json: types[1].name is 'POTRF' again; expected a different name for each type"},
    {"\"seconds\": {\"cpu\"", "\"second\": {\"cpu\"",
     "toy.json: types[0] has the unknown key 'second'; did you mean 'seconds'? (possible: name, seconds, estimates)"},
    {"\"seconds\": {\"cpu\"", "\"seconds\": {\"cqu\"",
     "toy.json: types[0].seconds.cqu names no class; did you mean 'cpu'? (possible: cpu, gpu)"},
    {"\"seconds\": {\"cpu\": 0.01", "\"seconds\": {\"gpu\": 0.01",
     "toy.json: types[0].seconds has the key 'gpu' twice"},
    {"0.006", "-0.006",
     "toy.json: types[0].seconds.gpu is the number -0.006; expected seconds, which are not negative"},
    {"0.006", "\"0.006\"", "toy.json: types[0].seconds.gpu is the string '0.006'; expected seconds"},
    {"0.006", "1e30",
     "toy.json: types[0].seconds.gpu is the number 1e30: the time does not fit in 64 bits of picoseconds (106 days)"},
    {"0.006", "null", "toy.json: types[0].seconds.gpu is null; expected seconds"},
    {"{\"cpu\": 0.001}", "0.001",
     "toy.json: types[1].seconds is the number 0.001; expected an object of seconds by class, e.g. {\"cpu\": 0.01}"},
    {"\"estimates\": {\"gpu\": 0.007}", "\"estimate\": {\"gpu\": 0.007}",
     "toy.json: types[0] has the unknown key 'estimate'; did you mean 'estimates'? (possible: name, seconds, "
     "estimates)"},
    {"\"estimates\": {\"gpu\": 0.007}", "\"estimates\": {\"gpq\": 0.007}",
     "toy.json: types[0].estimates.gpq names no class; did you mean 'gpu'? (possible: cpu, gpu)"},
    {"{\"cpu\": 0.001}", "{\"cpu\": 0.001}, \"estimates\": {\"gpu\": 1}",
     "toy.json: types[1].estimates.gpu is for a class that 'seconds' does not name"},
};
INSTANTIATE_TEST_SUITE_P(Types, InstanceMistakes, testing::ValuesIn(kTypes));

const Mistake kData[] = {
    {"\"bytes\": 8000000", "\"byte\": 8000000",
     "toy.json: data[0] has the unknown key 'byte'; did you mean 'bytes'? (possible: name, bytes, home, write_back)"},
    {"\"bytes\": 8000000", "\"bytes\": -8",
     "toy.json: data[0].bytes is the number -8; expected a whole number of bytes (digits only)"},
    {"\"bytes\": 8000000", "\"bytes\": 8e6",
     "toy.json: data[0].bytes is the number 8e6; expected a whole number of bytes (digits only)"},
    {"\"home\": \"ram\"", "\"hom\": \"ram\"",
     "toy.json: data[0] has the unknown key 'hom'; did you mean 'home'? (possible: name, bytes, home, write_back)"},
    {"\"home\": \"ram\"", "\"home\": \"gpu\"",
     "toy.json: data[0].home is 'gpu', but no memory is called so; did you mean 'gpu0'? (possible: ram, gpu0)"},
    {"{\"name\": \"A\"", "{\"name\": 1", "toy.json: data[0].name is the number 1; expected the name of a datum"},
    {"8000000, \"home\": \"ram\"}", "8000000}, {\"name\": \"A\", \"bytes\": 1}",
     "toy.json: data[1].name is 'A' again; expected a different name for each datum"},
};
INSTANTIATE_TEST_SUITE_P(Data, InstanceMistakes, testing::ValuesIn(kData));

const Mistake kTasks[] = {
    {"{\"name\": \"c0\"", "{\"nane\": \"c0\"",
     "toy.json: tasks[1] has the unknown key 'nane'; did you mean 'name'? (possible: name, type, after, access, "
     "priority, context, seconds, estimates)"},
    {"{\"name\": \"c0\"", "{\"name\": \"p0\"",
     "toy.json: tasks[1].name is 'p0' again; expected a different name for each task"},
    {"{\"name\": \"c0\"", "{\"name\": \"\"", "toy.json: tasks[1].name is an empty string; expected the name of a task"},
    {"{\"name\": \"p0\", \"type\"", "{\"name\": \"p0\", \"typ\"",
     "toy.json: tasks[0] has the unknown key 'typ'; did you mean 'type'? (possible: name, type, after, access, "
     "priority, context, seconds, estimates)"},
    {"\"type\": \"POTRF\"", "\"type\": \"POTFR\"",
     "toy.json: tasks[0].type is 'POTFR', but no type is called so; did you mean 'POTRF'? (possible: POTRF, CHECK)"},
    {"\"type\": \"POTRF\", ", "", "toy.json: tasks[0] has no 'type'; expected the name of a type"},
    {"\"access\"", "\"acces\"",
     "toy.json: tasks[0] has the unknown key 'acces'; did you mean 'access'? (possible: name, type, after, access, "
     "priority, context, seconds, estimates)"},
    {"[[\"A\", \"rw\"]]", "[\"A\", \"rw\"]",
     "toy.json: tasks[0].access[0] is the string 'A'; expected a pair of datum and mode, e.g. [\"A\", \"rw\"]"},
    {"[[\"A\", \"rw\"]]", "[[\"A\"]]",
     "toy.json: tasks[0].access[0] is an array of length 1; expected a pair of datum and mode, e.g. [\"A\", \"rw\"]"},
    {"[\"A\", \"rw\"]", "[\"a1\", \"rw\"]",
     "toy.json: tasks[0].access[0][0] is 'a1', but no datum is called so; possible: A"},
    {"[\"A\", \"rw\"]", "[\"A\", \"wr\"]",
     "toy.json: tasks[0].access[0][1] is 'wr', but no access mode is called so; possible: r, w, rw, commute, reduce"},
    {"[\"A\", \"rw\"]", "[\"A\", \"comute\"]",
     "toy.json: tasks[0].access[0][1] is 'comute', but no access mode is called so; did you mean 'commute'? (possible: "
     "r, w, rw, commute, reduce)"},
    {"[\"A\", \"rw\"]", "[\"A\", 7]", "toy.json: tasks[0].access[0][1] is the number 7; expected an access mode"},
    {"[\"A\", \"rw\"]", "[\"A\", \"commute\"], [\"A\", \"r\"]",
     "toy.json: tasks[0]: task 'p0' accesses datum 'A' twice; commute and reduce allow one access per task and datum"},
    {"\"after\"", "\"aftre\"",
     "toy.json: tasks[1] has the unknown key 'aftre'; did you mean 'after'? (possible: name, type, after, access, "
     "priority, context, seconds, estimates)"},
    {"\"after\": [\"p0\"]", "\"after\": \"p0\"",
     "toy.json: tasks[1].after is the string 'p0'; expected an array of task names"},
    {"\"after\": [\"p0\"]", "\"after\": [\"p0\", \"p1\"]",
     "toy.json: tasks[1].after[1] is 'p1', but no task is called so; did you mean 'p0'? (possible: p0, c0, x)"},
    {"\"after\": [\"p0\"]", "\"after\": [\"p0\", 1]",
     "toy.json: tasks[1].after[1] is the number 1; expected the name of a task"},
    {"\"after\": [\"p0\"]", "\"after\": [\"c0\"]", "toy.json: the dependencies form a cycle: 'c0' -> 'c0'"},
    {"\"access\": [[\"A\", \"rw\"]]", "\"after\": [\"c0\"]",
     "toy.json: the dependencies form a cycle: 'p0' -> 'c0' -> 'p0'"},
    {"\"priority\"", "\"prio\"",
     "toy.json: tasks[1] has the unknown key 'prio'; did you mean 'priority'? (possible: name, type, after, access, "
     "priority, context, seconds, estimates)"},
    {"\"priority\": 3", "\"priority\": 3.5",
     "toy.json: tasks[1].priority is the number 3.5; expected a whole number of 64 bits (no point, no exponent)"},
    {"\"priority\": 3", "\"priority\": 9223372036854775808",
     "toy.json: tasks[1].priority is the number 9223372036854775808; expected a whole number of 64 bits (no point, no "
     "exponent)"},
    {"\"seconds\": {\"gpu\": 0.5}", "\"secnods\": {\"gpu\": 0.5}",
     "toy.json: tasks[2] has the unknown key 'secnods'; did you mean 'seconds'? (possible: name, type, after, access, "
     "priority, context, seconds, estimates)"},
    {"\"seconds\": {\"gpu\": 0.5}", "\"seconds\": {\"gpus\": 0.5}",
     "toy.json: tasks[2].seconds.gpus names no class; did you mean 'gpu'? (possible: cpu, gpu)"},
    {"\"seconds\": {\"gpu\": 0.5}, \"estimates\": {\"gpu\": 0.25}", "\"seconds\": {}",
     "toy.json: task 'x' of type 'POTRF' can run on no class that has a worker (cpu, gpu)"},
    {"\"estimates\": {\"gpu\": 0.25}", "\"estimates\": {\"cpu\": 0.25}",
     "toy.json: tasks[2].estimates.cpu is for a class that 'seconds' does not name"},
    {"\"seconds\": {\"gpu\": 0.5}", "\"seconds\": {\"gpu\": 9e6}",
     "toy.json: the tasks one after the other, each on its slowest class, take more than 576460.752303423487 s, the "
     "most "
     "that is possible (at task 'x')"},
};
INSTANTIATE_TEST_SUITE_P(Tasks, InstanceMistakes, testing::ValuesIn(kTasks));

}  // namespace
}  // namespace heddle::test
