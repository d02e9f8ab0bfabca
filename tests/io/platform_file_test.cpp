#include "heddle/io/platform_file.hpp"

#include <gtest/gtest.h>

#include "tests/io/toy.hpp"

namespace heddle::test::platform_file_test {
namespace {

constexpr std::string_view kToybox = R"({
  "format": "heddle-platform", "version": 1, "name": "toybox",
  "classes": [
    {"name": "cpu", "workers": 4, "memory": "ram"},
    {"name": "gpu", "workers": 1, "memory": "each"}
  ],
  "links": [
    {"from": "ram", "to": "gpu0", "bandwidth": 12000000000, "latency": 0.00001, "via": ["switch0"]}
  ],
  "buses": [
    {"name": "switch0", "bandwidth": 24000000000}
  ],
  "kernels": [
    {"kernel": "POTRF", "tile": 960, "precision": "double", "seconds": {"cpu": 0.0106, "gpu": 0.0062}},
    {"codelet": "chol_model_gemm", "footprint": "24c84a50", "seconds": {"gpu": 0.00075, "cpu": 0.0349}, "derived": true},
    {"kernel": "GEMM", "tile": 32, "precision": "single", "codelet": "gemm", "footprint": "6e96d715", "seconds": {}}
  ]
}
)";

Machine read(std::string_view text) {
  return io::read_platform(text, "box.json");
}

TEST(ReadPlatform, UnderstandsEveryKey) {
  const Machine machine = read(kToybox);
  EXPECT_EQ(machine.name, "toybox");
  EXPECT_EQ(machine.classes.size(), 2u);
  EXPECT_EQ(machine.links[0].via[0], "switch0");
  EXPECT_EQ(machine.buses[0].bandwidth, 2.4e10);
  ASSERT_EQ(machine.kernels.size(), 3u);
  EXPECT_EQ(machine.kernels[0].kernel, "POTRF");
  EXPECT_EQ(machine.kernels[0].tile, 960);
  EXPECT_EQ(machine.kernels[0].precision, "double");
  EXPECT_FALSE(machine.kernels[0].derived);
  EXPECT_EQ(machine.kernels[1].codelet, "chol_model_gemm");
  EXPECT_EQ(machine.kernels[1].footprint, "24c84a50");
  EXPECT_TRUE(machine.kernels[1].derived);
  EXPECT_EQ(machine.kernels[1].seconds[0].class_name, "gpu");
  EXPECT_EQ(machine.kernels[1].seconds[0].duration, 750 * kMicrosecond);
}

TEST(ReadPlatform, NeedsOnlyClasses) {
  const Machine machine =
      read(R"({"format": "heddle-platform", "version": 1, "classes": [{"name": "cpu", "workers": 1}]})");
  EXPECT_EQ(machine.name, "box");
  EXPECT_TRUE(machine.kernels.empty());
}

TEST(WritePlatform, KeepsAFileAsItIs) {
  EXPECT_EQ(io::write_platform(read(kToybox)), kToybox);
}

using PlatformMistakes = testing::TestWithParam<Mistake>;

TEST_P(PlatformMistakes, GetOneClearSentence) {
  const std::string text = mutated(kToybox, GetParam().from, GetParam().to);
  EXPECT_EQ(error_of([&] { static_cast<void>(read(text)); }), GetParam().sentence);
}

const Mistake kMistakes[] = {
    {"heddle-platform", "heddle-platfrom",
     "box.json: format is the string 'heddle-platfrom'; expected 'heddle-platform'"},
    {"\"kernels\"", "\"kernel\"",
     "box.json: the document has the unknown key 'kernel'; did you mean 'kernels'? (possible: format, version, name, "
     "classes, links, buses, kernels)"},
    {"\"workers\": 4", "\"workers\": 0", ""},
    {"\"kernel\": \"POTRF\"", "\"kernl\": \"POTRF\"",
     "box.json: kernels[0] has the unknown key 'kernl'; did you mean 'kernel'? (possible: kernel, tile, precision, "
     "codelet, footprint, seconds, derived)"},
    {"\"kernel\": \"POTRF\", ", "", "box.json: kernels[0] has a 'tile' but no 'kernel'"},
    {"\"kernel\": \"POTRF\", \"tile\": 960, \"precision\": \"double\", ", "",
     "box.json: kernels[0] has neither 'kernel' nor 'codelet'; expected at least one of them"},
    {"\"tile\": 960, ", "", "box.json: kernels[0] has no 'tile'; expected the order of the square tile"},
    {"\"tile\": 960", "\"tile\": 0",
     "box.json: kernels[0].tile is the number 0; expected the order of the square tile, a whole number above 0 (digits "
     "only)"},
    {"\"double\"", "\"duoble\"",
     "box.json: kernels[0].precision is the string 'duoble'; expected 'single' or 'double'"},
    {"\"codelet\": \"chol_model_gemm\", ", "", "box.json: kernels[1] has a 'footprint' but no 'codelet'"},
    {"\"footprint\": \"24c84a50\", ", "", "box.json: kernels[1] has no 'footprint'; expected 8 hexadecimal digits"},
    {"24c84a50", "24c84a5",
     "box.json: kernels[1].footprint is the string '24c84a5'; expected 8 hexadecimal digits in lower case"},
    {"24c84a50", "24C84A50",
     "box.json: kernels[1].footprint is the string '24C84A50'; expected 8 hexadecimal digits in lower case"},
    {"{\"cpu\": 0.0106", "{\"cpus\": 0.0106",
     "box.json: kernels[0].seconds.cpus names no class; did you mean 'cpu'? (possible: cpu, gpu)"},
    {"\"gpu\": 0.0062", "\"cpu\": 0.0062", "box.json: kernels[0].seconds has the key 'cpu' twice"},
    {"\"GEMM\", \"tile\": 32, \"precision\": \"single\", \"codelet\": \"gemm\", \"footprint\": \"6e96d715\"",
     "\"POTRF\", \"tile\": 960, \"precision\": \"double\"",
     "box.json: kernels[2] is kernel 'POTRF' at tile 960 in double precision again; expected one entry for it"},
    {"\"gemm\", \"footprint\": \"6e96d715\"", "\"chol_model_gemm\", \"footprint\": \"24c84a50\"",
     "box.json: kernels[2] is codelet 'chol_model_gemm' with footprint '24c84a50' again; expected one entry for them"},
    {"\"GEMM\", \"tile\": 32, \"precision\": \"single\"", "\"POTRF\", \"tile\": 960, \"precision\": \"double\"", ""},
    {"\"derived\": true", "\"derived\": 1", "box.json: kernels[1].derived is the number 1; expected true or false"},
    {", \"seconds\": {\"cpu\": 0.0106, \"gpu\": 0.0062}", "",
     "box.json: kernels[0] has no 'seconds'; expected an object of seconds by class"},
};
INSTANTIATE_TEST_SUITE_P(All, PlatformMistakes, testing::ValuesIn(kMistakes));

}  // namespace
}  // namespace heddle::test::platform_file_test
