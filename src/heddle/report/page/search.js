// What stands out in the chart: all attempts of a type, all transfers, the critical chain, the time that workers lost by a
// cause, or what was found by name. One at a time.

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
    this.lossButton = document.getElementById("lost-time");
    this.chainButton.addEventListener("click", () => this.toggle("chain"));
    this.lossButton.addEventListener("click", () => this.toggle("losses"));
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
    this.search.placeholder = chart.transfers.count > 0 ? "Find a task or datum" : "Find a task";
    this.makeLegend();
    const length = chart.chain.reduce((sum, member) => sum + member, 0);
    this.chainButton.textContent = `Critical chain (${formatCount(length)})`;
    this.lossButton.hidden = !chart.idle;
    // A search goes on in the next chart; a type or transfers may not exist there.
    const goesOn = ["search", "chain"].includes(this.kind) || (chart.idle && this.showsLosses);
    this.choose(goesOn ? this.kind : null);
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
    const buttons = used.map((type) => this.typeButton(type, counts[type]));
    this.legend.append(...buttons);
    if (buttons.length > LEGEND_ROOM + 2) this.legend.append(this.moreButton(buttons.slice(LEGEND_ROOM)));
    const { count } = this.chart.transfers;
    if (count > 0) this.legend.append(this.legendButton("transfers", "transfers", count, "transfer"));
    for (const outcome of [1, 2]) {
      if (outcomes[outcome] > 0) this.legend.append(this.outcomeMark(OUTCOMES[outcome], outcomes[outcome]));
    }
  }

  typeButton(type, count) {
    const button = this.legendButton(this.instance.types[type], type, count);
    button.firstChild.style.background = `var(--type-${this.places[type]})`;
    return button;
  }

  legendButton(name, kind, count, swatch = "") {
    const button = element("button");
    button.type = "button";
    button.title = shorten(name);
    button.dataset.kind = kind;
    button.append(element("span", undefined, `swatch ${swatch}`), element("span", name, "type"), element("small", formatCount(count)));
    button.addEventListener("click", () => this.toggle(kind));
    return button;
  }

  // Stands for the buttons of further types until it is clicked.
  moreButton(hidden) {
    const more = element("button", `${hidden.length} more types`, "more");
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

  toggle(kind) {
    this.choose(this.kind === kind ? null : kind);
  }

  get showsLosses() {
    return this.kind === "losses" || causeOf(this.kind) !== NONE;
  }

  // `kind`: a type's number, "transfers", "chain", "losses", that of a cause (causeKind), "search" or null.
  choose(kind) {
    this.kind = kind;
    if (kind !== "search") this.search.value = "";
    this.matches = kind === "search" ? this.find(this.search.value) : null;
    this.last = -1;
    this.chainButton.setAttribute("aria-pressed", String(kind === "chain"));
    this.lossButton.setAttribute("aria-pressed", String(kind === "losses"));
    for (const button of document.querySelectorAll("[data-kind]")) {
      button.setAttribute("aria-pressed", String(button.dataset.kind === String(kind)));
    }
    this.tellFound();
    this.onChange(this.paint());
  }

  // Tasks, and data that moved: a 1 for each whose name contains `text`.
  find(text) {
    const { data } = this.chart.transfers;
    const found = this.instance.dataNames?.containing(text) ?? new Uint8Array(0);
    const moved = new Uint8Array(found.length);
    for (const number of data) moved[number] = found[number];
    return { tasks: this.instance.taskNames.containing(text), data: moved };
  }

  tellFound() {
    const count = (matches) => matches.reduce((sum, match) => sum + match, 0);
    this.found.textContent = this.matches ? `${formatCount(count(this.matches.tasks) + count(this.matches.data))} found` : "";
  }

  // Whether an attempt stands out.
  attemptStandsOut(attempt) {
    const task = this.chart.attempts.task[attempt];
    if (this.kind === "chain") return this.chart.chain[attempt] === 1;
    if (this.kind === "search") return this.matches.tasks[task] === 1;
    if (this.showsLosses) return this.causes[this.chart.attempts.outcome[attempt] === COMPLETED ? KERNEL : ABORTED];
    return this.kind === null || this.instance.typeOf[task] === this.kind;
  }

  transferStandsOut(transfer) {
    if (this.kind === "search") return this.matches.data[this.chart.transfers.data[transfer]] === 1;
    return this.kind === null || this.kind === "transfers" || causeOf(this.kind) === DATA;
  }

  // Whether time with each cause stands out.
  get causes() {
    return Array.from({ length: CAUSES }, (_, cause) => (this.kind === "losses" ? cause !== KERNEL : cause === causeOf(this.kind)));
  }

  // What Gantt.colour takes.
  paint() {
    const { attempts, transfers } = this.chart;
    const colour = ({ count }, standsOut, slot) => {
      const out = Uint8Array.from({ length: count }, (_, i) => (standsOut(i) ? 1 : 0));
      const forced = this.kind === "search" || this.kind === "chain" || causeOf(this.kind) === ABORTED ? out : null;
      return { slots: out.map((shown, i) => (shown ? slot(i) : SLOT_DIM)), forced };
    };
    return {
      attempts: colour(attempts, (i) => this.attemptStandsOut(i), (i) => this.places[this.instance.typeOf[attempts.task[i]]]),
      transfers: colour(transfers, (i) => this.transferStandsOut(i), () => SLOT_TRANSFER),
      causes: this.causes,
    };
  }

  // Moves the view to the next (or previous) attempt or transfer found, by start.
  goToNext(direction) {
    if (!this.matches) return;
    const { attempts, transfers } = this.chart;
    const times = ({ start, end }, i) => ({ start: start[i], end: end[i] });
    const hits = [
      ...[...attempts.task.keys()].filter((i) => this.attemptStandsOut(i)).map((i) => times(attempts, i)),
      ...[...transfers.data.keys()].filter((i) => this.transferStandsOut(i)).map((i) => times(transfers, i)),
    ];
    if (hits.length === 0) return;
    hits.sort((a, b) => a.start - b.start);
    this.last = (this.last + direction + hits.length) % hits.length;
    const { start, end } = hits[this.last];
    const middle = (start + end) / 2;
    const span = Math.min(this.view.span, Math.max(end - start, this.view.end * 1e-6) * 12);
    this.view.show(middle - span / 2, middle + span / 2);
  }
}

