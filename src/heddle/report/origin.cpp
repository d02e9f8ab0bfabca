#include "heddle/report/html_page.hpp"
#include "heddle/report/page_template.hpp"
#include "heddle/report/text_table.hpp"

namespace heddle::report {

std::string origin_html(const Origin& origin) {
  std::string html = "Made by Heddle";
  if (!origin.version.empty()) html += " " + html_text(harmless(origin.version));
  if (!origin.date.empty()) html += " on " + html_text(harmless(origin.date));
  if (!origin.command.empty()) html += " with <code>" + html_text(harmless(origin.command)) + "</code>";
  return html;
}

}  // namespace heddle::report
