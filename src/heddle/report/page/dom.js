// Elements made from text. Names come from the user: they are only ever set as text.

const LONGEST_TEXT = 2000; // letters; laying out a name of 100,000 takes seconds

const shorten = (text) => (text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text);

function element(tag, text, className) {
  const node = document.createElement(tag);
  if (text !== undefined) node.textContent = shorten(String(text));
  if (className) node.className = className;
  return node;
}

function termList(pairs) {
  const list = element("dl");
  for (const [term, description] of pairs) list.append(element("dt", term), element("dd", description));
  return list;
}
