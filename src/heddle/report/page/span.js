// A marked stretch of time: what the workers did in it. Shift and drag marks one, or M what is visible.

// What each class of workers did from `low` to `high`: { causes: [time], types: Map(type -> { attempts, time }) }. Without an
// analysis all idle time counts as NO_READY_TASK.
function spanStatistics(instance, { attempts, idle }, low, high) {
  let worker = 0;
  return instance.classes.map((each) => {
    const found = { causes: new Float64Array(CAUSES), types: new Map() };
    for (const last = worker + each.workers; worker < last; worker++) {
      let busy = 0;
      const first = attempts.rows[worker];
      const end = attempts.rows[worker + 1];
      for (let i = firstEndingAfter(attempts.end, first, end, low); i < end && attempts.start[i] < high; i++) {
        const time = Math.min(attempts.end[i], high) - Math.max(attempts.start[i], low);
        const type = instance.typeOf[attempts.task[i]];
        busy += time;
        found.causes[attempts.outcome[i] === COMPLETED ? KERNEL : ABORTED] += time;
        if (!found.types.has(type)) found.types.set(type, { attempts: 0, time: 0 });
        found.types.get(type).attempts += 1;
        found.types.get(type).time += time;
      }
      if (idle) idle.parts(worker, low, high, (from, to, cause) => (found.causes[cause] += to - from));
      else found.causes[NO_READY_TASK] += high - low - busy;
    }
    return found;
  });
}

// Bytes of the transfers that were under way, and how many.
function spanTransfers({ transfers }, low, high) {
  let count = 0;
  for (let i = 0; i < transfers.count; i++) count += transfers.start[i] < high && transfers.end[i] > low ? 1 : 0;
  return count;
}

class MarkedSpan {
  constructor(gantt, view, redraw) {
    this.gantt = gantt;
    this.view = view;
    this.redraw = redraw;
    this.section = document.getElementById("marked");
    document.getElementById("unmark").addEventListener("click", () => this.clear());
    this.listen(gantt.canvas);
  }

  listen(canvas) {
    let from = null;
    const timeAt = (event) => {
      const { left, width } = this.gantt.plot;
      return this.view.low + ((event.offsetX - left) / width) * this.view.span;
    };
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || !event.shiftKey) return;
      from = timeAt(event);
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (from !== null) this.mark(from, timeAt(event));
    });
    const release = () => (from = null);
    canvas.addEventListener("pointerup", release);
    canvas.addEventListener("pointercancel", release);
    canvas.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
      if (event.key.toLowerCase() === "m") this.mark(this.view.low, this.view.high);
      else if (event.key === "Escape") this.clear();
    });
  }

  show(instance, chart, analysis, makespan) {
    this.instance = instance;
    this.chart = chart;
    this.titles = analysis?.causes.map(({ title }) => title);
    this.makespan = makespan;
    this.clear();
  }

  clear() {
    this.gantt.marked = null;
    this.section.hidden = true;
    this.redraw();
  }

  mark(a, b) {
    const low = Math.max(0, Math.min(a, b));
    const high = Math.min(this.makespan, Math.max(a, b));
    if (!(low < high)) return this.clear();
    this.gantt.marked = { low, high };
    this.tell(low, high);
    this.redraw();
  }

  tell(low, high) {
    const statistics = spanStatistics(this.instance, this.chart, low, high);
    const transfers = spanTransfers(this.chart, low, high);
    const moved = transfers > 0 ? ` ${formatCount(transfers)} ${transfers === 1 ? "transfer is" : "transfers are"} under way in it.` : "";
    document.getElementById("marked-text").textContent =
      `The marked span lasts ${formatTime(high - low)}, from ${formatTime(low)} to ${formatTime(high)}.${moved}`;
    document.getElementById("marked-table").replaceChildren(scrolling(this.table(statistics, high - low), "The marked span"));
    this.section.hidden = false;
  }

  table(statistics, span) {
    const { classes, types } = this.instance;
    const shown = [...classes.keys()].filter((number) => classes[number].workers > 0);
    const cell = (time, number) => {
      const node = element("span");
      node.append(formatTime(time), " ", element("small", formatPercent(time / (span * classes[number].workers))));
      return node;
    };
    const rows = [];
    for (let cause = 0; cause < CAUSES; cause++) {
      if (!shown.some((number) => statistics[number].causes[cause] > 0)) continue;
      const title = this.titles?.[cause] ?? ["kernels", "aborted work"][cause] ?? "idle";
      rows.push([title, ...shown.map((number) => cell(statistics[number].causes[cause], number))]);
      if (cause === ABORTED || (cause === KERNEL && !shown.some((number) => statistics[number].causes[ABORTED] > 0))) {
        rows.push(...this.typeRows(statistics, shown, types, cell));
      }
    }
    return table(["in the marked span", ...shown.map((number) => classes[number].name)], rows);
  }

  // The types that took most of it.
  typeRows(statistics, shown, types, cell) {
    const time = (type) => shown.reduce((sum, number) => sum + (statistics[number].types.get(type)?.time ?? 0), 0);
    const count = (type) => shown.reduce((sum, number) => sum + (statistics[number].types.get(type)?.attempts ?? 0), 0);
    const used = [...types.keys()].filter((type) => time(type) > 0).sort((a, b) => time(b) - time(a));
    return used.slice(0, LEGEND_ROOM).map((type) => [
      element("span", `${types[type]} (${formatCount(count(type))})`, "indented"),
      ...shown.map((number) => cell(statistics[number].types.get(type)?.time ?? 0, number)),
    ]);
  }
}
