// What the publication says beside what was found, and tables of results.

function labelled(label, text, small) {
  const cell = element("p");
  cell.append(element("span", label, "label"), element("br"), element("span", text));
  if (small) cell.append(element("small", small));
  return cell;
}

function showClaims(claims) {
  const section = document.getElementById("claims");
  section.hidden = claims.length === 0;
  const holding = claims.filter((claim) => claim.holds).length;
  section.querySelector("h2").textContent =
    `${holding} of ${claims.length} published ${claims.length === 1 ? "claim holds" : "claims hold"} here`;
  section.querySelector("ul").append(...claims.map((claim) => {
    const item = element("li", undefined, claim.holds ? "holds" : "fails");
    item.append(element("span", claim.holds ? "holds" : "does not hold", "verdict"));
    item.append(labelled("published", claim.published, claim.source));
    item.append(labelled("found", claim.found, `Counts as holding when ${claim.criterion}.`));
    return item;
  }));
}

function resultTable({ title, columns, rows }) {
  const section = element("section", undefined, "results");
  section.append(element("h2", title));
  const table = element("table");
  const line = (tag, texts) => {
    const row = element("tr");
    row.append(...texts.map((text, number) => element(tag, text, columns[number].right ? "right" : undefined)));
    return row;
  };
  table.append(line("th", columns.map((column) => column.title)), ...rows.map((row) => line("td", row)));
  section.append(table);
  return section;
}
