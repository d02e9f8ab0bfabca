// One plot, drawn by uPlot: lines with bands, or clouds of points.

const BAND_OPACITY = "26"; // of 255, in hexadecimal
const POINT_OPACITY = "b0"; // of clouds
const FEW_POINTS = 24; // of a line that are drawn, too

function shortNumber(value) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) return value.toExponential(1).replace(".0e", "e").replace("e+", "e");
  return String(Number(value.toPrecision(size >= 1000 ? 6 : 4)));
}

// Room for 5 % beyond the smallest and the largest; the whole decades around them on a logarithmic axis.
function spread(values, logarithmic) {
  if (values.length === 0) return [0, 1];
  const low = Math.min(...values);
  const high = Math.max(...values);
  if (logarithmic) return [10 ** Math.floor(Math.log10(low)), 10 ** Math.ceil(Math.log10(high) + 1e-9)];
  const room = (high - low || Math.abs(high) || 1) * 0.05;
  return [low >= 0 && low - room < 0 ? 0 : low - room, high + room];
}

// Of the places on a logarithmic axis, those that deserve a line and a number.
function decadesOnly(places) {
  return places.map((place) => (Number.isInteger(Math.log10(place)) ? place : null));
}

// uPlot's columns: x, then the lines, then two columns for each band.
function columnsOf(panel) {
  const bands = panel.series.map((series, number) => ({ series, number })).filter(({ series }) => series.low);
  return {
    bands,
    data: [panel.x, ...panel.series.map((series) => series.values), ...bands.flatMap(({ series }) => [series.low, series.high])],
  };
}

class Plot {
  // `figure`: { x_label, y_label, points, logarithmic, level }; `range`: of y, that of every panel of the figure;
  // `moved(event, panel, row)` is told over which x the pointer is, null when it has left.
  constructor(node, figure, panel, { range, colours, theme, sync, moved }) {
    this.node = node;
    this.figure = figure;
    this.panel = panel;
    this.colours = colours;
    this.ticks = { x: [], y: [] }; // { at, text } of what each axis shows
    const { data, bands } = columnsOf(panel);
    const axis = (label, more) => ({
      label, labelFont: "12px system-ui, sans-serif", font: "11px system-ui, sans-serif", labelSize: 20, stroke: theme.faint,
      grid: { stroke: theme.grid, width: 1 }, ticks: { stroke: theme.grid, width: 1, size: 4 }, ...more,
    });
    this.plot = new uPlot({
      width: node.clientWidth,
      height: this.height,
      legend: { show: false },
      padding: [8, 10, 0, 0],
      scales: {
        x: { time: false, range: (_, low, high) => spread([low, high], false) },
        y: { range: (plot, low, high) => this.zoomed ? [low, high] : range, distr: figure.logarithmic ? 3 : 1 },
      },
      axes: [axis(figure.x_label, { size: 30, values: (_, places) => this.label("x", places) }), axis(figure.y_label, {
        size: 46,
        values: (_, places) => this.label("y", places),
        ...(figure.logarithmic && {
          filter: (_, places) => decadesOnly(places),
          grid: { stroke: theme.grid, width: 1, filter: (_, places) => decadesOnly(places) },
          ticks: { show: false },
        }),
      })],
      series: [
        {},
        ...panel.series.map((series, number) => this.line(series, colours[number])),
        ...bands.flatMap(() => [this.edge(), this.edge()]),
      ],
      bands: bands.map(({ number }, place) => {
        const first = 1 + panel.series.length + 2 * place;
        return { series: [first + 1, first], fill: colours[number] + BAND_OPACITY };
      }),
      cursor: { sync: { key: sync }, drag: { x: true, y: false }, points: { size: 7 } },
      hooks: {
        draw: [(plot) => this.drawLevel(plot, theme)],
        setCursor: [(plot) => plot.cursor.event && moved(plot.cursor.event, panel, plot.cursor.left < 0 ? null : plot.cursor.idx)],
      },
    }, data, node);
  }

  label(axis, places) {
    const texts = places.map((place) => (place === null ? "" : shortNumber(place)));
    this.ticks[axis] = places.map((at, number) => ({ at, text: texts[number] })).filter(({ at }) => at !== null);
    return texts;
  }

  line(series, colour) {
    const points = this.figure.points;
    return {
      label: series.name, stroke: colour, width: 2, spanGaps: true, paths: points ? () => null : undefined,
      points: { show: points || this.panel.x.length < FEW_POINTS, size: points ? 6 : 5, fill: points ? colour + POINT_OPACITY : colour, stroke: colour, width: points ? 0 : 1 },
    };
  }

  edge() {
    return { stroke: "transparent", width: 0, points: { show: false }, spanGaps: true };
  }

  drawLevel(plot, theme) {
    if (this.figure.level === null) return;
    const { ctx, bbox } = plot;
    const y = Math.round(plot.valToPos(this.figure.level, "y", true)) + 0.5;
    if (y < bbox.top - 1 || y > bbox.top + bbox.height + 1) return;
    ctx.save();
    ctx.strokeStyle = theme.bound;
    ctx.lineWidth = 1.5 * devicePixelRatio;
    ctx.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    ctx.restore();
  }

  // Pixels; a plot of its own is wide, and may be higher.
  get height() {
    return this.figure.panels.length === 1 ? 380 : 260;
  }

  resize() {
    if (this.node.clientWidth > 0) this.plot.setSize({ width: this.node.clientWidth, height: this.height });
  }

  // Shows only the series whose names `isShown` wants, with their bands.
  select(isShown) {
    const { bands } = columnsOf(this.panel);
    this.plot.batch(() => {
      this.panel.series.forEach((series, number) => this.plot.setSeries(1 + number, { show: isShown(series.name) }));
      bands.forEach(({ series }, place) => {
        const first = 1 + this.panel.series.length + 2 * place;
        for (const edge of [first, first + 1]) this.plot.setSeries(edge, { show: isShown(series.name) });
      });
    });
  }

  destroy() {
    this.plot.destroy();
  }
}
