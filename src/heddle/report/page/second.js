// Of two runs, the other one below the first, on the same axis of time.

class SecondRun {
  constructor(view, tooltip, schedules) {
    this.view = view;
    this.tooltip = tooltip;
    this.schedules = schedules.length === 2 && schedules.every(({ analysis, chart }) => analysis && chart) ? schedules : null;
    this.box = document.getElementById("second");
    if (!this.schedules) return;
    this.gantt = new Gantt(document.getElementById("gantt-second"));
    navigate(this.gantt.canvas, view, () => this.gantt.plot);
    this.gantt.canvas.addEventListener("pointermove", (event) => this.hover(event));
    this.gantt.canvas.addEventListener("pointerleave", () => this.tooltip.hide());
  }

  // Beside `schedule`. Returns when it ends.
  show(schedule, highlight) {
    this.box.hidden = !this.schedules;
    if (!this.schedules) return 0;
    this.schedule = this.schedules.find((other) => other !== schedule);
    this.instance = data.instances[this.schedule.instance];
    this.chart = decodeChart(this.schedule, this.instance);
    document.getElementById("second-title").textContent =
      shorten(`${this.schedule.policy}: ${formatTime(this.schedule.makespan)}, ${formatChange(this.schedule.makespan, schedule.makespan)} than above`);
    const bound = bestBound(this.schedule);
    this.gantt.show(this.instance, this.schedule.contexts, this.chart, bound);
    this.gantt.colour(this.colours(highlight));
    return Math.max(this.schedule.makespan, lastEnd(this.chart.attempts), lastEnd(this.chart.transfers));
  }

  // Types have the colours of the chart above, and idle time shows the causes that it shows there.
  colours({ colours, causes }) {
    const { attempts, transfers } = this.chart;
    const slots = Uint8Array.from(attempts.task, (task) => colours.place(this.instance.types[this.instance.typeOf[task]]));
    return {
      attempts: { slots, forced: null },
      transfers: { slots: new Uint8Array(transfers.count).fill(SLOT_TRANSFER), forced: null },
      causes,
    };
  }

  showCauses(causes) {
    if (this.gantt?.colours) this.gantt.colours.causes = causes;
  }

  setTheme(theme) {
    this.gantt?.setTheme(theme);
  }

  draw() {
    if (this.schedules) this.gantt.draw(this.view);
  }

  hover(event) {
    if (event.offsetX < GUTTER || event.buttons !== 0) return this.tooltip.hide();
    const hit = this.gantt.at(event.offsetX, event.offsetY, this.view);
    const idle = hit ? null : this.gantt.idleAt(event.offsetX, event.offsetY, this.view);
    if (hit) this.tooltip.show(event, ...describeBar(this.instance, this.chart, hit));
    else if (idle) this.tooltip.show(event, ...describeIdle(this.instance, this.chart, this.schedule.analysis.causes, idle));
    else this.tooltip.hide();
  }
}

// "12.3 % shorter", of a makespan and the one that it is compared with.
function formatChange(makespan, other) {
  if (makespan === other) return "no shorter or longer";
  return `${formatPercent(Math.abs(makespan - other) / other)} ${makespan < other ? "shorter" : "longer"}`;
}
