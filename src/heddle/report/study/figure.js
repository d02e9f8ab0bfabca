// A figure: its legend, and its panels side by side on common axes.

function valuesOf(figure, panels) {
  const series = panels.flatMap((panel) => panel.series);
  const all = series.flatMap(({ values, low, high }) => [values, low ?? [], high ?? []].flat());
  return all.filter((value) => value !== null && !(figure.logarithmic && value <= 0));
}

class Figure {
  constructor(node, figure, number, placeOf, tooltip) {
    this.figure = figure;
    this.sync = `figure ${number}`;
    this.placeOf = placeOf; // of a series in the colours of types
    this.tooltip = tooltip;
    this.hidden = new Set();
    this.names = [...new Set(figure.panels.flatMap((panel) => panel.series.map((series) => series.name)))];
    this.section = element("section", undefined, "figure");
    const head = element("div", undefined, "figure-head");
    const exports = element("span", undefined, "exports");
    exports.id = `exports-figure-${number}`;
    head.append(element("h2", figure.title), exports);
    this.section.append(head);
    if (figure.note) this.section.append(element("p", figure.note, "note"));
    this.section.append(this.legend(), this.grid(), this.numbers());
    node.append(this.section);
    offerExports(`figure-${number}`, `figure-${number}`, (theme) => [figurePicture(this, theme)]);
  }

  legend() {
    const list = element("div", undefined, this.figure.points ? "legend points" : "legend");
    list.setAttribute("role", "group");
    list.setAttribute("aria-label", "Series: click to hide or show");
    for (const name of this.names) {
      const button = element("button");
      button.type = "button";
      button.setAttribute("aria-pressed", "true");
      const swatch = element("span", undefined, "swatch");
      swatch.style.background = `var(--type-${this.placeOf(name)})`;
      button.append(swatch, element("span", name));
      button.addEventListener("click", () => this.toggle(name, button));
      list.append(button);
    }
    if (this.figure.level !== null) list.append(element("span", this.figure.level_name, "level"));
    return list;
  }

  toggle(name, button) {
    if (!this.hidden.delete(name)) this.hidden.add(name);
    button.setAttribute("aria-pressed", String(!this.hidden.has(name)));
    for (const plot of this.plots) plot.select((each) => !this.hidden.has(each));
  }

  grid() {
    const grid = element("div", undefined, "panels");
    this.places = this.figure.panels.map((panel) => {
      const place = element("div", undefined, "panel");
      const node = element("div", undefined, "plot");
      node.setAttribute("role", "img");
      node.setAttribute("aria-label", this.label(panel));
      if (panel.title) place.append(element("h3", panel.title));
      place.append(node);
      grid.append(place);
      return node;
    });
    return grid;
  }

  // What a panel shows, in words; the numbers are in the table below.
  label({ title, series }) {
    const { title: whole, x_label: x, y_label: y } = this.figure;
    return shorten(`${title || whole}: ${y} over ${x}. ${series.map(({ name }) => name).join(", ")}`);
  }

  // The numbers of all panels, made when they are first looked at.
  numbers() {
    const fold = element("details", undefined, "results");
    fold.append(element("summary", "The figure in numbers"));
    fold.addEventListener("toggle", () => fold.append(...this.tables()), { once: true });
    return fold;
  }

  tables() {
    const tables = [];
    for (const { title, x, series } of this.figure.panels) {
      const rows = x.map((value, row) => [shortNumber(value), ...series.map(({ values }) => (values[row] === null ? "–" : shortNumber(values[row])))]);
      const label = title || this.figure.title;
      tables.push(element("h3", label), scrolling(table([this.figure.x_label, ...series.map(({ name }) => name)], rows), label));
    }
    return tables;
  }

  // Draws, also again when the theme has changed.
  draw(theme) {
    for (const plot of this.plots ?? []) plot.destroy();
    const level = this.figure.level === null ? [] : [this.figure.level];
    const rangeOf = (panels) => spread([...valuesOf(this.figure, panels), ...level], this.figure.logarithmic);
    const common = rangeOf(this.figure.panels);
    this.plots = this.figure.panels.map((panel, number) => {
      const colours = panel.series.map((series) => theme.types[this.placeOf(series.name)]);
      const range = this.figure.own_scales ? rangeOf([panel]) : common;
      const moved = (event, at, row) => this.tell(event, at, row);
      return new Plot(this.places[number], this.figure, panel, { range, colours, theme, sync: this.sync, moved });
    });
  }

  resize() {
    for (const plot of this.plots) plot.resize();
  }

  // What the panel's series are at one x.
  tell(event, panel, row) {
    const found = row === null || row === undefined ? [] : panel.series
      .filter((series) => !this.hidden.has(series.name) && series.values[row] !== null)
      .sort((a, b) => b.values[row] - a.values[row]);
    if (found.length === 0) return this.tooltip.hide();
    const table = element("table");
    for (const series of found) {
      const line = element("tr");
      const name = element("td");
      const swatch = element("span", undefined, "swatch");
      swatch.style.background = `var(--type-${this.placeOf(series.name)})`;
      name.append(swatch, element("span", series.name));
      const range = series.low ? ` (${shortNumber(series.low[row])} – ${shortNumber(series.high[row])})` : "";
      line.append(name, element("td", shortNumber(series.values[row]) + range));
      table.append(line);
    }
    return this.tooltip.show(event, element("strong", `${this.figure.x_label} ${shortNumber(panel.x[row])}`), table);
  }
}
