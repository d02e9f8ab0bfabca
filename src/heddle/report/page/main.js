// Puts the page together: choosing a schedule shows its facts, its chart and its queue.

const data = JSON.parse(document.getElementById("heddle-data").textContent);

const gantt = new Gantt(document.getElementById("gantt"));
const queuePlot = new QueuePlot(document.getElementById("queue"));
const tooltip = new Tooltip(document.getElementById("tooltip"));
const cursor = document.getElementById("cursor");
const view = new TimeView(requestDraw);
const highlight = new Highlight((colours) => {
  gantt.colour(colours);
  if (shown?.chart) second.showCauses(colours.causes);
  requestDraw();
}, view);
const marked = new MarkedSpan(gantt, view, requestDraw);
const second = new SecondRun(view, tooltip, data.schedules);
const lossReport = new LossReport(tooltip, {
  highlight: (kind) => {
    highlight.toggle(kind);
    bringIntoSight(document.getElementById("plots"));
  },
  goTo: (attempt) => {
    steps.moveTo(gantt.placeOf(attempt));
    gantt.canvas.focus();
  },
});
const steps = new Steps(gantt, view, tooltip, {
  describe: (hit) => describeBar(shown.instance, shown.chart, hit),
  speak: (hit, row) => speakBar(shown.instance, shown.chart, hit, gantt.rowName(row)),
});
let shown = null; // { schedule, instance, chart, bound }
let bars = null;
let drawRequested = false;

function requestDraw() {
  if (drawRequested || !shown?.chart) return;
  drawRequested = true;
  requestAnimationFrame(draw);
}

function draw() {
  drawRequested = false;
  if (!shown.chart) return;
  const begin = performance.now();
  gantt.draw(view);
  queuePlot.draw(view, gantt.theme, gantt.ticks, shown.bound);
  second.draw();
  noteFrame(performance.now() - begin, gantt.drawn, gantt.merged);
}

function select(schedule) {
  const instance = data.instances[schedule.instance];
  const chart = schedule.chart ? decodeChart(schedule, instance) : null;
  shown = { schedule, instance, chart, bound: bestBound(schedule) };
  showRuns(bars ? bars.mark(schedule) : [schedule], schedule);
  showFacts(schedule, instance, bars ? bars.place(schedule) : null);
  showClasses(schedule, instance, chart);
  showContexts(schedule, instance);
  showMoves(schedule, instance);
  lossReport.show(schedule, instance);
  document.getElementById("chart").hidden = !chart;
  const noChart = document.getElementById("no-chart");
  noChart.hidden = Boolean(chart);
  noChart.textContent = "This schedule's chart was left out to keep the page small. Schedule it alone to see it.";
  tooltip.hide();
  if (chart) showChart();
}

function showChart() {
  const { schedule, instance, chart, bound } = shown;
  gantt.show(instance, schedule.contexts, chart, bound);
  steps.show(chart);
  document.getElementById("chain-keys").hidden = !chart.waits;
  showSimplified(schedule.chart);
  queuePlot.show(chart.queue);
  document.getElementById("spoken").textContent = "";
  highlight.show(instance, chart);
  const otherEnd = second.show(schedule, highlight);
  marked.show(instance, chart, schedule.analysis, schedule.makespan);
  view.setEnd(Math.max(schedule.makespan, bound?.value ?? 0, lastEnd(chart.attempts), lastEnd(chart.transfers), otherEnd) * 1.01);
}

// What a large chart does not show as it was.
function showSimplified({ rounds, unit, transfersLeftOut }) {
  const parts = [];
  if (rounds) parts.push(`times in the chart are rounded to ${formatTime(unit)}`);
  if (transfersLeftOut) parts.push(`${formatCount(transfersLeftOut)} transfers are left out`);
  const note = document.getElementById("simplified");
  note.hidden = parts.length === 0;
  note.textContent = `To keep the page small, ${parts.join(", and ")}.`;
}

function lastEnd(bars) {
  return bars.end.reduce((last, end) => Math.max(last, end), 0);
}

function showRuns(runs, schedule) {
  const field = document.getElementById("runs");
  field.hidden = runs.length < 2;
  const choice = field.querySelector("select");
  choice.replaceChildren(
    ...runs.map((run, number) => {
      const option = element("option", `${number + 1} of ${runs.length}: ${formatTime(run.makespan)}${run.chart ? "" : " (no chart)"}`);
      option.selected = run === schedule;
      return option;
    }),
  );
  choice.onchange = () => select(runs[choice.selectedIndex]);
}

