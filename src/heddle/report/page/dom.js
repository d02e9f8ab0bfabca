// Elements made from text. Names come from the user: they are only ever set as text.

function element(tag, text, className) {
  const node = document.createElement(tag);
  if (text !== undefined) node.textContent = text;
  if (className) node.className = className;
  return node;
}

function termList(pairs) {
  const list = element("dl");
  for (const [term, description] of pairs) list.append(element("dt", term), element("dd", description));
  return list;
}
