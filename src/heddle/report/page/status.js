// What happened on this page, for tests and for bug reports: the attributes of <div id="heddle-status">.
//   state    loading, then ready
//   errors   uncaught errors so far; the last one's text is in `error`
//   drawn    attempts and transfers in the last frame: in rectangles of their own, plus `merged` ones below a pixel or two
//   frames, frame-ms, worst-ms   frames so far, their total time in this script, and the slowest

const pageStatus = document.getElementById("heddle-status").dataset;

function noteError(message) {
  pageStatus.errors = Number(pageStatus.errors) + 1;
  pageStatus.error = String(message);
}
window.addEventListener("error", (event) => noteError(event.message));
window.addEventListener("unhandledrejection", (event) => noteError(event.reason));

const frameTimes = { count: 0, total: 0, worst: 0 };
function noteFrame(milliseconds, drawn, merged) {
  frameTimes.count += 1;
  frameTimes.total += milliseconds;
  frameTimes.worst = Math.max(frameTimes.worst, milliseconds);
  pageStatus.drawn = drawn;
  pageStatus.merged = merged;
  pageStatus.frames = frameTimes.count;
  pageStatus.frameMs = frameTimes.total.toFixed(2);
  pageStatus.worstMs = frameTimes.worst.toFixed(2);
}

