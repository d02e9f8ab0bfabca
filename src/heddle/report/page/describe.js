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

