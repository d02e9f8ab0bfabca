// How far each policy is from the bound: bars grouped by instance, the shortest makespan first. A bar is the mean of a
// policy's runs, its whisker goes from the smallest to the largest. Without bounds the bars are makespans.

// [{ instance, verdict, policies: [{ policy, makespan, runs: [schedule] }] }]
function groupsOf(data) {
  return data.groups.map(({ verdict, policies }) => {
    const each = policies.map(({ schedules, ...rest }) => ({ ...rest, runs: schedules.map((number) => data.schedules[number]) }));
    return { instance: data.instances[each[0].runs[0].instance], verdict, policies: each };
  });
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
    this.groups = groupsOf(data);
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

  // Where a value is between the left and the right end.
  share(value) {
    return Math.min(1, Math.max(0, (value - this.origin) / this.reach));
  }

  position(value) {
    return `${this.share(value) * 100}%`;
  }

  about({ instance }) {
    return ` on ${machineText(instance)}: ${formatCount(instance.tasks)} tasks`;
  }

  get ticks() {
    const step = niceStep(this.reach / 6);
    const decimals = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));
    return multiples(step, 0, this.reach).map((tick) => ({
      value: tick + this.origin,
      text: this.byRatio ? (tick + 1).toFixed(Math.max(1, decimals)) : formatTime(tick),
    }));
  }

  spread({ runs, statistics: { low, high } }) {
    return runs.length > 1 ? `${this.format(low)} – ${this.format(high)}, ${runs.length} runs` : "";
  }

  // Of several instances each can be folded away.
  group(group, select) {
    const { instance, verdict, policies } = group;
    for (const each of policies) each.statistics = statistics(each.runs.map(this.value));
    const rows = policies.map((each) => this.bar(each, each.makespan === policies[0].makespan, select));
    const about = this.about(group);
    if (this.groups.length === 1) {
      const head = element("h3", instance.name);
      head.append(element("span", shorten(about)));
      return [element("p", verdict, "verdict-line"), head, this.scale(), ...rows];
    }
    group.fold = element("details", undefined, "instance");
    const head = element("summary");
    head.append(element("b", instance.name), element("span", shorten(about)), element("br"), element("span", verdict));
    group.fold.append(head, this.scale(), ...rows);
    return [group.fold];
  }

  scale() {
    const row = element("div", undefined, "scale");
    const track = element("span", undefined, "track");
    for (const { value, text } of this.ticks) {
      const mark = element("span", text, "tick");
      mark.style.left = this.position(value);
      track.append(mark);
    }
    row.append(element("span"), track);
    return row;
  }

  bar(each, isBest, select) {
    const { policy, runs, statistics: { mean, low, high } } = each;
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
    if (runs.length > 1) value.append(element("small", this.spread(each)));
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

  groupOf(schedule) {
    return this.groups.find(({ policies }) => policies.some(({ runs }) => runs.includes(schedule)));
  }

  // Where the policy of a schedule stands among those of its instance; null where it is the only one.
  place(schedule) {
    const { policies } = this.groupOf(schedule);
    if (policies.length < 2) return null;
    const own = policies.find(({ runs }) => runs.includes(schedule));
    const rank = policies.filter(({ makespan }) => makespan < own.makespan).length + 1;
    return { rank, count: policies.length, best: policies[0].policy, shortest: policies[0].makespan };
  }

  // The schedule that the page opens with: the best of the first instance.
  get first() {
    return firstToShow(this.groups[0].policies[0].runs);
  }

  // Marks the bar of a schedule, unfolds its instance and returns all runs behind it.
  mark(schedule) {
    const { fold } = this.groupOf(schedule);
    if (fold) fold.open = true;
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

