// Elements made from text. Names come from the user: they are only ever set as text.

const LONGEST_TEXT = 2000; // letters; laying out a name of 100,000 takes seconds

const shorten = (text) => (text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text);

function element(tag, text, className) {
  const node = document.createElement(tag);
  if (text !== undefined) node.textContent = shorten(String(text));
  if (className) node.className = className;
  return node;
}

// A part of an SVG picture. The page must name nothing that looks like an address, so its own <svg> tells the namespace.
function picture(tag, attributes, ...content) {
  const node = document.createElementNS(document.querySelector("svg").namespaceURI, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...content);
  return node;
}

// A table whose first column names its rows: titles are texts, cells are texts or nodes.
function table(titles, rows) {
  const node = element("table");
  const head = element("tr");
  for (const title of titles) {
    head.append(element("th", title));
    head.lastChild.scope = "col";
  }
  const body = element("tbody");
  for (const [name, ...cells] of rows) {
    const row = element("tr");
    const first = element("th");
    first.scope = "row";
    first.append(name);
    row.append(first, ...cells.map(tableCell));
    body.append(row);
  }
  node.append(element("thead"), body);
  node.firstChild.append(head);
  return node;
}

function tableCell(content) {
  const cell = element("td");
  cell.append(typeof content === "string" ? shorten(content) : content);
  return cell;
}

// What is wider than the page scrolls in itself, by keyboard too.
function scrolling(node, label) {
  const box = element("div", undefined, "scroll");
  box.tabIndex = 0;
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", label);
  box.append(node);
  return box;
}

function termList(pairs) {
  const list = element("dl");
  for (const [term, description] of pairs) list.append(element("dt", term), element("dd", description));
  return list;
}
