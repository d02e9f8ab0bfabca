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
  // `choose(kind)` highlights in the chart, or stops it.
  constructor(tooltip, choose) {
    this.tooltip = tooltip;
    this.choose = choose;
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
