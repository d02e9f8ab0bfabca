// The charts of a run and of a comparison as pictures, of what is visible, in the present colours.

// Rectangles of a row that overlap or nearly touch in one colour are one, so that a chart of a million tasks stays small.
class SvgRow {
  constructor(top, height) {
    this.top = top;
    this.height = height;
    this.nodes = [];
    this.open = null;
  }

  add(left, right, colour, title) {
    if (this.open && this.open.colour === colour && left - this.open.right < 0.5 && (right - left < 1 || this.open.right - this.open.left < 1)) {
      this.open.right = Math.max(this.open.right, right);
      this.open.title = null;
      return;
    }
    this.close();
    this.open = { left, right, colour, title };
  }

  close() {
    if (!this.open) return;
    const { left, right, colour, title } = this.open;
    const box = { x: left.toFixed(2), y: this.top, width: Math.max(0.25, right - left).toFixed(2), height: this.height, fill: colour };
    const node = picture("rect", box);
    if (title) node.append(picture("title", {}, title));
    this.nodes.push(node);
    this.open = null;
  }
}

function ganttPicture(gantt, view) {
  const { rowLayout, theme, plot, instance } = gantt;
  const width = plot.left + plot.width;
  const cut = (x) => Math.min(Math.max(x, plot.left), width);
  const slotColour = (slot) => {
    if (slot < TYPE_COLOURS) return theme.types[slot];
    if (slot >= SLOT_CAUSE) return theme.causes[slot - SLOT_CAUSE];
    return { [SLOT_LOST]: theme.lost, [SLOT_DIM]: theme.dim, [SLOT_TRANSFER]: theme.transfer }[slot];
  };
  const root = svgRoot(width, rowLayout.height, theme);
  rowLayout.rows.forEach(({ top, pitch }, number) => {
    const height = Math.max(0.5, pitch - (pitch >= 4 ? 1 : 0));
    root.append(picture("rect", { x: plot.left, y: top, width: plot.width, height, fill: theme.row }));
    const row = new SvgRow(top, height);
    if (gantt.idle && number < rowLayout.workers) {
      gantt.idle.parts(rowLayout.order[number], view.low, view.high, (start, end, cause) => {
        if (gantt.colours.causes[cause]) row.add(cut(gantt.xOf(start)), cut(gantt.xOf(end)), theme.causes[cause], null);
      });
      row.close();
    }
    const { bars, first, last, slots } = gantt.lane(number);
    for (let i = firstEndingAfter(bars.end, first, last, view.low); i < last && bars.start[i] < view.high; i++) {
      const lost = bars.outcome[i] !== COMPLETED && slots[i] !== SLOT_DIM;
      const name = bars === gantt.attempts ? instance.taskNames.of(bars.task[i]) : null;
      row.add(cut(gantt.xOf(bars.start[i])), cut(gantt.xOf(bars.end[i])), slotColour(lost ? SLOT_LOST : slots[i]), name);
    }
    row.close();
    root.append(...row.nodes);
    if (pitch >= 10) root.append(svgText(gantt.rowName(number), plot.left - 6, top + pitch / 2 + 4, theme.faint, "end"));
  });
  for (const group of rowLayout.groups) {
    if (group.name) root.append(svgText(group.name, 0, group.top + group.height / 2 + 4, theme.text, "start", 12));
  }
  appendAxis(root, gantt, view);
  return root;
}

function appendAxis(root, gantt, view) {
  const { rowLayout, theme, ticks, bound } = gantt;
  for (const tick of ticks.at) {
    root.append(picture("rect", { x: gantt.xOf(tick).toFixed(2), y: rowLayout.bottom, width: 1, height: 4, fill: theme.faint }));
    root.append(svgText(ticks.label(tick), gantt.xOf(tick).toFixed(2), rowLayout.bottom + 16, theme.faint, "middle"));
  }
  if (ticks.base) root.append(svgText(ticks.base, GUTTER - 6, rowLayout.bottom + 16, theme.faint, "end"));
  if (!bound || bound.value < view.low || bound.value > view.high) return;
  const x = gantt.xOf(bound.value).toFixed(2);
  root.append(picture("line", { x1: x, x2: x, y1: HEADROOM, y2: rowLayout.bottom, stroke: theme.bound, "stroke-width": 1.5, "stroke-dasharray": "5 3" }));
}

function queuePicture(queuePlot, view, theme) {
  const { left, width } = queuePlot.plot;
  const root = svgRoot(left + width, QUEUE_HEIGHT, theme);
  root.append(picture("rect", { x: left, y: QUEUE_TOP, width, height: QUEUE_BOTTOM - QUEUE_TOP, fill: theme.row }));
  const { smallest, largest } = queuePlot.ranges(view);
  for (const [depths, colour] of [[largest, theme["accent-soft"]], [smallest, theme.accent]]) {
    let path = `M${left} ${QUEUE_BOTTOM}`;
    depths.forEach((depth, x) => {
      if (x > 0 && depth === depths[x - 1]) return;
      if (x > 0) path += `L${left + x} ${queuePlot.y(depths[x - 1]).toFixed(2)}`;
      path += `L${left + x} ${queuePlot.y(depth).toFixed(2)}`;
    });
    path += `L${left + width} ${queuePlot.y(depths[depths.length - 1]).toFixed(2)}L${left + width} ${QUEUE_BOTTOM}Z`;
    root.append(picture("path", { d: path, fill: colour }));
  }
  for (const tick of queuePlot.ticks) root.append(svgText(formatCount(tick), left - 6, queuePlot.y(tick) + 4, theme.faint, "end"));
  root.append(svgText("ready tasks", 0, QUEUE_TOP + 10, theme.text, "start", 12));
  return root;
}

