// Pictures as SVG and PDF files, in the present colours.

function svgRoot(width, height, theme) {
  const root = picture("svg", { width, height, viewBox: `0 0 ${width} ${height}` });
  root.append(picture("rect", { width, height, fill: theme.panel }));
  return root;
}

const svgText = (text, x, y, colour, anchor = "start", size = 11) =>
  picture("text", { x, y, fill: colour, "text-anchor": anchor, "font-size": size, "font-family": "system-ui, sans-serif" }, shorten(text));

// Pictures below each other, as one.
function joinPictures(pictures, theme) {
  const width = Math.max(...pictures.map((each) => Number(each.getAttribute("width"))));
  const height = pictures.reduce((sum, each) => sum + Number(each.getAttribute("height")), 0);
  const root = svgRoot(width, height, theme);
  let top = 0;
  for (const each of pictures) {
    each.setAttribute("y", top);
    top += Number(each.getAttribute("height"));
    root.append(each);
  }
  return root;
}

function saveSvg(name, root) {
  const link = element("a");
  link.href = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(root)], { type: "image/svg+xml" }));
  link.download = `${name}.svg`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

// As PDF: the browser prints a page that is as large as the picture and holds only it. So all letters and shapes stay what they
// are, in fonts that are embedded. The browser proposes the title as the file's name.
function printPdf(name, root) {
  const [width, height] = ["width", "height"].map((side) => Math.ceil(Number(root.getAttribute(side))));
  const size = element("style", `@page { size: ${width}px ${height}px; margin: 0 }`);
  const paper = document.getElementById("paper");
  const { title } = document;
  paper.style.height = `${height}px`;
  paper.replaceChildren(root);
  document.head.append(size);
  document.documentElement.classList.add("prints-chart");
  document.title = name;
  window.addEventListener("afterprint", () => {
    document.title = title;
    document.documentElement.classList.remove("prints-chart");
    size.remove();
    paper.replaceChildren();
  }, { once: true });
  window.print();
}

// Two buttons in the element `exports-ID`: `pictures(theme)` makes what they save.
function offerExports(id, name, pictures) {
  const make = () => {
    const theme = readTheme();
    return joinPictures(pictures(theme), theme);
  };
  const offer = (verb, text, title, save) => {
    const button = element("button", text);
    Object.assign(button, { id: `${verb}-${id}`, type: "button", title });
    button.addEventListener("click", () => save(name, make()));
    document.getElementById(`exports-${id}`).append(button, " ");
  };
  offer("save", "SVG", "Saves the chart as an SVG file", saveSvg);
  offer("print", "PDF", "Prints the chart alone, on a page of its size: choose to save it as PDF", printPdf);
}
