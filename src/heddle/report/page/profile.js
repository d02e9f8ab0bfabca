// Policies over many instances: a table of their ratios, and the performance profile of Dolan and Moré, which shows for each
// policy the share of instances on which it is within a factor of the best.

const PROFILE_DASHES = ["", "7 3", "2 3"]; // of the first twelve policies, of the next, ...
const PROFILE_LINES = PROFILE_DASHES.length * TYPE_COLOURS; // those after are thin and grey
const PROFILE_FACTORS = [1, 1.01, 1.02, 1.05, 1.1, 1.2, 1.5, 2, 3];
const PROFILE_WIDEST = 3; // factors beyond it are off the picture
const PROFILE_BOX = { left: 52, top: 10, height: 230, right: 10, bottom: 44 };

// The share of instances on which a policy is within a factor of the best.
function shareWithin({ factors }, factor, instances) {
  return factors.filter((each) => each <= factor * (1 + 1e-12)).length / instances;
}

class Profile {
  constructor({ summary, groups }) {
    this.policies = summary.policies;
    this.toBound = summary.toBound;
    this.instances = groups.length;
    document.getElementById("verdict").textContent = shorten(summary.text);
    document.getElementById("ratios").textContent = `Ratios are the makespan over ${this.toBound ? "the lower bound" : "the shortest makespan"} of each instance.`;
    document.getElementById("summary-table").replaceChildren(scrolling(this.summaryTable(), "Policies over all instances"));
    const drawn = this.policies.length > 1;
    document.getElementById("profile-part").hidden = !drawn;
    if (!drawn) return;
    this.svg = document.getElementById("profile");
    const largest = Math.max(...this.policies.flatMap(({ factors }) => factors).filter((factor) => factor !== null));
    this.widest = Math.min(PROFILE_WIDEST, Math.max(1.01, largest * 1.02));
    this.chosen = null;
    new ResizeObserver(() => this.draw()).observe(this.svg.parentNode);
    this.draw();
    document.getElementById("profile-table").append(scrolling(this.profileTable(), "The performance profile in numbers"));
  }

  lineStyle(number) {
    if (number >= PROFILE_LINES) return {};
    return { style: `stroke: var(--type-${number % TYPE_COLOURS})`, "stroke-dasharray": PROFILE_DASHES[Math.floor(number / TYPE_COLOURS)] };
  }

  summaryTable() {
    const ratio = (value) => (value === null ? "–" : formatRatio(value));
    this.buttons = this.policies.map(({ policy }, number) => {
      const button = element("button");
      button.type = "button";
      button.title = "Highlights the policy in the profile";
      button.setAttribute("aria-pressed", "false");
      button.append(
        picture("svg", { class: "dash", viewBox: "0 0 26 8", "aria-hidden": "true" }, picture("line", { x1: 0, x2: 26, y1: 4, y2: 4, ...this.lineStyle(number) })),
        element("span", policy || "schedule"),
      );
      button.addEventListener("click", () => this.choose(number));
      return button;
    });
    const titles = ["policy", "geometric mean", "worst", "best on", "instances"];
    return table(titles, this.policies.map((each, number) => [
      this.policies.length > 1 ? this.buttons[number] : each.policy || "schedule",
      ratio(each.mean), ratio(each.worst), formatPercent(each.wins / this.instances), formatCount(each.instances),
    ]));
  }

  draw() {
    const { left, top, height, right, bottom } = PROFILE_BOX;
    const whole = Math.max(240, Math.min(760, this.svg.parentNode.clientWidth));
    if (whole === this.whole) return;
    this.whole = whole;
    this.width = whole - left - right;
    this.svg.setAttribute("viewBox", `0 0 ${whole} ${top + height + bottom}`);
    this.paths = this.policies.map((policy, number) => this.path(policy, number));
    const title = this.svg.querySelector("title");
    this.svg.replaceChildren(title, ...this.grid(), ...[...this.paths].reverse()); // the best policy on top
    this.emphasize();
  }

  x(factor) {
    return PROFILE_BOX.left + (Math.log(factor) / Math.log(this.widest)) * this.width;
  }

  y(share) {
    return PROFILE_BOX.top + (1 - share) * PROFILE_BOX.height;
  }

  get ticks() {
    const least = this.widest <= 1.06 ? 1.01 : this.widest <= 1.3 ? 1.05 : this.widest <= 2.2 ? 1.1 : 1.5;
    const all = PROFILE_FACTORS.filter((factor) => factor <= this.widest && (factor === 1 || factor >= least));
    return all.filter((factor, i) => i === 0 || this.x(factor) - this.x(all[i - 1]) >= 28);
  }

  grid() {
    const { left, top, height } = PROFILE_BOX;
    const { width } = this;
    const parts = [];
    for (const share of [0, 0.25, 0.5, 0.75, 1]) {
      const y = this.y(share);
      parts.push(picture("line", { class: "grid", x1: left, x2: left + width, y1: y, y2: y }));
      parts.push(picture("text", { x: left - 6, y: y + 4, "text-anchor": "end" }, `${share * 100} %`));
    }
    for (const factor of this.ticks) {
      parts.push(picture("line", { class: "grid", x1: this.x(factor), x2: this.x(factor), y1: top, y2: top + height }));
      parts.push(picture("text", { x: this.x(factor), y: top + height + 17, "text-anchor": "middle" }, String(factor)));
    }
    parts.push(picture("text", { x: left + width / 2, y: top + height + 38, "text-anchor": "middle" }, "factor to the best makespan"));
    return parts;
  }

  // Steps up at each factor, and goes on to the right edge.
  path(policy, number) {
    let line = `M${this.x(1)} ${this.y(shareWithin(policy, 1, this.instances))}`;
    policy.factors.forEach((factor, i) => {
      if (factor === null || factor > this.widest) return;
      line += `H${this.x(factor).toFixed(2)}V${this.y((i + 1) / this.instances).toFixed(2)}`;
    });
    const coloured = number < PROFILE_LINES ? "coloured" : "";
    return picture("path", { d: `${line}H${PROFILE_BOX.left + this.width}`, class: coloured, ...this.lineStyle(number) });
  }

  profileTable() {
    const columns = this.ticks;
    const share = (policy, factor) => formatPercent(shareWithin(policy, factor, this.instances));
    return table(["share of instances within", ...columns.map((factor) => (factor === 1 ? "the best" : `${factor} × best`))],
      this.policies.map((each) => [each.policy || "schedule", ...columns.map((factor) => share(each, factor))]));
  }

  choose(number) {
    this.chosen = this.chosen === number ? null : number;
    this.emphasize();
  }

  emphasize() {
    this.buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(i === this.chosen)));
    this.paths.forEach((path, i) => {
      path.classList.toggle("chosen", i === this.chosen);
      path.classList.toggle("other", this.chosen !== null && i !== this.chosen);
    });
    if (this.chosen !== null) this.svg.append(this.paths[this.chosen]);
  }
}