// The bars of where each class's time went, with the names of the causes below.
function lossPicture(lossReport, theme, width) {
  const { classes, analysis, instance } = lossReport;
  const pitch = 28;
  const used = analysis.causes.map((_, cause) => cause).filter((cause) => classes.some((number) => lossReport.time(number, cause) > 0));
  const root = svgRoot(width, classes.length * pitch + used.length * 18 + 12, theme);
  classes.forEach((number, row) => {
    root.append(svgText(instance.classes[number].name, 0, row * pitch + 18, theme.text, "start", 12));
    let left = GUTTER;
    for (const cause of used) {
      const part = lossReport.share(lossReport.time(number, cause), lossReport.workerTime(number)) * (width - GUTTER);
      if (part > 0) root.append(picture("rect", { x: left.toFixed(2), y: row * pitch + 4, width: part.toFixed(2), height: pitch - 8, fill: theme.causes[cause] }));
      left += part;
    }
  });
  used.forEach((cause, place) => {
    const y = classes.length * pitch + place * 18 + 8;
    root.append(picture("rect", { x: GUTTER, y, width: 12, height: 12, fill: theme.causes[cause] }));
    root.append(svgText(analysis.causes[cause].title, GUTTER + 18, y + 10, theme.text));
  });
  return root;
}

// The bars of a comparison, one instance below the other; none is folded away.
function barsPicture(bars, theme, width) {
  const pitch = 22;
  const left = Math.round(Math.min(330, Math.max(150, width * 0.26)));
  const hasRuns = bars.policies.some(({ runs }) => runs.length > 1);
  const reach = Math.max(100, width - left - (hasRuns ? 220 : 84));
  const x = (value) => left + bars.share(value) * reach;
  const measure = document.createElement("canvas").getContext("2d");
  measure.font = font(12);
  const nodes = [];
  let top = 0;
  for (const group of bars.groups) {
    nodes.push(svgText(fitText(measure, group.instance.name + bars.about(group), width), 0, top + 16, theme.text, "start", 12));
    for (const { value, text } of bars.ticks) nodes.push(svgText(text, x(value).toFixed(2), top + 34, theme.faint, "middle"));
    top += 40;
    nodes.push(picture("rect", { x: left - 1, y: top, width: 1, height: group.policies.length * pitch, fill: theme.faint }));
    for (const each of group.policies) {
      const { mean, low, high } = each.statistics;
      const middle = top + pitch / 2;
      const isBest = each.makespan === group.policies[0].makespan;
      nodes.push(svgText(fitText(measure, each.policy || "schedule", left - 12), 0, middle + 4, theme.text, "start", 12));
      const box = { x: left, y: top + 4, width: Math.max(1, x(mean) - left).toFixed(2), height: pitch - 8 };
      nodes.push(picture("rect", { ...box, fill: isBest ? theme.accent : theme["accent-soft"] }));
      if (each.runs.length > 1) {
        const [from, to] = [x(low).toFixed(2), x(high).toFixed(2)];
        const d = `M${from} ${middle}L${to} ${middle}M${from} ${middle - 5}L${from} ${middle + 5}M${to} ${middle - 5}L${to} ${middle + 5}`;
        nodes.push(picture("path", { d, stroke: theme.text, "stroke-width": 1.5, fill: "none" }));
      }
      const value = each.runs.length > 1 ? `${bars.format(mean)} (${bars.spread(each)})` : bars.format(mean);
      nodes.push(svgText(value, (x(high) + 7).toFixed(2), middle + 4, theme.text));
      top += pitch;
    }
    top += 12;
  }
  const root = svgRoot(width, top, theme);
  root.append(...nodes);
  return root;
}

// The performance profile as it is drawn, with a legend below.
function profilePicture(profile, theme) {
  const drawn = profile.svg.cloneNode(true);
  const originals = profile.svg.querySelectorAll("*");
  drawn.querySelectorAll("*").forEach((copy, number) => inlineStyle(copy, getComputedStyle(originals[number])));
  const { top, height, bottom } = PROFILE_BOX;
  const below = top + height + bottom;
  const root = svgRoot(profile.whole, below + profile.policies.length * 18 + 6, theme);
  root.append(...drawn.childNodes);
  profile.policies.forEach(({ policy }, number) => {
    const y = below + number * 18 + 8;
    const line = picture("line", { x1: PROFILE_BOX.left, x2: PROFILE_BOX.left + 26, y1: y, y2: y });
    inlineStyle(line, getComputedStyle(profile.paths[number]));
    line.setAttribute("opacity", 1);
    root.append(line, svgText(policy || "schedule", PROFILE_BOX.left + 34, y + 4, theme.text));
  });
  return root;
}

// What the style of the page says of a part of a picture, as attributes: a file has no style of the page.
function inlineStyle(node, style) {
  for (const name of ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-size", "font-family"]) {
    node.setAttribute(name, style.getPropertyValue(name));
  }
  node.removeAttribute("class");
  node.removeAttribute("style");
}
