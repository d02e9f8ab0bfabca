// What is under the pointer, in words. Names come from the user: they are only ever set as text.

function element(tag, text, className) {
  const node = document.createElement(tag);
  if (text !== undefined) node.textContent = text;
  if (className) node.className = className;
  return node;
}

function termList(pairs) {
  const list = element("dl");
  for (const [term, description] of pairs) list.append(element("dt", term), element("dd", description));
  return list;
}

class Tooltip {
  constructor(node) {
    this.node = node;
  }

  hide() {
    this.node.hidden = true;
  }

  show(event, ...content) {
    this.node.replaceChildren(...content);
    this.node.hidden = false;
    const { width, height } = this.node.getBoundingClientRect();
    const right = event.clientX + 16 + width <= window.innerWidth;
    const below = event.clientY + 16 + height <= window.innerHeight;
    this.node.style.left = `${Math.max(4, right ? event.clientX + 16 : event.clientX - 12 - width)}px`;
    this.node.style.top = `${Math.max(4, below ? event.clientY + 16 : event.clientY - 12 - height)}px`;
  }
}

// The class a worker belongs to.
function classOf(instance, worker) {
  let first = 0;
  for (const each of instance.classes) {
    first += each.workers;
    if (worker < first) return each.name;
  }
  return "";
}

function describeAttempt(instance, chart, { worker, attempt, others }) {
  const { attempts, chain } = chart;
  const task = attempts.task[attempt];
  const start = attempts.start[attempt];
  const end = attempts.end[attempt];
  const duration = end - start;
  const step = Math.max(duration, 1e-12) / 1000;
  const content = [
    element("strong", instance.taskNames.of(task)),
    termList([
      ["type", instance.types[instance.typeOf[task]]],
      ["worker", `${instance.workers[worker]} (class ${classOf(instance, worker)})`],
      ["start", formatInstant(start, step, end)],
      ["end", formatInstant(end, step)],
      ["duration", formatTime(duration)],
      ["outcome", OUTCOMES[attempts.outcome[attempt]]],
    ]),
  ];
  if (chain[attempt]) content.push(element("p", "On the critical chain: the makespan waited for it."));
  if (others > 0) content.push(element("p", `and ${formatCount(others)} more under the pointer: zoom in`));
  return content;
}

function describeQueue(queue, step, time, span) {
  const count = queue.depth[step];
  return [
    element("strong", `${formatCount(count)} ${count === 1 ? "task" : "tasks"} ready`),
    termList([["time", formatInstant(time, span / 1000)]]),
  ];
}

