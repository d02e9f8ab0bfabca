#include "heddle/report/study_page.hpp"

#include "heddle/report/page_template.hpp"
#include "heddle/report/script_json.hpp"
#include "heddle/report/study/embedded.hpp"
#include "heddle/report/uplot/embedded.hpp"

namespace heddle::report {
namespace {

void write_flag(ScriptJson& json, std::string_view key, bool value) {
  json.key(key);
  json.boolean(value);
}

void write_values(ScriptJson& json, std::string_view key, const std::vector<std::optional<double>>& values) {
  write_list(json, key, values, [&](const std::optional<double>& value) { json.optional(value); });
}

void write_claim(ScriptJson& json, const Claim& claim) {
  json.open_object();
  write(json, "source", claim.source);
  write(json, "published", claim.published);
  write(json, "criterion", claim.criterion);
  write(json, "found", claim.found);
  write_flag(json, "holds", claim.holds);
  json.close_object();
}

void write_table(ScriptJson& json, const StudyTable& table) {
  json.open_object();
  write(json, "title", table.title);
  write_list(json, "columns", table.columns, [&](const Column& column) {
    json.open_object();
    write(json, "title", column.title);
    write_flag(json, "right", column.align == Align::right);
    json.close_object();
  });
  write_list(json, "rows", table.rows, [&](const std::vector<std::string>& row) {
    json.open_array();
    for (const std::string& cell : row) json.string(cell);
    json.close_array();
  });
  json.close_object();
}

void write_series(ScriptJson& json, const Series& series) {
  json.open_object();
  write(json, "name", series.name);
  write_values(json, "values", series.values);
  if (!series.low.empty()) {
    write_values(json, "low", series.low);
    write_values(json, "high", series.high);
  }
  json.close_object();
}

void write_panel(ScriptJson& json, const Panel& panel) {
  json.open_object();
  write(json, "title", panel.title);
  write_list(json, "x", panel.x, [&](double x) { json.number(x); });
  write_list(json, "series", panel.series, [&](const Series& series) { write_series(json, series); });
  json.close_object();
}

void write_figure(ScriptJson& json, const Figure& figure) {
  json.open_object();
  write(json, "title", figure.title);
  write(json, "note", figure.note);
  write(json, "x_label", figure.x_label);
  write(json, "y_label", figure.y_label);
  write_flag(json, "points", figure.points);
  write_flag(json, "logarithmic", figure.logarithmic);
  write_flag(json, "own_scales", figure.own_scales);
  write_optional(json, "level", figure.level);
  write(json, "level_name", figure.level_name);
  write_list(json, "panels", figure.panels, [&](const Panel& panel) { write_panel(json, panel); });
  json.close_object();
}

std::string study_data(const StudyReport& report) {
  ScriptJson json;
  json.open_object();
  write(json, "name", report.name);
  write(json, "summary", report.summary);
  write(json, "publication", report.publication);
  write(json, "grid", report.grid);
  write(json, "remark", report.remark);
  write_list(json, "claims", report.claims, [&](const Claim& claim) { write_claim(json, claim); });
  write_list(json, "figures", report.figures, [&](const Figure& figure) { write_figure(json, figure); });
  write_list(json, "tables", report.tables, [&](const StudyTable& table) { write_table(json, table); });
  json.close_object();
  return json.text();
}

}  // namespace

std::string study_page(const StudyReport& report, const Origin& origin) {
  const auto own = study::files();
  const auto plots = uplot::files();
  PageTemplate page(page_file(own, "study.html"));
  page.fill("{{title}}", html_text(report.name + ": " + report.summary));
  std::string style(page_file(plots, "uPlot.min.css"));
  style.append("\n").append(page_file(own, "page.css")).append(page_file(own, "study.css"));
  page.fill("{{style}}", style);
  page.fill("{{origin}}", origin_html(origin));
  page.fill("{{data}}", study_data(report));
  page.fill("{{licence}}", page_file(plots, "LICENSE"));
  page.fill("{{scripts}}", page_scripts(plots) + page_scripts(own));
  return std::move(page).finish();
}

}  // namespace heddle::report
