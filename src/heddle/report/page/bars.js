// How far each policy is from the bound: bars grouped by instance, in the order given. A bar is the mean of a policy's
// runs, its whisker goes from the smallest to the largest. Without bounds the bars are makespans.

// [{ instance, policies: [{ policy, runs: [schedule] }] }]
function groupSchedules(data) {
  const groups = new Map();
  for (const schedule of data.schedules) {
    const instance = data.instances[schedule.instance];
    const key = JSON.stringify([instance.name, instance.platform, instance.classes]);
    if (!groups.has(key)) groups.set(key, { instance, policies: new Map() });
    const { policies } = groups.get(key);
    if (!policies.has(schedule.policy)) policies.set(schedule.policy, { policy: schedule.policy, runs: [] });
    policies.get(schedule.policy).runs.push(schedule);
  }
  return Array.from(groups.values(), ({ instance, policies }) => ({ instance, policies: [...policies.values()] }));
}

function statistics(values) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return { mean, low: Math.min(...values), high: Math.max(...values) };
}

function firstToShow(runs) {
  return runs.find((run) => run.chart) ?? runs[0];
}

class Bars {
  constructor(node, data, select) {
    this.groups = groupSchedules(data);
    this.byRatio = data.schedules.every((schedule) => schedule.ratio !== null);
    this.value = (schedule) => (this.byRatio ? schedule.ratio : schedule.makespan);
    this.format = this.byRatio ? formatRatio : formatTime;
    this.origin = this.byRatio ? 1 : 0;
    const largest = Math.max(...data.schedules.map(this.value));
    this.reach = Math.max(largest - this.origin, this.byRatio ? 0.01 : 1e-12);
    this.rows = new Map(); // from a schedule to its bar
    node.classList.toggle("runs", this.policies.some(({ runs }) => runs.length > 1));
    for (const group of this.groups) node.append(...this.group(group, select));
  }

  get policies() {
    return this.groups.flatMap((group) => group.policies);
  }

  get title() {
    return this.byRatio ? "Makespan / lower bound" : "Makespan";
  }

  position(value) {
    return `${Math.min(100, Math.max(0, ((value - this.origin) / this.reach) * 100))}%`;
  }

  group({ instance, policies }, select) {
    const head = element("h3", instance.name);
    head.append(element("span", ` on ${machineText(instance)}: ${formatCount(instance.tasks)} tasks`));
    for (const each of policies) each.statistics = statistics(each.runs.map(this.value));
    const best = Math.min(...policies.map((each) => each.statistics.mean));
    return [head, this.scale(), ...policies.map((each) => this.bar(each, each.statistics.mean === best, select))];
  }

  scale() {
    const row = element("div", undefined, "scale");
    const track = element("span", undefined, "track");
    const step = niceStep(this.reach / 6);
    const decimals = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));
    for (const tick of multiples(step, 0, this.reach)) {
      const text = this.byRatio ? (tick + 1).toFixed(Math.max(1, decimals)) : formatTime(tick);
      const mark = element("span", text, "tick");
      mark.style.left = this.position(tick + this.origin);
      track.append(mark);
    }
    row.append(element("span"), track);
    return row;
  }

  bar({ policy, runs, statistics: { mean, low, high } }, isBest, select) {
    const row = element("button", undefined, isBest ? "bar best" : "bar");
    row.type = "button";
    const name = element("span", policy || "schedule", "name");
    name.title = shorten(policy);
    const track = element("span", undefined, "track");
    const fill = element("span", undefined, "fill");
    fill.style.width = this.position(mean);
    track.append(fill);
    if (runs.length > 1) {
      const whisker = element("span", undefined, "whisker");
      whisker.style.left = this.position(low);
      whisker.style.right = `calc(100% - ${this.position(high)})`;
      track.append(whisker);
    }
    const value = element("span", undefined, "value");
    value.append(element("b", this.format(mean)));
    if (runs.length > 1) value.append(element("small", `${this.format(low)} – ${this.format(high)}, ${runs.length} runs`));
    value.style.left = this.position(high);
    track.append(value);
    row.append(name, track);
    row.addEventListener("click", () => select(firstToShow(runs)));
    for (const run of runs) this.rows.set(run, { row, runs });
    return row;
  }

  // What the bar `distance` rows below that of a schedule shows; the last one's neighbour is the first.
  neighbour(schedule, distance) {
    const { policies } = this;
    const place = policies.findIndex(({ runs }) => runs.includes(schedule));
    return firstToShow(policies[(place + distance + policies.length) % policies.length].runs);
  }

  // Marks the bar of a schedule and returns all runs behind it.
  mark(schedule) {
    for (const { row } of this.rows.values()) row.setAttribute("aria-pressed", "false");
    const { row, runs } = this.rows.get(schedule);
    row.setAttribute("aria-pressed", "true");
    return runs;
  }
}

function showSkipped(skipped) {
  const details = document.getElementById("skipped");
  details.hidden = skipped.length === 0;
  details.querySelector("summary").textContent =
    skipped.length === 1 ? "1 policy could not take an instance" : `${skipped.length} times a policy could not take an instance`;
  details.querySelector("ul").append(
    ...skipped.map(({ instance, policy, reason }) => element("li", `${policy} on ${instance}: ${reason}`)),
  );
}

