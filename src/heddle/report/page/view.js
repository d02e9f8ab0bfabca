// Which stretch of time is visible, and the ways to change it: wheel, drag, double click, keys.

class TimeView {
  constructor(onChange) {
    this.onChange = onChange;
    this.end = 1;
    this.low = 0;
    this.high = 1;
  }

  get span() {
    return this.high - this.low;
  }

  get whole() {
    return this.low === 0 && this.high === this.end;
  }

  // Time runs from 0 to `end`; what was visible stays so when it was only a part.
  setEnd(end) {
    const wasWhole = this.whole;
    this.end = end > 0 ? end : 1;
    if (wasWhole) this.reset();
    else this.show(this.low, this.high);
  }

  reset() {
    this.show(0, this.end);
  }

  show(low, high) {
    const span = Math.min(this.end, Math.max(high - low, this.end * 1e-8));
    this.low = Math.min(Math.max(0, low), this.end - span);
    this.high = this.low + span;
    if (span === this.end) this.high = this.end;
    this.onChange();
  }

  // `time` stays where it is; the span becomes `factor` times as long.
  zoom(time, factor) {
    const span = this.span * factor;
    const share = (time - this.low) / this.span;
    this.show(time - share * span, time + (1 - share) * span);
  }

  move(time) {
    this.show(this.low + time, this.high + time);
  }
}

// `plot()` is where time is drawn: { left, width } in the canvas, in CSS pixels.
function navigate(canvas, view, plot) {
  const timeAt = (x) => view.low + ((x - plot().left) / plot().width) * view.span;

  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const pixels = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : 30;
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      const delta = event.shiftKey ? event.deltaY + event.deltaX : event.deltaX;
      view.move(((delta * pixels) / plot().width) * view.span);
    } else {
      view.zoom(timeAt(event.offsetX), Math.exp(Math.max(-300, Math.min(300, event.deltaY * pixels)) * 0.002));
    }
  }, { passive: false });

  let grip = null;
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || event.shiftKey) return; // with Shift it marks a span
    grip = { x: event.offsetX, low: view.low };
    canvas.setPointerCapture(event.pointerId);
    canvas.classList.add("moving");
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!grip) return;
    const low = grip.low - ((event.offsetX - grip.x) / plot().width) * view.span;
    view.show(low, low + view.span);
  });
  const release = () => {
    grip = null;
    canvas.classList.remove("moving");
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("dblclick", () => view.reset());
}

// What the keyboard does to the stretch of time; `middle()` stays where it is when it zooms. Returns whether the key is one
// of these.
function navigateByKey(event, view, middle) {
  const keys = {
    "Shift+ArrowLeft": () => view.move(-view.span / 8),
    "Shift+ArrowRight": () => view.move(view.span / 8),
    "+": () => view.zoom(middle(), 1 / 1.5),
    "=": () => view.zoom(middle(), 1 / 1.5),
    "-": () => view.zoom(middle(), 1.5),
    0: () => view.reset(),
  };
  const name = event.shiftKey && event.key.startsWith("Arrow") ? `Shift+${event.key}` : event.key;
  if (!Object.hasOwn(keys, name)) return false;
  keys[name]();
  return true;
}
