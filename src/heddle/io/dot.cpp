#include "heddle/io/dot.hpp"

#include <fmt/format.h>

#include "heddle/io/text.hpp"

namespace heddle::io {
namespace {

/// Appends the text for use between double quotes: labels may hold escapes of Graphviz, so backslashes double too.
void append_escaped(fmt::memory_buffer& out, std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const char c = text[0];
    if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(c);
    } else if (length == 0 || (length == 1 && (c < ' ' || c == '\x7F'))) {
      out.push_back('?');
    } else {
      out.append(text.substr(0, length));
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
}

/// A pastel hue; steps of the golden section keep any number of types apart.
void append_colour(fmt::memory_buffer& out, TypeId type) {
  constexpr std::uint64_t kStep = 618'034;
  constexpr std::uint64_t kCircle = 1'000'000;
  fmt::format_to(fmt::appender(out), "\"0.{:06} 0.35 0.95\"", index(type) * kStep % kCircle);
}

}  // namespace

std::string write_dot(const TaskGraph& graph, std::string_view name) {
  fmt::memory_buffer out;
  const auto print = [&out](std::string_view text) { out.append(text.data(), text.data() + text.size()); };
  print("digraph \"");
  append_escaped(out, name);
  print("\" {\n  node [shape=box, style=\"rounded,filled\"];\n");
  for (const TaskId task : graph.tasks()) {
    fmt::format_to(fmt::appender(out), "  t{} [label=\"", index(task));
    append_escaped(out, graph.name(task));
    print("\\n");
    append_escaped(out, graph.type_name(graph.type(task)));
    print("\", fillcolor=");
    append_colour(out, graph.type(task));
    print("];\n");
  }
  for (const TaskId task : graph.tasks()) {
    for (const TaskId successor : graph.successors(task)) {
      fmt::format_to(fmt::appender(out), "  t{} -> t{};\n", index(task), index(successor));
    }
  }
  print("}\n");
  return fmt::to_string(out);
}

}  // namespace heddle::io
