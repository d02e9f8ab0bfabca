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

function describeAttempt(instance, chart, attempt) {
  const { attempts, chain, waits } = chart;
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
  if (waits) content.push(element("p", tellWait(instance, chart, attempt)), element("p", tellFollowers(instance, chart, attempt)));
  return content;
}

// "TRSM(3,1) on gpu0"
function nameAttempt(instance, { attempts }, attempt) {
  return `${shorten(instance.taskNames.of(attempts.task[attempt]))} on ${shorten(instance.workers[attempts.worker[attempt]])}`;
}

// What an attempt waited for, in a sentence.
function tellWait(instance, chart, attempt) {
  const { waits, attempts } = chart;
  const source = waits.source[attempt];
  const waited = waits.waited(attempt);
  if (source === NONE && waits.wait[attempt] !== WAIT_DATA) {
    return waited > 0 ? `Waited for nothing, but started ${formatTime(waited)} after the start of the run.` : "Waited for nothing.";
  }
  const moved = waits.transferBefore(attempt);
  const before = source === NONE ? "" : nameAttempt(instance, chart, source);
  if (moved) {
    const data = moved.transfer < 0
      ? `data from ${instance.memories[moved.from]} to ${instance.memories[moved.to]}`
      : `data, ${shorten(instance.dataNames.of(chart.transfers.data[moved.transfer]))} at last`;
    return `Waited for ${data}${source === NONE ? "" : `, after ${before} had ended ${formatTime(waited)} before`}.`;
  }
  const sameTask = attempts.task[source] === attempts.task[attempt];
  const roles = {
    [WAIT_PREDECESSOR]: ", a predecessor",
    [WAIT_WORKER]: sameTask ? ", an attempt of the same task" : ", which had its worker",
    [WAIT_DATA]: ", which held a datum",
  };
  const role = roles[waits.wait[attempt]] ?? "";
  return waited > 0 ? `Waited for ${before}${role}, and started ${formatTime(waited)} after that had ended.` : `Waited for ${before}${role}.`;
}

const FOLLOWERS_NAMED = 3;

function tellFollowers(instance, chart, attempt) {
  const followers = chart.waits.followers(attempt);
  if (followers.length === 0) return "No attempt waited for it last.";
  const names = followers.slice(0, FOLLOWERS_NAMED).map((each) => nameAttempt(instance, chart, each));
  const more = followers.length - names.length;
  return `${names.join(", ")}${more > 0 ? ` and ${formatCount(more)} more` : ""} waited for it.`;
}

// Idle time that Gantt.idleAt found.
function describeIdle(instance, chart, causes, idle) {
  const { from, to } = chart.idle.links[idle.link] ?? {};
  const terms = [["worker", `${instance.workers[idle.worker]} (class ${classOf(instance, idle.worker)})`], ...describeTimes(idle.start, idle.end)];
  if (idle.link >= 0) terms.push(["link", `from ${instance.memories[from]} to ${instance.memories[to]}`]);
  const content = [element("strong", `Idle: ${causes[idle.cause].title}`), termList(terms), element("p", WHY[idle.cause])];
  content.push(element("p", idle.next === null
    ? "The worker runs nothing more."
    : `Next here: ${shorten(instance.taskNames.of(chart.attempts.task[idle.next]))}. ${tellWait(instance, chart, idle.next)}`));
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
  const text = `${instance.taskNames.of(task)}, type ${type}, worker ${rowName}, ${when}, ${OUTCOMES[bars.outcome[bar]]}${chain}`;
  return shorten(chart.waits ? `${text}. ${tellWait(instance, chart, bar)}` : text);
}

function describeQueue(queue, step, time, span) {
  const count = queue.depth[step];
  return [
    element("strong", `${formatCount(count)} ${count === 1 ? "task" : "tasks"} ready`),
    termList([["time", formatInstant(time, span / 1000)]]),
  ];
}

