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
  const align = (row) => [...row.children].forEach((cell, number) => cell.classList.toggle("right", columns[number].right));
  const node = table(columns.map((column) => column.title), rows);
  for (const row of node.querySelectorAll("tr")) align(row);
  section.append(scrolling(node, title));
  return section;
}