function showComparison() {
  document.getElementById("compare").hidden = data.schedules.length < 2 && data.skipped.length === 0;
  document.querySelector("#compare-head .exports").hidden = data.schedules.length < 2;
  showSkipped(data.skipped);
  if (data.schedules.length < 2) return;
  bars = new Bars(document.getElementById("bars"), data, (schedule) => {
    select(schedule);
    bringIntoSight(document.getElementById("plots"));
  });
  offerExports("bars", "comparison", (theme) => [barsPicture(bars, theme, document.getElementById("bars").clientWidth)]);
  document.getElementById("neighbours").hidden = bars.policies.length < 2;
  document.getElementById("previous").addEventListener("click", () => select(bars.neighbour(shown.schedule, -1)));
  document.getElementById("next").addEventListener("click", () => select(bars.neighbour(shown.schedule, 1)));
  document.getElementById("compare-title").textContent = shorten(bars.title);
  document.getElementById("overview").hidden = !data.summary;
  if (data.summary) {
    const profile = new Profile(data);
    offerExports("profile", "profile", (theme) => [profilePicture(profile, theme)]);
  }
  const without = data.schedules.filter((schedule) => !schedule.chart).length;
  const note = document.getElementById("charts-left-out");
  note.hidden = without === 0;
  note.textContent = `${formatCount(without)} of ${formatCount(data.schedules.length)} schedules have no Gantt chart here, to keep the page small.`;
}

// Scrolls only when most of the node is out of sight.
function bringIntoSight(node) {
  const { top, bottom } = node.getBoundingClientRect();
  const seen = Math.min(bottom, window.innerHeight) - Math.max(top, 0);
  if (seen >= Math.min(bottom - top, window.innerHeight) / 2) return;
  const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  node.closest("section").scrollIntoView({ behavior: still ? "instant" : "smooth" });
}

// On paper nothing is folded away.
function unfoldForPrint() {
  let unfolded = [];
  const print = (begins) => {
    if (begins) unfolded.push(...document.querySelectorAll("details:not([open])"));
    for (const details of unfolded) details.open = begins;
    if (!begins) unfolded = [];
  };
  window.addEventListener("beforeprint", () => print(true));
  window.addEventListener("afterprint", () => print(false));
  window.matchMedia("print").addEventListener("change", (event) => print(event.matches));
}

function watchPointer(canvas, describe) {
  canvas.addEventListener("pointermove", (event) => {
    if (!shown?.chart) return;
    const inside = event.offsetX >= GUTTER && event.buttons === 0;
    cursor.hidden = !inside;
    cursor.style.left = `${event.offsetX}px`;
    const content = inside ? describe(event) : null;
    if (content) tooltip.show(event, ...content);
    else tooltip.hide();
  });
  canvas.addEventListener("pointerleave", () => {
    cursor.hidden = true;
    tooltip.hide();
  });
}

async function start() {
  document.getElementById("title").textContent = shorten(data.title);
  if (!("DecompressionStream" in window)) {
    document.querySelector("header").append(element("p", "The data of this page is compressed: it needs a browser of 2023 or later."));
    return;
  }
  await unpackColumns(data);
  for (const plot of [gantt, queuePlot]) navigate(plot.canvas, view, () => plot.plot);
  watchPointer(gantt.canvas, (event) => {
    const hit = gantt.at(event.offsetX, event.offsetY, view);
    if (hit) return describeBar(shown.instance, shown.chart, hit);
    const idle = gantt.idleAt(event.offsetX, event.offsetY, view);
    return idle && describeIdle(shown.instance, shown.chart, shown.schedule.analysis.causes, idle);
  });
  watchPointer(queuePlot.canvas, (event) => {
    const { left, width } = queuePlot.plot;
    const time = view.low + ((event.offsetX - left) / width) * view.span;
    return describeQueue(shown.chart.queue, queuePlot.stepAt(time), time, view.span);
  });
  offerExports("chart", "schedule", (theme) => {
    const charts = [ganttPicture(gantt, view), queuePicture(queuePlot, view, theme)];
    return second.schedules ? [...charts, ganttPicture(second.gantt, view)] : charts;
  });
  offerExports("losses", "losses", (theme) => [lossPicture(lossReport, theme, document.getElementById("losses").clientWidth)]);
  document.getElementById("reset").addEventListener("click", () => view.reset());
  new ResizeObserver(requestDraw).observe(gantt.canvas);
  watchTheme(() => {
    gantt.setTheme(readTheme());
    second.setTheme(gantt.theme);
    lossReport.draw();
    if (shown?.chart) draw(); // at once: paper does not wait for the next frame
  });
  unfoldForPrint();
  showComparison();
  document.getElementById("schedule").hidden = data.schedules.length === 0;
  if (data.schedules.length > 0) select(bars ? bars.first : data.schedules[0]);
  pageStatus.state = "ready";
}

start();
