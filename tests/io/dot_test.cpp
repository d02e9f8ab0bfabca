#include "heddle/io/dot.hpp"

#include <gtest/gtest.h>

namespace heddle::test {
namespace {

TEST(WriteDot, ShowsNamesTypesAndEdges) {
  TaskGraphBuilder builder;
  const TypeId potrf = builder.add_type("POTRF");
  const TypeId odd = builder.add_type("a \"b\" \\n\n\xC3\xA9\xFF");
  const TaskId first = builder.add_task("p0", potrf);
  builder.add_edge(first, builder.add_task("x\\", odd));
  EXPECT_EQ(io::write_dot(builder.build(), "to\"y"),
            "digraph \"to\\\"y\" {\n"
            "  node [shape=box, style=\"rounded,filled\"];\n"
            "  t0 [label=\"p0\\nPOTRF\", fillcolor=\"0.000000 0.35 0.95\"];\n"
            "  t1 [label=\"x\\\\\\na \\\"b\\\" \\\\n?\xC3\xA9?\", fillcolor=\"0.618034 0.35 0.95\"];\n"
            "  t0 -> t1;\n"
            "}\n");
}

}  // namespace
}  // namespace heddle::test
