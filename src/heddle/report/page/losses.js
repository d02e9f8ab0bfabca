// What `heddle analyze` says of a run: the verdict, where each class's time went, and what would have changed the makespan.

const LABELLED = 0.1; // narrower parts of a bar, as shares of it, have no room for a name
const LINKS_SHOWN = 4;

const causeKind = (cause) => `cause-${cause}`;

// The cause that a kind of highlight is, or NONE.
function causeOf(kind) {
  return typeof kind === "string" && kind.startsWith("cause-") ? Number(kind.slice(6)) : NONE;
}

const countOfWorkers = (workers) => `${formatCount(workers)} ${workers === 1 ? "worker" : "workers"}`;

// What the folded table of changes holds, and the best of it.
function tellChanges({ changes, notReached }) {
  const [best] = changes;
  const gains = best && best.gain > 0 ? `: ${shorten(best.what)} would gain ${formatPercent(best.gain)}` : "";
  const count = changes.length + notReached.length;
  return `What if something had been different? ${formatCount(count)} ${count === 1 ? "change" : "changes"}${gains}`;
}

class LossReport {
  // `highlight(kind)` highlights in the chart, or stops it; `goTo(attempt)` goes to an attempt there.
  constructor(tooltip, { highlight, goTo }) {
    this.tooltip = tooltip;
    this.choose = highlight;
    this.goTo = goTo;
    this.section = document.getElementById("analysis");
  }

  show(schedule, instance) {
    this.section.hidden = !schedule.analysis;
    if (!schedule.analysis) return;
    this.analysis = schedule.analysis;
    this.instance = instance;
    this.hasChart = Boolean(schedule.chart);
    this.makespan = schedule.makespan;
    this.classes = [...instance.classes.keys()].filter((number) => instance.classes[number].workers > 0);
    document.getElementById("analysis-verdict").textContent = shorten(this.analysis.verdict);
    this.draw();
    document.getElementById("losses-table").replaceChildren(scrolling(this.table(), "Time of workers by cause"));
    document.getElementById("remarks").replaceChildren(...this.analysis.remarks.map((remark) => element("p", remark)));
    this.showOutliers();
    this.showChanges();
  }

  // Again when the theme changes: names on the bars are black or white, as their colours are.
  draw() {
    if (this.section.hidden) return;
    this.style = getComputedStyle(document.documentElement);
    document.getElementById("losses").replaceChildren(...this.classes.map((number) => this.bar(number)));
  }

  time(number, cause) {
    return this.analysis.losses[number].time[cause];
  }

  workerTime(number) {
    return this.makespan * this.instance.classes[number].workers;
  }

  share(time, whole) {
    return whole > 0 ? time / whole : 0;
  }

  bar(number) {
    const { name, workers } = this.instance.classes[number];
    const row = element("div", undefined, "loss-row");
    const label = element("span", `${shorten(name)}, ${countOfWorkers(workers)}`, "name");
    label.title = shorten(name);
    const track = element("div", undefined, "loss-track");
    for (let cause = 0; cause < CAUSES; cause++) {
      if (this.time(number, cause) > 0) track.append(this.part(number, cause));
    }
    row.append(label, track);
    return row;
  }

  part(number, cause) {
    const time = this.time(number, cause);
    const share = this.share(time, this.workerTime(number));
    const part = element("div", undefined, `loss-part cause-${cause}`);
    part.style.flexGrow = share;
    const colour = this.style.getPropertyValue(`--cause-${cause}`).trim();
    part.style.backgroundColor = colour;
    part.style.color = inkOn(colour);
    if (share >= LABELLED) part.append(element("span", `${this.analysis.causes[cause].title} ${formatTime(time)}`));
    part.addEventListener("pointermove", (event) => this.tooltip.show(event, ...this.describe(number, cause)));
    part.addEventListener("pointerleave", () => this.tooltip.hide());
    if (this.hasChart) part.addEventListener("click", () => this.choose(causeKind(cause)));
    return part;
  }

  describe(number, cause) {
    const { name, workers } = this.instance.classes[number];
    const time = this.time(number, cause);
    const content = [
      element("strong", this.analysis.causes[cause].title),
      termList([
        ["class", `${name} (${countOfWorkers(workers)})`],
        ["time", formatTime(time)],
        ["share", formatPercent(this.share(time, this.workerTime(number)))],
      ]),
      element("p", WHY[cause]),
    ];
    if (this.hasChart) content.push(element("p", "A click shows it in the chart."));
    return content;
  }

  cell(time, whole) {
    const cell = element("span");
    cell.append(formatTime(time), " ", element("small", formatPercent(this.share(time, whole))));
    return cell;
  }

