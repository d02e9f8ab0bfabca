// A figure of a study as a picture: what is visible of it, at the places that it has on the page.

const PICTURE_LINE = 20; // pixels

function figurePicture({ figure, names, hidden, plots, placeOf }, theme) {
  const corner = plots[0].node.closest(".panels").getBoundingClientRect();
  const legend = legendPicture(names.filter((name) => !hidden.has(name)), figure, placeOf, corner.width, theme);
  const top = PICTURE_LINE + 6 + Number(legend.getAttribute("height"));
  const root = svgRoot(Math.ceil(corner.width), Math.ceil(top + corner.height), theme);
  root.append(svgText(figure.title, 0, 15, theme.text, "start", 15));
  legend.setAttribute("y", PICTURE_LINE + 6);
  root.append(legend);
  for (const plot of plots) {
    const place = plot.node.getBoundingClientRect();
    const [x, y] = [place.left - corner.left, top + place.top - corner.top];
    if (plot.panel.title) root.append(svgText(plot.panel.title, x + place.width / 2, y - 6, theme.text, "middle", 13));
    const panel = panelPicture(plot, theme);
    panel.setAttribute("x", x);
    panel.setAttribute("y", y);
    root.append(panel);
  }
  return root;
}

// The names of the series with their colours, in lines as wide as the figure.
function legendPicture(names, figure, placeOf, width, theme) {
  const measure = document.createElement("canvas").getContext("2d");
  measure.font = "12px system-ui, sans-serif";
  const nodes = [];
  let [left, top] = [0, 0];
  const add = (name, swatch) => {
    const needed = measure.measureText(shorten(name)).width + 40;
    if (left > 0 && left + needed > width) [left, top] = [0, top + PICTURE_LINE];
    nodes.push(swatch(left, top + 10), svgText(name, left + 23, top + 14, theme.text, "start", 12));
    left += needed;
  };
  for (const name of names) {
    const fill = theme.types[placeOf(name)];
    add(name, (x, y) => (figure.points ? picture("circle", { cx: x + 12, cy: y, r: 4.5, fill }) : picture("rect", { x, y: y - 2, width: 16, height: 4, fill })));
  }
  if (figure.level !== null) add(figure.level_name, (x, y) => levelLine(x, x + 16, y, theme));
  const root = picture("svg", { width, height: top + PICTURE_LINE });
  root.append(...nodes);
  return root;
}

const levelLine = (x1, x2, y, theme) =>
  picture("line", { x1, x2, y1: y, y2: y, stroke: theme.bound, "stroke-width": 1.5, "stroke-dasharray": "6 4" });

function panelPicture({ plot, panel, figure, colours, ticks }, theme) {
  const [left, top, width, height] = ["left", "top", "width", "height"].map((side) => plot.bbox[side] / devicePixelRatio);
  const [x, y] = ["x", "y"].map((axis) => (value) => Number(plot.valToPos(value, axis).toFixed(2))); // from the corner of the grid
  const root = picture("svg", { width: plot.width, height: plot.height });
  const grid = picture("g", { stroke: theme.grid });
  root.append(grid);
  for (const { at, text } of ticks.x) {
    grid.append(picture("line", { x1: left + x(at), x2: left + x(at), y1: top, y2: top + height + 4 }));
    root.append(svgText(text, left + x(at), top + height + 18, theme.faint, "middle"));
  }
  for (const { at, text } of ticks.y) {
    grid.append(picture("line", { x1: left - 4, x2: left + width, y1: top + y(at), y2: top + y(at) }));
    root.append(svgText(text, left - 8, top + y(at) + 4, theme.faint, "end"));
  }
  root.append(svgText(figure.x_label, left + width / 2, plot.height - 6, theme.faint, "middle", 12));
  const upwards = svgText(figure.y_label, 0, 0, theme.faint, "middle", 12);
  upwards.setAttribute("transform", `translate(12 ${top + height / 2}) rotate(-90)`);
  root.append(upwards);

  // A picture within the picture cuts off what lies outside of the grid; dots on its edge are whole.
  const inside = picture("svg", { x: left, y: top, width, height });
  const dots = picture("g", { stroke: "none" });
  root.append(inside, dots);
  const shown = panel.series.map((series, number) => ({ ...series, colour: colours[number] })).filter((_, number) => plot.series[1 + number].show);
  for (const { low, high, colour } of shown.filter((series) => series.low)) {
    const places = (values) => placesOf(panel.x, values, figure);
    const edge = [...places(high), ...places(low).reverse()].map(([at, value]) => `${x(at)} ${y(value)}`);
    inside.append(picture("path", { d: `M${edge.join("L")}Z`, fill: colour + BAND_OPACITY }));
  }
  for (const { values, colour } of shown) {
    const places = placesOf(panel.x, values, figure).map(([at, value]) => [x(at), y(value)]);
    if (!figure.points && places.length > 1) {
      inside.append(picture("path", { d: `M${places.map((place) => place.join(" ")).join("L")}`, stroke: colour, "stroke-width": 2, fill: "none" }));
    }
    if (!figure.points && panel.x.length >= FEW_POINTS) continue;
    for (const [across, down] of places.filter((place) => isWithin(place, width, height))) {
      dots.append(picture("circle", { cx: left + across, cy: top + down, r: figure.points ? 3 : 2.5, fill: figure.points ? colour + POINT_OPACITY : colour }));
    }
  }
  if (figure.level !== null) inside.append(levelLine(0, width, y(figure.level), theme));
  return root;
}

const isWithin = ([x, y], width, height) => x >= 0 && x <= width && y >= 0 && y <= height;

// Where a series has values that its axis can show.
function placesOf(x, values, figure) {
  return x.map((at, row) => [at, values[row]]).filter(([, value]) => value !== null && !(figure.logarithmic && value <= 0));
}
