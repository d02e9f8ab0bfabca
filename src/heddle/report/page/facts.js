// A schedule in numbers: the facts above its chart and the table of classes below.

function bestBound(schedule) {
  return schedule.bounds.reduce((best, bound) => (!best || bound.value > best.value ? bound : best), null);
}

function machineText(instance) {
  const classes = instance.classes.filter((each) => each.workers > 0).map((each) => `${each.workers} ${each.name}`).join(" + ");
  return instance.platform ? `${instance.platform} (${classes})` : classes;
}

// Which schedule is shown and how good it is, in words. `place`: of its policy among those of its instance, { rank, count,
// best, shortest }, or null when there is nothing to compare with.
function tellShown(schedule, instance, place) {
  const best = bestBound(schedule);
  const run = schedule.noise ? `, run ${schedule.run}` : "";
  let text = `This is the schedule of ${schedule.policy || "an unnamed policy"} for ${instance.name}${run}. `;
  text += `Its makespan is ${formatTime(schedule.makespan)}`;
  text += schedule.ratio === null ? ". " : `, ${formatRatio(schedule.ratio)} times the lower bound of ${formatTime(best.value)} (${best.kind}). `;
  if (place) {
    text += place.rank === 1
      ? `None of the ${place.count} policies has a shorter makespan.`
      : `The policy is number ${place.rank} of ${place.count}. The best is ${place.best} with ${formatTime(place.shortest)}.`;
  }
  return shorten(text);
}

function showFacts(schedule, instance, place) {
  document.getElementById("shown").textContent = tellShown(schedule, instance, place);
  document.getElementById("policy").textContent = shorten(schedule.policy || "schedule");
  document.getElementById("subtitle").textContent =
    `${shorten(`${instance.name} on ${machineText(instance)}`)}: ${formatCount(instance.tasks)} tasks, ${formatCount(instance.edges)} edges`;
  const facts = document.getElementById("facts");
  facts.replaceChildren();
  const add = (term, description, className) => {
    const pair = element("div", undefined, className);
    pair.append(element("dt", term), element("dd", description));
    facts.append(pair);
  };
  const best = bestBound(schedule);
  add("makespan", formatTime(schedule.makespan), "big");
  if (best) add(`lower bound (${best.kind})`, formatTime(best.value), "big bound");
  if (schedule.ratio !== null) add("makespan / bound", formatRatio(schedule.ratio), "big");
  for (const bound of schedule.bounds) {
    if (bound !== best) add(`${bound.kind} bound`, formatTime(bound.value));
  }
  add("aborted attempts", formatCount(schedule.aborted));
  if (schedule.bytes > 0) add("transferred", formatBytes(schedule.bytes));
  if (schedule.homeBytes > 0) add("left on devices", formatBytes(schedule.homeBytes));
  if (schedule.joules !== undefined) add("energy", formatJoules(schedule.joules));
  if (schedule.noise) add("noise", schedule.noise);
  if (schedule.noise) add("seed", schedule.seed);
}

// Seconds of work that was lost, by class; nothing without a chart.
function lostTime(instance, attempts) {
  const lost = instance.classes.map(() => 0);
  let worker = 0;
  instance.classes.forEach((each, number) => {
    for (const last = worker + each.workers; worker < last; worker++) {
      for (let i = attempts.rows[worker]; i < attempts.rows[worker + 1]; i++) {
        if (attempts.outcome[i] !== COMPLETED) lost[number] += attempts.end[i] - attempts.start[i];
      }
    }
  });
  return lost;
}

function useBar(busy, lost) {
  const bar = element("div", undefined, "usebar");
  for (const [share, className] of [[busy, "busy"], [lost, "aborted"]]) {
    const part = element("div", undefined, className);
    part.style.width = `${share * 100}%`;
    bar.append(part);
  }
  return bar;
}

function showClasses(schedule, instance, chart) {
  const table = document.getElementById("classes");
  const head = element("tr");
  const two = instance.classes.length === 2;
  const titles = ["class", "workers", "tasks", "time on completed tasks", "busy", "idle or lost", two ? "acceleration" : "slowdown"];
  for (const title of titles) {
    head.append(element("th", title, title.startsWith("time") ? "use" : ""));
    head.lastChild.scope = "col";
  }
  head.lastChild.title = two
    ? "Equivalent acceleration factor of what the class executed: CPU time over GPU time"
    : "Mean slowdown of what the class executed: time spent over time on each task's fastest class";
  table.replaceChildren(head);
  const lost = chart ? lostTime(instance, chart.attempts) : instance.classes.map(() => 0);
  instance.classes.forEach((each, number) => {
    if (each.workers === 0) return;
    const use = schedule.use[number];
    const all = use.busy + use.idle || 1;
    const row = element("tr");
    const bar = element("td", undefined, "use");
    bar.append(useBar(use.busy / all, lost[number] / all));
    row.append(element("td", each.name), element("td", formatCount(each.workers)), element("td", formatCount(use.tasks)), bar);
    row.append(element("td", formatPercent(use.busy / all)), element("td", formatTime(use.idle)));
    row.append(element("td", use.acceleration === null ? "–" : use.acceleration.toFixed(2)));
    table.append(row);
  });
}


// "4 cpu + 1 gpu", of some workers.
function countWorkers(instance, workers) {
  let first = 0;
  return instance.classes
    .map((each) => {
      const last = first + each.workers;
      const own = workers.filter((worker) => worker >= first && worker < last).length;
      first = last;
      return own > 0 ? `${own} ${each.name}` : "";
    })
    .filter(Boolean)
    .join(" + ");
}

// What each context did; hidden where one policy decided on everything.
function showContexts(schedule, instance) {
  const { contexts } = schedule;
  document.getElementById("contexts-part").hidden = !contexts;
  if (!contexts) return;
  const head = element("tr");
  for (const title of ["context", "policy", "workers", "tasks", "busy", "idle or lost", "starts", "ends", "aborted"]) {
    head.append(element("th", title));
    head.lastChild.scope = "col";
  }
  const rows = contexts.map((each) => {
    const row = element("tr");
    const cells = [shorten(each.name), shorten(each.policy), countWorkers(instance, each.workers), formatCount(each.tasks)];
    cells.push(formatPercent(each.busy / (each.busy + each.idle || 1)), formatTime(each.idle));
    cells.push(...(each.tasks > 0 ? [formatTime(each.start), formatTime(each.end)] : ["–", "–"]), formatCount(each.aborted));
    for (const cell of cells) row.append(element("td", cell));
    return row;
  });
  document.getElementById("contexts").replaceChildren(head, ...rows);
}

// Which workers changed contexts, and when.
function showMoves(schedule, instance) {
  const MOST = 20;
  const { contexts, moves } = schedule;
  const note = document.getElementById("moves");
  note.hidden = !moves;
  if (!moves) return;
  const place = (word, context) => (context === undefined ? "" : ` ${word} ${shorten(contexts[context].name)}`);
  const shown = moves.slice(0, MOST).map(({ at, worker, from, to }) => {
    return `${shorten(instance.workers[worker])}${place("from", from)}${place("to", to)} at ${formatTime(at)}`;
  });
  const more = moves.length > MOST ? `, and ${formatCount(moves.length - MOST)} more moves` : "";
  note.textContent = `Workers changed contexts: ${shown.join(", ")}${more}. The bands and the table show the contexts at the start.`;
}
