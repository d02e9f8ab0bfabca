// Puts the page of a study together.

const study = JSON.parse(document.getElementById("heddle-data").textContent);
const places = new TypeColours();
const tooltip = new Tooltip(document.getElementById("tooltip"));
const figures = study.figures.map((figure, number) =>
  new Figure(document.getElementById("figures"), figure, number + 1, (name) => places.place(name), tooltip));

function draw() {
  const theme = readTheme();
  for (const figure of figures) figure.draw(theme);
  pageStatus.drawn = study.figures.reduce((count, figure) => count + figure.panels.length, 0);
}

function showHead() {
  for (const part of ["name", "summary", "publication", "grid", "remark"]) {
    const node = document.getElementById(part);
    node.textContent = study[part];
    node.hidden = !study[part];
  }
  document.getElementById("grid").textContent = `Computed: ${study.grid}`;
}

showHead();
showClaims(study.claims);
document.getElementById("tables").append(...study.tables.map(resultTable));
draw();
new ResizeObserver(() => figures.forEach((figure) => figure.resize())).observe(document.getElementById("figures"));
watchTheme(draw);
document.getElementById("figures").addEventListener("pointerleave", () => tooltip.hide());
pageStatus.state = "ready";
