// What stands out in the chart: all attempts of a type, the critical chain, or tasks found by name. One at a time.

const LEGEND_ROOM = 10; // types shown at first

class Highlight {
  constructor(onChange, view) {
    this.onChange = onChange;
    this.view = view;
    this.colours = new TypeColours();
    this.legend = document.getElementById("legend");
    this.chainButton = document.getElementById("chain");
    this.search = document.getElementById("search");
    this.found = document.getElementById("found");
    this.chainButton.addEventListener("click", () => this.choose(this.kind === "chain" ? null : "chain"));
    this.search.addEventListener("input", () => this.choose(this.search.value ? "search" : null));
    this.search.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.goToNext(event.shiftKey ? -1 : 1);
      if (event.key === "Escape") this.choose(null);
    });
  }

  show(instance, chart) {
    this.instance = instance;
    this.chart = chart;
    this.places = Uint8Array.from(instance.types, (name) => this.colours.place(name));
    this.makeLegend();
    const length = chart.chain.reduce((sum, member) => sum + member, 0);
    this.chainButton.textContent = `Critical chain (${formatCount(length)})`;
    // A search goes on in the next chart; a type may not exist there.
    this.choose(this.kind === "search" || this.kind === "chain" ? this.kind : null);
  }

  makeLegend() {
    const { attempts } = this.chart;
    const counts = new Uint32Array(this.instance.types.length);
    const outcomes = [0, 0, 0];
    for (let i = 0; i < attempts.count; i++) {
      counts[this.instance.typeOf[attempts.task[i]]] += 1;
      outcomes[attempts.outcome[i]] += 1;
    }
    this.legend.replaceChildren();
    const used = [...counts.keys()].filter((type) => counts[type] > 0);
    const buttons = used.map((type) => this.legendButton(this.instance.types[type], type, counts[type]));
    this.legend.append(...buttons);
    if (buttons.length > LEGEND_ROOM + 2) this.legend.append(this.moreButton(buttons.slice(LEGEND_ROOM)));
    for (const outcome of [1, 2]) {
      if (outcomes[outcome] > 0) this.legend.append(this.outcomeMark(OUTCOMES[outcome], outcomes[outcome]));
    }
  }

  legendButton(name, type, count) {
    const button = element("button");
    const swatch = element("span", undefined, "swatch");
    button.type = "button";
    button.title = name;
    button.dataset.type = type;
    swatch.style.background = PALETTE[this.places[type]];
    button.append(swatch, element("span", name, "type"), element("small", formatCount(count)));
    button.addEventListener("click", () => this.choose(this.kind === type ? null : type));
    return button;
  }

  // Stands for the buttons of further types until it is clicked.
  moreButton(hidden) {
    const more = element("button", `${hidden.length} more types`);
    more.type = "button";
    for (const button of hidden) button.hidden = true;
    more.addEventListener("click", () => {
      for (const button of hidden) button.hidden = false;
      more.remove();
    });
    return more;
  }

  outcomeMark(name, count) {
    const mark = element("span", undefined, "mark");
    mark.append(element("span", undefined, `swatch ${name}`), element("span", name), element("small", formatCount(count)));
    return mark;
  }

  // `kind`: a type's number, "chain", "search" or null.
  choose(kind) {
    this.kind = kind;
    if (kind !== "search") this.search.value = "";
    this.matches = kind === "search" ? this.instance.taskNames.containing(this.search.value) : null;
    this.last = -1;
    this.chainButton.setAttribute("aria-pressed", String(kind === "chain"));
    for (const button of this.legend.querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(Number(button.dataset.type) === kind && typeof kind === "number"));
    }
    this.tellFound();
    this.onChange(this.slots(), kind === "search" || kind === "chain" ? this.standsOut() : null);
  }

  tellFound() {
    const count = this.matches?.reduce((sum, match) => sum + match, 0);
    this.found.textContent = this.matches ? `${formatCount(count)} found` : "";
  }

  // A 1 for each attempt that stands out.
  standsOut() {
    const { task } = this.chart.attempts;
    if (this.kind === "chain") return this.chart.chain;
    if (this.kind === "search") return Uint8Array.from(task, (number) => this.matches[number]);
    if (this.kind !== null) return Uint8Array.from(task, (number) => (this.instance.typeOf[number] === this.kind ? 1 : 0));
    return null;
  }

  // The colour of each attempt.
  slots() {
    const { task } = this.chart.attempts;
    const out = this.standsOut();
    return Uint8Array.from(task, (number, i) =>
      out && !out[i] ? SLOT_DIM : this.places[this.instance.typeOf[number]],
    );
  }

  // Moves the view to the next (or previous) attempt found, by start.
  goToNext(direction) {
    if (!this.matches) return;
    const { attempts } = this.chart;
    const hits = [...attempts.task.keys()].filter((i) => this.matches[attempts.task[i]]);
    if (hits.length === 0) return;
    hits.sort((a, b) => attempts.start[a] - attempts.start[b]);
    this.last = (this.last + direction + hits.length) % hits.length;
    const i = hits[this.last];
    const middle = (attempts.start[i] + attempts.end[i]) / 2;
    const span = Math.min(this.view.span, Math.max(attempts.end[i] - attempts.start[i], this.view.end * 1e-6) * 12);
    this.view.show(middle - span / 2, middle + span / 2);
  }
}

