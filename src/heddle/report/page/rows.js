// Where the rows of the Gantt chart are: one per worker, grouped by class, then a thin one per link.

const GUTTER = 104; // names of rows, left of the plot
const HEADROOM = 18; // the bound's label, above
const AXIS = 24; // time, below
const GROUP_GAP = 7;

// In CSS pixels from the top: rows are { top, pitch }, those of workers before those of links.
function layOutRows(classes, links) {
  const workers = classes.reduce((sum, each) => sum + each.workers, 0);
  const usual = Math.min(6000 / workers, Math.max(4, Math.min(26, Math.floor(440 / workers))));
  const rows = [];
  const groups = [];
  let top = HEADROOM;
  const addGroup = (name, count, pitch) => {
    if (rows.length > 0) top += GROUP_GAP;
    groups.push({ name, first: rows.length, count, top, pitch, height: count * pitch });
    for (let i = 0; i < count; i++, top += pitch) rows.push({ top, pitch });
  };
  for (const each of classes) {
    // A small class among large ones has room for its name all the same.
    if (each.workers > 0) addGroup(each.name, each.workers, Math.max(usual, 14 / each.workers));
  }
  // Never as high as the name of a task.
  if (links > 0) addGroup("", links, Math.max(4, Math.min(12, Math.floor(160 / links))));
  return { workers, rows, groups, bottom: top, height: top + AXIS };
}
