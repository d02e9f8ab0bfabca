// Where the rows of the Gantt chart are: one per worker, grouped by context or else by class, then a thin one per link.

const GUTTER = 104; // names of rows, left of the plot
const HEADROOM = 18; // the bound's label, above
const AXIS = 24; // time, below
const GROUP_GAP = 7;

// Bands of workers: { name, workers: [number] }. A worker that several contexts have is in the band of the first of them.
function bandsOf(classes, contexts) {
  const count = classes.reduce((sum, each) => sum + each.workers, 0);
  if (!contexts) {
    let next = 0;
    return classes.map((each) => ({ name: each.name, workers: Array.from({ length: each.workers }, () => next++) }));
  }
  const left = new Set(Array.from({ length: count }, (_, worker) => worker));
  const bands = contexts.map(({ name, workers }) => ({ name, workers: workers.filter((worker) => left.delete(worker)) }));
  return [...bands, { name: "none", workers: [...left] }];
}

// In CSS pixels from the top: rows are { top, pitch }, those of workers before those of links. `order`: the worker of each row.
function layOutRows(bands, links) {
  const order = bands.flatMap((each) => each.workers);
  const workers = order.length;
  const usual = Math.min(6000 / workers, Math.max(4, Math.min(26, Math.floor(440 / workers))));
  const rows = [];
  const groups = [];
  let top = HEADROOM;
  const addGroup = (name, count, pitch) => {
    if (rows.length > 0) top += GROUP_GAP;
    groups.push({ name, first: rows.length, count, top, pitch, height: count * pitch });
    for (let i = 0; i < count; i++, top += pitch) rows.push({ top, pitch });
  };
  for (const { name, workers: own } of bands) {
    // A small band among large ones has room for its name all the same.
    if (own.length > 0) addGroup(name, own.length, Math.max(usual, 14 / own.length));
  }
  // Never as high as the name of a task.
  if (links > 0) addGroup("", links, Math.max(4, Math.min(12, Math.floor(160 / links))));
  return { workers, order, rows, groups, bottom: top, height: top + AXIS };
}