  table() {
    const { causes, loss } = this.analysis;
    const rows = [];
    for (let cause = 0; cause < CAUSES; cause++) {
      if (!this.classes.some((number) => this.time(number, cause) > 0)) continue;
      const cells = this.classes.map((number) => this.cell(this.time(number, cause), this.workerTime(number)));
      rows.push([this.causeButton(cause), ...cells, cause === KERNEL ? "" : this.cell(causes[cause].cost, loss)]);
      if (cause === DATA) rows.push(...this.linkRows());
      if (cause === DATA_OR_OVERHEAD) rows.push(...this.leastDataRows());
    }
    const unfavourable = causes[KERNEL].cost;
    if (unfavourable > 0) {
      rows.push([element("span", "kernels on an unfavourable class", "indented"), ...this.classes.map(() => ""), this.cell(unfavourable, loss)]);
    }
    return table(["time of workers", ...this.classes.map((number) => this.instance.classes[number].name), "costs the makespan"], rows);
  }

  causeButton(cause) {
    const button = element("button");
    button.type = "button";
    button.disabled = !this.hasChart;
    button.title = WHY[cause];
    button.dataset.kind = causeKind(cause);
    button.append(element("span", undefined, `swatch cause-${cause}`), element("span", this.analysis.causes[cause].title));
    button.addEventListener("click", () => this.choose(causeKind(cause)));
    return button;
  }

  // The links over which workers waited for data longest.
  linkRows() {
    const links = new Map();
    for (const number of this.classes) {
      for (const [from, to, time] of this.analysis.losses[number].links) {
        const name = `from ${this.analysis.memories[from]} to ${this.analysis.memories[to]}`;
        if (!links.has(name)) links.set(name, new Map());
        links.get(name).set(number, time);
      }
    }
    const sum = (times) => [...times.values()].reduce((all, time) => all + time, 0);
    const sorted = [...links].sort(([, a], [, b]) => sum(b) - sum(a));
    const rows = sorted.slice(0, LINKS_SHOWN).map(([name, times]) => [
      element("span", name, "indented"),
      ...this.classes.map((number) => this.cell(times.get(number) ?? 0, this.workerTime(number))),
      "",
    ]);
    if (sorted.length > LINKS_SHOWN) {
      rows.push([element("span", `over ${sorted.length - LINKS_SHOWN} more links`, "indented"), ...this.classes.map(() => ""), ""]);
    }
    return rows;
  }

  // How much of the row before must have been for data.
  leastDataRows() {
    const { leastData } = this.analysis;
    if (!leastData.some((time) => time > 0)) return [];
    const cells = this.classes.map((number) => this.cell(leastData[number], this.workerTime(number)));
    return [[element("span", "at least for data", "indented"), ...cells, ""]];
  }

  showOutliers() {
    const { outliers } = this.analysis;
    const details = document.getElementById("outliers");
    details.hidden = outliers.length === 0;
    const attempts = outliers.reduce((sum, { count }) => sum + count, 0);
    const rows = outliers.map((each) => [
      shorten(`${each.type} on ${each.on}`),
      `${formatCount(each.count)} of ${formatCount(each.attempts)}`, formatTime(each.median), formatTime(each.excess),
      this.longest(each), formatTime(each.took),
    ]);
    details.replaceChildren(
      element("summary", `${formatCount(attempts)} ${attempts === 1 ? "attempt" : "attempts"} took much longer than others of the type and class`),
      scrolling(table(["took much longer", "attempts", "median", "together above", "the longest", "took"], rows), "Outliers"),
    );
  }

  // A button that goes to it, if there is a chart.
  longest({ longest, worker, at }) {
    const text = `${longest} on ${worker}`;
    if (!this.hasChart) return text;
    const button = element("button", text);
    button.type = "button";
    button.title = shorten(`Shows ${text} in the chart`);
    button.addEventListener("click", () => this.goTo(at));
    return button;
  }

  showChanges() {
    const { model, changes, notReached } = this.analysis;
    const details = document.getElementById("changes");
    details.hidden = !model && changes.length === 0 && notReached.length === 0;
    const content = [element("summary", tellChanges(this.analysis))];
    if (model) content.push(element("p", model, "note"));
    if (changes.length > 0) {
      const rows = changes.map(({ what, makespan, gain }) => [
        shorten(what), formatTime(makespan), gain === null ? "–" : formatPercent(gain),
      ]);
      content.push(scrolling(table(["change", "makespan", "gain"], rows), "What if"));
    }
    if (notReached.length > 0) content.push(element("p", `Not simulated: ${notReached.join(", ")}.`, "note"));
    details.replaceChildren(...content);
  }
}
