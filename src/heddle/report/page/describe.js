// What is under the pointer, in words.

// The class a worker belongs to.
function classOf(instance, worker) {
  let first = 0;
  for (const each of instance.classes) {
    first += each.workers;
    if (worker < first) return each.name;
  }
  return "";
}

// A bar that Gantt.at found.
function describeBar(instance, chart, { bars, bar, others }) {
  const content = bars === chart.attempts ? describeAttempt(instance, chart, bar) : describeTransfer(instance, bars, bar);
  if (others > 0) content.push(element("p", `and ${formatCount(others)} more under the pointer: zoom in`));
  return content;
}

function describeTimes(start, end) {
  const step = Math.max(end - start, 1e-12) / 1000;
  return [
    ["start", formatInstant(start, step, end)],
    ["end", formatInstant(end, step)],
    ["duration", formatTime(end - start)],
  ];
}

function describeAttempt(instance, { attempts, chain }, attempt) {
  const task = attempts.task[attempt];
  const worker = attempts.worker[attempt];
  const content = [
    element("strong", instance.taskNames.of(task)),
    termList([
      ["type", instance.types[instance.typeOf[task]]],
      ["worker", `${instance.workers[worker]} (class ${classOf(instance, worker)})`],
      ...describeTimes(attempts.start[attempt], attempts.end[attempt]),
      ["outcome", OUTCOMES[attempts.outcome[attempt]]],
    ]),
  ];
  if (chain[attempt]) content.push(element("p", "On the critical chain: the makespan waited for it."));
  return content;
}

// The bandwidth is what the transfer got all in all, latency and sharing of buses included.
function describeTransfer(instance, transfers, transfer) {
  const { from, to } = transfers.links[transfers.link[transfer]];
  const start = transfers.start[transfer];
  const end = transfers.end[transfer];
  const bytes = transfers.bytes[transfer];
  const terms = [
    ["from", instance.memories[from]],
    ["to", instance.memories[to]],
    ...describeTimes(start, end),
    ["size", formatBytes(bytes)],
  ];
  if (end > start) terms.push(["bandwidth", `${formatBytes(Math.round(bytes / (end - start)))}/s`]);
  return [element("strong", instance.dataNames.of(transfers.data[transfer])), termList(terms)];
}

// The bar that the keyboard is at, in one sentence for screen readers.
function speakBar(instance, chart, { bars, bar }, rowName) {
  const times = Object.fromEntries(describeTimes(bars.start[bar], bars.end[bar]));
  const when = `from ${times.start} to ${times.end}`;
  if (bars !== chart.attempts) return shorten(`${instance.dataNames.of(bars.data[bar])}, transfer, ${rowName}, ${when}`);
  const task = bars.task[bar];
  const chain = chart.chain[bar] ? ", on the critical chain" : "";
  const type = instance.types[instance.typeOf[task]];
  return shorten(`${instance.taskNames.of(task)}, type ${type}, worker ${rowName}, ${when}, ${OUTCOMES[bars.outcome[bar]]}${chain}`);
}

function describeQueue(queue, step, time, span) {
  const count = queue.depth[step];
  return [
    element("strong", `${formatCount(count)} ${count === 1 ? "task" : "tasks"} ready`),
    termList([["time", formatInstant(time, span / 1000)]]),
  ];
}

