// The report's page in headless Chromium: node browser_test.mjs SAMPLE_PAGES_PROGRAM
// Exit status 77 when there is no Chromium to test with.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { accessSync, constants, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, before, test } from "node:test";
import { Browser } from "./browser.mjs";

function findBrowser() {
  const folders = (process.env.PATH ?? "").split(delimiter);
  for (const name of ["chromium", "chromium-browser", "google-chrome"]) {
    for (const folder of folders) {
      try {
        accessSync(join(folder, name), constants.X_OK);
        return join(folder, name);
      } catch {
        // Not there: the next one.
      }
    }
  }
  return null;
}

const program = findBrowser();
if (!program) {
  console.log("skipped: no Chromium on the PATH");
  process.exit(77);
}

const folder = mkdtempSync(join(tmpdir(), "heddle-pages-"));
let browser;
let page;

before(() => {
  execFileSync(process.argv[2], [folder]);
  browser = new Browser(program);
});
after(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});

// A test of one page, which must not complain whatever is done to it.
function onPage(title, name, body, options) {
  test(title, async () => {
    page = await browser.open(`file://${join(folder, name)}`, options);
    try {
      await body();
      const status = await page.status();
      assert.deepEqual(page.complaints, []);
      assert.equal(status.state, "ready");
      assert.equal(status.errors, "0", status.error);
    } finally {
      await page.close();
    }
  });
}

// Moves the pointer to a place in a canvas and returns what the tooltip says, or null.
async function hover(selector, x, y) {
  await page.evaluate(`document.querySelector(${JSON.stringify(selector)}).scrollIntoView({ block: "nearest" })`);
  const { left, top } = await page.box(selector);
  await page.mouse("mouseMoved", left + x, top + y);
  await page.frame();
  return page.evaluate(`(() => { const tip = document.getElementById("tooltip"); return tip.hidden ? null : tip.innerText; })()`);
}

// How many pixels of a canvas have a colour, [red, green, blue], in a part of it, [x, y, width, height], or in all.
const pixels = (colour, part, selector = "#gantt", number = 0) => page.evaluate(`(() => {
  const canvas = document.querySelectorAll(${JSON.stringify(selector)})[${number}];
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
  copy.drawImage(canvas, 0, 0);
  const { data } = copy.getImageData(${part ?? "0, 0, canvas.width, canvas.height"});
  let found = 0;
  for (let i = 0; i < data.length; i += 4) found += ${JSON.stringify(colour)}.every((part, k) => data[i + k] === part);
  return found;
})()`);

async function wheel(x, y, delta, times) {
  const { left, top } = await page.box("#gantt");
  for (let i = 0; i < times; i++) await page.wheel(left + x, top + y, delta);
}

const drawn = async () => Number((await page.status()).drawn);
const bar = (number) => `.bar:nth-of-type(${number})`;
const count = (selector) => page.evaluate(`document.querySelectorAll(${JSON.stringify(selector)}).length`);
const spoken = () => page.evaluate("document.getElementById('spoken').textContent");

onPage("a schedule shows its numbers and every attempt", "small.html", async () => {
  assert.equal(await drawn(), 5);
  const facts = await page.text("#facts");
  for (const text of ["2.000 s", "1.500 s", "1.333", "critical-path"]) assert.ok(facts.includes(text), `${text} in ${facts}`);
  assert.match(await page.text("#subtitle"), /diamond on 2 cpu \+ 1 gpu: 4 tasks, 4 edges/);
  assert.match(await page.text("#legend"), /work.*aborted/s);
  assert.equal(await page.evaluate("document.querySelectorAll('#classes tr').length"), 3);
  assert.equal(await page.evaluate("document.getElementById('compare').hidden"), true);
});

onPage("the tooltip tells what is under the pointer", "small.html", async () => {
  const width = (await page.box("#gantt")).width - 104;
  const at = (seconds) => 104 + (seconds / 2.02) * width;
  const b = await hover("#gantt", at(1.2), 30);
  for (const text of ["b", "work", "cpu0 (class cpu)", "0.500 s", "1.500 s", "1.000 s", "completed", "critical chain"]) {
    assert.ok(b.includes(text), `${text} in ${b}`);
  }
  const c = await hover("#gantt", at(0.7), 56);
  assert.match(c, /^c\n.*cpu1.*aborted/s);
  assert.equal(await hover("#gantt", at(1.7), 30), null);
  assert.match(await hover("#queue", at(1.7), 50), /0 tasks ready/);
});

onPage("contexts are bands of the chart and rows of a table", "contexts.html", async () => {
  const width = (await page.box("#gantt")).width - 104;
  const at = (seconds) => 104 + (seconds / 2.02) * width;
  // The rows: cpu1 and gpu0 of the first context, cpu0 of the second.
  assert.match(await hover("#gantt", at(0.7), 30), /^c\n.*cpu1.*aborted/s);
  assert.match(await hover("#gantt", at(0.2), 56), /^a\n.*gpu0/s);
  assert.match(await hover("#gantt", at(1.2), 89), /^b\n.*cpu0/s);
  assert.match(await page.text("#facts"), /energy\s+177\.5 J/);
  const table = await page.text("#contexts");
  assert.match(table, /main\s+heft\s+1 cpu \+ 1 gpu\s+3\s+37\.5 %\s+2\.500 s\s+0 s\s+2\.000 s\s+1/);
  assert.match(table, /side\s+eager\s+1 cpu\s+1\s+50\.0 %\s+1\.000 s\s+500\.0 ms\s+1\.500 s\s+0/);
});

onPage("workers that changed contexts are named", "moves.html", async () => {
  const note = await page.text("#moves");
  assert.match(note, /^Workers changed contexts: cpu0 from side to main at 1\.500 s\. The bands/);
  assert.match(await page.text("#contexts"), /side\s+eager\s+1 cpu\s+1\s+66\.7 %\s+500\.0 ms/);
});

const TRANSFER = [0x8a, 0x7f, 0xc4];

onPage("transfers have a row per link below the workers", "transfers.html", async () => {
  assert.equal(await drawn(), 8);
  assert.match(await page.text("#legend"), /work.*5.*transfers.*3/s);
  const width = (await page.box("#gantt")).width - 104;
  const at = (seconds) => 104 + (seconds / 2.02) * width;
  const moved = await hover("#gantt", at(0.1), 116);
  for (const text of ["A(1,0)", "ram", "gpu0", "0.0 ms", "250.0 ms", "128.0 MiB", "512.0 MiB/s"]) {
    assert.ok(moved.includes(text), `${text} in ${moved}`);
  }
  assert.match(await hover("#gantt", at(0.6), 116), /^A\(0,0\)\n.*256\.0 MiB\n.*512\.0 MiB\/s/s);
  assert.match(await hover("#gantt", at(0.9), 128), /^A\(1,0\)\nfrom\s+gpu0\nto\s+ram/);
  assert.equal(await hover("#gantt", at(0.4), 116), null);
  assert.equal(await pixels(TRANSFER, [104, 0, width, 104]), 0);
  assert.equal(await pixels(TRANSFER, [at(0.1), 116, 10, 1]), 10);
  // The wheel zooms them with the attempts.
  await wheel(at(0.1), 116, -240, 8);
  assert.equal(await drawn(), 2);
  assert.match(await hover("#gantt", at(0.1), 116), /^A\(1,0\)/);
});

onPage("transfers are highlighted, and found by the name of their datum", "transfers.html", async () => {
  const width = (await page.box("#gantt")).width - 104;
  const painted = () => pixels(TRANSFER, [104, 104, width, 40]);
  const all = await painted();
  await page.click("#legend button:last-of-type");
  assert.equal(await painted(), all);
  assert.equal(await pixels([0xd5, 0x5e, 0x00], [104, 0, width, 104]), 0); // the tasks are dimmed
  await page.click("#chain");
  assert.equal(await painted(), 0);
  await page.evaluate("document.getElementById('search').focus()");
  await page.type("A(1,");
  assert.match(await page.text("#found"), /^1 found/);
  const some = await painted();
  assert.ok(some > 0 && some < all, `${some} of ${all}`);
  // Enter goes from one transfer of the datum to the next; they come into the middle where there is room.
  const middle = 104 + width / 2;
  await wheel(middle, 60, -240, 4);
  for (const place of [116, 128]) {
    await page.press("Enter");
    assert.match(await hover("#gantt", middle, place), /^A\(1,0\)/);
  }
});

onPage("names are text, whatever they hold", "hostile.html", async () => {
  assert.equal(await page.evaluate("typeof window.hacked"), "undefined");
  assert.equal(await page.evaluate("document.scripts.length"), 2);
  assert.equal(await page.evaluate("document.images.length"), 0);
  assert.equal(await page.text("h1"), "</script><script>window.hacked=1</script>");
  assert.equal(await page.evaluate("document.title"), "</script><script>window.hacked=1</script>");
  assert.match(await page.text("#legend"), /<!--<script>\?/);
  assert.equal(await drawn(), 28);
  await page.evaluate("document.getElementById('search').focus()");
  await page.type("window.hacked=1}");
  assert.match(await page.text("#found"), /^2 found/); // a task and a datum
  for (let x = 110; x < 1100; x += 90) {
    for (const y of [30, 56, 90]) await hover("#gantt", x, y);
  }
  assert.match(await hover("#gantt", 110, 116), /<!--<script>/); // the memory's name
  for (const button of [1, 2]) await page.click(bar(button));
  assert.equal(await page.evaluate("typeof window.hacked"), "undefined");
});

onPage("of names of 100,000 letters as many are laid out as can be read", "long-names.html", async () => {
  const letters = await page.evaluate(`(async () => {
    const measure = CanvasRenderingContext2D.prototype.measureText;
    let measured = 0;
    CanvasRenderingContext2D.prototype.measureText = function (text) {
      measured += text.length;
      return measure.call(this, text);
    };
    const canvas = document.getElementById("gantt");
    for (const width of ["400px", ""]) {
      canvas.style.width = width; // it is drawn anew
      for (let frame = 0; frame < 4; frame++) await new Promise(requestAnimationFrame);
    }
    CanvasRenderingContext2D.prototype.measureText = measure;
    return measured;
  })()`);
  assert.ok(letters > 100 && letters < 100_000, letters);
  await page.evaluate(`document.getElementById("gantt").scrollIntoView()`);
  assert.match(await hover("#gantt", 110, 30), /^[a-z]{100} W+…\n/);
  assert.ok(await page.evaluate("document.body.innerText.length") < 200_000);
  assert.ok(await page.evaluate("Math.max(...Array.from(document.querySelectorAll('[title]'), (node) => node.title.length))") < 10_000);
});

onPage("a comparison has a bar per policy that shows its chart", "comparison.html", async () => {
  assert.equal(await page.evaluate("document.querySelectorAll('.bar').length"), 10);
  assert.equal(await page.evaluate("document.querySelectorAll('.whisker').length"), 10);
  // It opens with the best of the first instance.
  assert.equal(await page.text("#policy"), "heteroprio-dep:order=acceleration");
  await page.click(".bar:nth-of-type(3)");
  assert.equal(await page.text("#policy"), "heft");
  assert.match(await page.text("#subtitle"), /tiles=8/);
  await page.click("#next");
  assert.equal(await page.text("#policy"), "heteroprio-dep:order=best");
  assert.equal(await page.evaluate("document.querySelectorAll('#runs option').length"), 3);
  assert.match(await page.text("#charts-left-out"), /^\d+ of 30 schedules have no Gantt chart/);
  assert.match(await page.evaluate("document.getElementById('skipped').textContent"), /er-ls on cholesky:tiles=8: er-ls needs/);
});

onPage("policies are sorted by makespan, and the best is named", "comparison.html", async () => {
  const names = await page.evaluate("[...document.querySelectorAll('.instance')].map((one) => [...one.querySelectorAll('.bar .name')].map((node) => node.textContent))");
  assert.deepEqual(names[0], ["heteroprio-dep:order=acceleration", "dmdas", "heft", "heteroprio-dep:order=best", "ect"]);
  const ratios = await page.evaluate("[...document.querySelectorAll('.instance')].map((one) => [...one.querySelectorAll('.bar b')].map((node) => Number(node.textContent)))");
  for (const each of ratios) assert.deepEqual(each, [...each].sort((a, b) => a - b));
  assert.match(await page.text(".instance summary"), /heteroprio-dep:order=acceleration and dmdas are best: 219\.3 ms, 5\.5 % better than heft/);
  // Only the instance that is shown is unfolded; to show a schedule of another one unfolds that.
  assert.equal(await count(".instance[open]"), 1);
  await page.evaluate("document.querySelectorAll('.instance')[1].querySelectorAll('.bar')[4].click()");
  assert.equal(await count(".instance[open]"), 2);
  const shown = await page.text("#shown");
  assert.match(shown, /^This is the schedule of ect for cholesky:tiles=16, run 0\. Its makespan is .* times the lower bound of/);
  assert.match(shown, /The policy is number 5 of 5\. The best is heteroprio-dep:order=acceleration with 813\.4 ms\.$/);
});

onPage("many instances begin with a summary and a performance profile", "comparison.html", async () => {
  assert.match(await page.text("#verdict"), /^heteroprio-dep:order=acceleration has the lowest geometric mean ratio, 1\.424 \(worst 1\.513\), and is best on 2 of 2 instances$/);
  const rows = await page.evaluate("[...document.querySelectorAll('#summary-table tbody tr')].map((row) => [...row.children].map((cell) => cell.innerText.trim()))");
  assert.equal(rows.length, 5);
  assert.deepEqual(rows[1], ["dmdas", "1.424", "1.513", "100.0 %", "2"]);
  assert.deepEqual(rows[4], ["ect", "1.528", "1.702", "0.0 %", "2"]);
  assert.equal(await count("#profile path"), 5);
  assert.equal(await page.evaluate("document.getElementById('profile').getAttribute('role')"), "img");
  // heft is best nowhere, within 1.01 on one instance and within 1.1 on both.
  await page.click("#profile-table summary");
  const shares = await page.evaluate("[...document.querySelectorAll('#profile-table tr')].map((row) => [...row.children].map((cell) => cell.innerText))");
  const column = (title) => shares[0].indexOf(title);
  const heft = shares.find(([name]) => name === "heft");
  assert.deepEqual([heft[column("the best")], heft[column("1.1 × best")]], ["0.0 %", "100.0 %"]);
  assert.equal(heft[column("1.05 × best")], "50.0 %");
  await page.click("#summary-table button");
  assert.equal(await count("#profile path.chosen"), 1);
  assert.equal(await count("#profile path.other"), 4);
});

onPage("one instance has neither summary nor profile", "small.html", async () => {
  assert.equal(await page.evaluate("document.getElementById('overview').hidden"), true);
  assert.match(await page.text("#shown"), /^This is the schedule of by-hand for diamond\. Its makespan is 2\.000 s, 1\.333 times the lower bound of 1\.500 s \(critical-path\)\.$/);
});

onPage("the foot tells version, date and command", "study.html", async () => {
  assert.match(await page.text("footer"), /^Made by Heddle 1\.0 on 2020-02-02 02:02 UTC with\s+heddle experiment tiny-study$/);
});

onPage("the keyboard goes from task to task and tells each", "transfers.html", async () => {
  await page.evaluate("document.getElementById('gantt').focus()");
  assert.equal(await spoken(), "");
  await page.press("ArrowDown"); // to the first worker that did something, and there to its first task
  assert.equal(await spoken(), "b, type work, worker cpu0, from 0.500 s to 1.500 s, completed, on the critical chain");
  await page.press("ArrowDown");
  assert.match(await spoken(), /^c, type work, worker cpu1, from 0\.\d+ s to 1\.\d+ s, aborted$|^c, type work, worker cpu1, from 500\.0 ms/);
  await page.press("ArrowDown");
  await page.press("Home");
  assert.match(await spoken(), /^a, type work, worker gpu0/);
  await page.press("ArrowRight");
  assert.match(await spoken(), /^c, type work, worker gpu0.*completed/);
  await page.press("ArrowRight");
  await page.press("ArrowRight"); // no task follows
  assert.match(await spoken(), /^d, type work, worker gpu0/);
  await page.press("ArrowLeft");
  assert.match(await spoken(), /^c, /);
  await page.press("End");
  assert.match(await spoken(), /^d, /);
  await page.press("ArrowDown");
  assert.match(await spoken(), /, transfer, ram > gpu0, from /);
  await page.press("ArrowUp");
  await page.press("ArrowUp");
  await page.press("ArrowUp");
  await page.press("ArrowUp"); // no worker is above
  assert.match(await spoken(), /^b, /);
});

onPage("Enter shows the details of a task, Escape leaves them and then the task", "small.html", async () => {
  const framed = () => pixels([0x1c, 0x24, 0x30], [104, 0, 1000, 110]);
  await page.evaluate("document.getElementById('gantt').focus()");
  const before = await framed();
  await page.press("Enter");
  assert.equal(await tip(), null);
  await page.press("ArrowRight");
  assert.ok((await framed()) > before + 200, "a frame shows where the keyboard is");
  await page.press("Enter");
  assert.match(await tip(), /^b\n.*cpu0 \(class cpu\).*1\.500 s.*critical chain/s);
  await page.press("ArrowDown"); // the details go with it
  assert.match(await tip(), /^c\n.*cpu1/s);
  await page.press("Escape");
  assert.equal(await tip(), null);
  assert.match(await spoken(), /^c, /);
  await page.press("Escape");
  assert.equal(await spoken(), "");
  assert.equal(await framed(), before);
});

onPage("what the keyboard goes to comes into sight", "large.html", async () => {
  await wheel(600, 200, -240, 12);
  await page.evaluate("document.getElementById('gantt').focus()");
  await page.press("ArrowDown");
  await page.press("End");
  const { left, top } = await page.evaluate(`(() => {
    const { left, top } = document.getElementById("gantt").getBoundingClientRect();
    return { left, top };
  })()`);
  assert.ok(top + 18 >= 0, "the first worker's row is in the window");
  const name = (await spoken()).split(",")[0];
  await page.press("Enter");
  assert.ok((await page.text("#tooltip")).startsWith(name));
  assert.ok(left < (await page.box("#tooltip")).left);
  await page.press("+");
  assert.ok((await spoken()).startsWith(name), "zooming keeps the task");
});

// The example of docs/analyze.md: workers cpu0, cpu1 and gpu0, a link below, 6 s.
const runAt = async () => {
  const width = (await page.box("#gantt")).width - 104;
  return (seconds) => 104 + (seconds / 6.06) * width;
};
const tip = () => page.evaluate(`(() => { const tip = document.getElementById("tooltip"); return tip.hidden ? null : tip.innerText; })()`);
const clickAt = async (x, y) => {
  const { left, top } = await page.box("#gantt");
  await page.mouse("mouseMoved", left + x, top + y);
  await page.mouse("mousePressed", left + x, top + y, { button: "left", clickCount: 1 });
  await page.mouse("mouseReleased", left + x, top + y, { button: "left", clickCount: 1 });
  await page.frame();
};
const cells = (selector) => page.evaluate(`[...document.querySelectorAll(${JSON.stringify(`${selector} tr`)})].map((row) => [...row.children].map((cell) => cell.innerText.trim().replace(/\\s+/g, " ")))`);

onPage("a run begins with its verdict and where the time went", "run.html", async () => {
  assert.equal(await page.text("#analysis-verdict"), "Most of the loss is cpu workers idle although a task was ready.");
  const verdict = await page.box("#analysis-verdict");
  assert.ok(verdict.top < 200 && verdict.top < (await page.box("#gantt")).top);
  assert.deepEqual(await cells("#losses-table"), [
    ["time of workers", "cpu", "gpu", "costs the makespan"],
    ["kernels", "6.000 s 50.0 %", "1.000 s 16.7 %", ""],
    ["aborted work", "500.0 ms 4.2 %", "0 s 0.0 %", "250.0 ms 8.3 %"],
    ["waiting for data", "0 s 0.0 %", "1.000 s 16.7 %", "0 s 0.0 %"],
    ["from ram to gpu0", "0 s 0.0 %", "1.000 s 16.7 %", ""],
    ["ready task not run", "3.000 s 25.0 %", "0 s 0.0 %", "1.500 s 50.0 %"],
    ["no ready task", "1.500 s 12.5 %", "0 s 0.0 %", "750.0 ms 25.0 %"],
    ["no ready task at the start", "0 s 0.0 %", "2.000 s 33.3 %", "0 s 0.0 %"],
    ["no ready task at the end", "1.000 s 8.3 %", "2.000 s 33.3 %", "400.0 ms 13.3 %"],
    ["kernels on an unfavourable class", "", "", "100.0 ms 3.3 %"],
  ]);
  // The parts of the cpus' bar are as wide as their shares, and named where there is room.
  const parts = await page.evaluate(`(() => {
    const track = document.querySelector(".loss-track");
    const whole = track.getBoundingClientRect().width;
    return [...track.children].map((part) => [part.innerText, part.getBoundingClientRect().width / whole]);
  })()`);
  assert.deepEqual(parts.map(([text]) => text), ["kernels 6.000 s", "", "ready task not run 3.000 s", "no ready task 1.500 s", ""]);
  [0.5, 1 / 24, 0.25, 0.125, 1 / 12].forEach((share, i) => assert.ok(Math.abs(parts[i][1] - share) < 0.01, `${parts[i]}, not ${share}`));
  assert.equal(await page.text("#changes summary"), "What if something had been different? 4 changes: policy heft would gain 16.7 %");
  await page.click("#changes summary");
  assert.deepEqual((await cells("#changes")).slice(1), [["policy heft", "5.000 s", "16.7 %"], ["one more gpu", "6.000 s", "–"]]);
  assert.match(await page.text("#changes"), /Not simulated: P 10 % faster, links twice as fast\./);
});

onPage("a part of a bar tells what it is", "run.html", async () => {
  const { left, top, height } = await page.box(".loss-track");
  await page.mouse("mouseMoved", left + 10, top + height / 2);
  await page.frame();
  assert.match(await tip(), /^kernels\s+class\s+cpu \(2 workers\)\s+time\s+6\.000 s\s+share\s+50\.0 %/);
});

onPage("idle time says why", "run.html", async () => {
  const at = await runAt();
  const [cpu0, cpu1, gpu0] = [30, 56, 90];
  const expected = [
    [cpu0, 2.5, "ready task not run", /from|cpu0.*2\.000 s.*3\.000 s.*1\.000 s.*A task was ready.*Next here: s\. Waited for q on gpu0, a predecessor\./s],
    [cpu0, 3.5, "no ready task", /3\.000 s.*4\.000 s/s],
    [cpu0, 4.7, "ready task not run", /The worker runs nothing more\./],
    [cpu0, 5.5, "no ready task at the end", /5\.000 s.*6\.000 s/s],
    [cpu1, 0.5, "ready task not run", /Next here: r\. Waited for nothing, but started 1\.000 s after the start of the run\./],
    [gpu0, 1, "no ready task at the start", /Next here: q\. Waited for data, A at last, after p on cpu0 had ended 1\.000 s before\./],
    [gpu0, 2.5, "waiting for data", /link\s+from ram to gpu0\s+The worker's next task waited for data\./],
  ];
  for (const [row, seconds, title, text] of expected) {
    const said = await hover("#gantt", at(seconds), row);
    assert.equal(said.split("\n")[0], `Idle: ${title}`);
    assert.match(said, text);
  }
  assert.match(await hover("#gantt", at(1), cpu0), /^p\n/);
  assert.equal(await hover("#gantt", at(6.03), cpu0), null); // after the run
});

const ARROW = [0xc2, 0x25, 0x5c];

onPage("a click shows what a task waited for and what waited for it", "run.html", async () => {
  const at = await runAt();
  // Left of the bound at 3 s, which has the same colour.
  const arrows = () => pixels(ARROW, [at(1.5), 20, at(2.9) - at(1.5), 120]);
  assert.equal(await arrows(), 0);
  await clickAt(at(3.5), 90);
  assert.match(await spoken(), /^q, type Q, worker gpu0.*completed, on the critical chain\. Waited for data, A at last, after p on cpu0 had ended 1\.000 s before\.$/);
  assert.match(await tip(), /^q\n.*s on cpu0, s on cpu1 waited for it\./s);
  assert.ok((await arrows()) > 50, "arrows from p to the transfer and from there to q");
  await page.press("P"); // the keyboard goes on from there
  assert.match(await spoken(), /^p, /);
  await page.press("n");
  await clickAt(at(5.5), 30); // nothing is there
  assert.equal(await spoken(), "");
  assert.equal(await arrows(), 0);
  // What moves the chart is no click.
  const { left, top } = await page.box("#gantt");
  await page.mouse("mousePressed", left + at(3.5), top + 90, { button: "left" });
  await page.mouse("mouseMoved", left + at(3.5) + 60, top + 90, { button: "left", buttons: 1 });
  await page.mouse("mouseReleased", left + at(3.5) + 60, top + 90, { button: "left" });
  await page.frame();
  assert.equal(await spoken(), "");
});

onPage("the keyboard walks the chain", "run.html", async () => {
  assert.equal(await page.evaluate("document.getElementById('chain-keys').hidden"), false);
  await page.evaluate("document.getElementById('gantt').focus()");
  await page.press("p"); // to the last task of the chain
  assert.match(await spoken(), /^s, type S, worker cpu1, from 5.*Waited for q on gpu0, a predecessor, and started 1\.000 s after that had ended\.$/);
  await page.press("p");
  assert.match(await spoken(), /^q, /);
  await page.press("p");
  assert.match(await spoken(), /^p, .*Waited for nothing\.$/);
  await page.press("p"); // it waited for nothing
  assert.match(await spoken(), /^p, /);
  await page.press("n");
  assert.match(await spoken(), /^q, /);
  await page.press("n"); // along the chain, and not to the attempt that started first
  assert.match(await spoken(), /^s, type S, worker cpu1/);
  await page.press("n");
  assert.match(await spoken(), /^s, type S, worker cpu1/);
});

const COLOURS = { aborted: [0x6b, 0x72, 0x80], ready: [0xc0, 0x39, 0x2b], none: [0x2f, 0x6d, 0xb5], begin: [0x4a, 0x86, 0xb8], end: [0x0f, 0x7a, 0x8a] };

onPage("a cause is shown in the chart", "run.html", async () => {
  const at = await runAt();
  const row = (top) => [at(0), top, at(6) - at(0), 1];
  const share = async (colour, top) => (await pixels(COLOURS[colour], row(top))) / (at(1) - at(0));
  const close = (found, seconds) => assert.ok(Math.abs(found - seconds) < 0.03, `${found} s, not ${seconds}`);
  await page.evaluate(`document.querySelector('[data-kind="cause-4"]').click()`);
  await page.frame();
  assert.equal(await page.evaluate(`document.querySelector('[data-kind="cause-4"]').ariaPressed`), "true");
  close(await share("ready", 30), 1.5);
  close(await share("ready", 56), 1.5);
  close(await share("end", 90), 0);
  await page.click("#lost-time");
  assert.equal(await page.evaluate(`document.querySelector('[data-kind="cause-4"]').ariaPressed`), "false");
  close(await share("ready", 30), 1.5);
  close(await share("none", 30), 1);
  close(await share("end", 30), 1);
  close(await share("none", 56), 0.5);
  close(await share("begin", 90), 2);
  close(await share("end", 90), 2);
  await page.click("#lost-time");
  close(await share("end", 90), 0);
});

onPage("what the chart shows of each cause is what the table says", "recording.html", async () => {
  const table = (await cells("#losses-table")).slice(1);
  const seconds = (text) => {
    const [, value, unit] = text.match(/^([\d.,]+) (s|ms|µs)/);
    return Number(value.replace(",", "")) * { s: 1, ms: 1e-3, "µs": 1e-6 }[unit];
  };
  const rows = Object.fromEntries(table.map(([name, ...classes]) => [name, classes.slice(0, 2).map(seconds)]));
  assert.ok(rows["data or overhead"][0] > 0 && rows["aborted work"][0] > 0);
  const makespan = seconds((await page.text("#facts")).split("\n")[1]);
  const { width, height } = await page.box("#gantt");
  const perSecond = (width - 104) / 1.01 / makespan;
  const names = { 3: "data or overhead", 4: "ready task not run", 5: "no ready task", 6: "no ready task at the start", 7: "no ready task at the end" };
  const colours = { 3: [0x5b, 0x3f, 0x9e], 4: COLOURS.ready, 5: COLOURS.none, 6: COLOURS.begin, 7: COLOURS.end };
  let checked = 0;
  for (const [cause, name] of Object.entries(names)) {
    if (!rows[name]) continue;
    await page.evaluate(`document.querySelector('[data-kind="cause-${cause}"]').click()`);
    await page.frame();
    const area = await pixels(colours[cause], [104, 0, width - 104, height]);
    // 20 rows of cpus and 4 of gpus, as high as they come; the pixel between two rows is background.
    const pitch = Math.max(4, Math.min(26, Math.floor(440 / 24))) - 1;
    const found = area / pitch / perSecond;
    const expected = rows[name][0] + rows[name][1];
    assert.ok(Math.abs(found - expected) < 0.03 * expected + 24 * 2 / perSecond, `${name}: ${found} s, not ${expected}`);
    checked += 1;
  }
  assert.ok(checked >= 3, `${checked} causes`);
});

const shiftDrag = async (from, to, y) => {
  const { left, top } = await page.box("#gantt");
  const shift = { button: "left", modifiers: 8 };
  await page.mouse("mousePressed", left + from, top + y, shift);
  await page.mouse("mouseMoved", left + to, top + y, { ...shift, buttons: 1 });
  await page.mouse("mouseReleased", left + to, top + y, shift);
  await page.frame();
};

onPage("a marked span tells what the workers did in it", "run.html", async () => {
  const at = await runAt();
  await shiftDrag(at(2), at(4), 30);
  assert.match(await page.text("#marked-text"), /^The marked span lasts (2\.00\d|1\.99\d) s, from .* 1 transfer is under way in it\.$/);
  // In two seconds of two cpus and a gpu, to what a pixel is worth: r on cpu1, q on gpu0, and the transfer before q.
  const rows = Object.fromEntries((await cells("#marked-table")).map(([name, ...rest]) => [name, rest.map(parseFloat)]));
  const near = (name, expected) => expected.forEach((value, i) => assert.ok(Math.abs(rows[name][i] - value) < 0.02, `${name}: ${rows[name]}`));
  near("kernels", [2, 1]);
  near("R (1)", [2, 0]);
  near("Q (1)", [0, 1]);
  assert.ok("waiting for data" in rows && "ready task not run" in rows && "no ready task" in rows);
  assert.ok(!("no ready task at the start" in rows));
  await page.click("#unmark");
  assert.equal(await page.evaluate("document.getElementById('marked').hidden"), true);
  // The keyboard marks what is visible.
  await page.evaluate("document.getElementById('gantt').focus()");
  await page.press("m");
  assert.match(await page.text("#marked-text"), /^The marked span lasts 6\.000 s, from 0 s to 6\.000 s\./);
  await page.press("Escape");
  assert.equal(await page.evaluate("document.getElementById('marked').hidden"), true);
});

onPage("a marked span of a schedule that was not judged knows idle time only", "small.html", async () => {
  await page.evaluate("document.getElementById('gantt').focus()");
  await page.press("m");
  assert.deepEqual((await cells("#marked-table")).map(([name]) => name), ["in the marked span", "kernels", "aborted work", "work (5)", "idle"]);
});

onPage("two runs stand above one another on one axis of time", "two_runs.html", async () => {
  assert.equal(await page.text("#policy"), "after.json"); // the shorter one first
  assert.match(await page.text("#second-title"), /^before\.json: 6\.000 s, 20\.0 % longer than above$/);
  const width = (await page.box("#gantt-second")).width - 104;
  const at = (seconds) => 104 + (seconds / 6.06) * width;
  assert.match(await hover("#gantt-second", at(5.5), 56), /^s\n/);
  assert.equal((await hover("#gantt-second", at(2.5), 90)).split("\n")[0], "Idle: waiting for data");
  assert.match(await hover("#gantt", at(4.5), 56), /^s\n/);
  // Both move together.
  await wheel(at(5), 56, -400, 3);
  assert.match(await hover("#gantt-second", at(5), 56), /^s\n|Idle/);
  await page.click("#reset");
  // What idle time shows, shows below, too.
  const blue = async () => pixels(COLOURS.ready, undefined, "#gantt-second");
  assert.equal(await blue(), 0);
  await page.click("#lost-time");
  assert.ok((await blue()) > 100);
  await page.click("#next");
  assert.match(await page.text("#second-title"), /^after\.json: 5\.000 s, 16\.7 % shorter than above$/);
});

// What the buttons save, as texts.
const saved = () => page.evaluate(`(async () => {
  const files = [];
  const make = URL.createObjectURL;
  URL.createObjectURL = (blob) => (files.push(blob.text()), make.call(URL, blob));
  document.getElementById("save-chart").click();
  document.getElementById("save-losses").click();
  URL.createObjectURL = make;
  return Promise.all(files);
})()`);
const countIn = (text, part) => text.split(part).length - 1;

onPage("charts are saved as SVG", "run.html", async () => {
  const [chart, losses] = await saved();
  const wellFormed = (text) => page.evaluate(`new DOMParser().parseFromString(${JSON.stringify(text)}, "image/svg+xml").querySelector("parsererror") === null`);
  assert.ok(await wellFormed(chart));
  assert.ok(await wellFormed(losses));
  for (const name of ["p", "q", "r", "s"]) assert.ok(chart.includes(`<title>${name}</title>`), name);
  assert.equal(countIn(chart, "<title>"), 5); // attempts
  for (const text of ["cpu0", "gpu0", "ready tasks"]) assert.ok(chart.includes(text), text);
  for (const text of ["waiting for data", "kernels", "aborted work"]) assert.ok(losses.includes(text), text);
});

// The text of the file that a button saves.
const savedBy = (id) => page.evaluate(`(async () => {
  let file = null;
  const make = URL.createObjectURL;
  URL.createObjectURL = (blob) => ((file = blob), make.call(URL, blob));
  document.getElementById("${id}").click();
  URL.createObjectURL = make;
  return file.text();
})()`);

onPage("the bars of a comparison and its profile are saved as SVG", "comparison.html", async () => {
  const bars = await savedBy("save-bars");
  const profile = await savedBy("save-profile");
  for (const text of [bars, profile]) {
    assert.ok(!text.includes("var(") && !text.includes("class="), "a file has no style of the page");
    for (const policy of ["heft", "dmdas", "ect"]) assert.ok(text.includes(`>${policy}<`), policy);
  }
  assert.match(bars, /cholesky:tiles=8.*cholesky:tiles=16/s); // also the folded one
  assert.equal(countIn(bars, "3 runs"), 10);
  // Two of them are to each other as those of the page are.
  const [first, last] = await page.evaluate(`[...document.querySelectorAll(".bar")].map((row) => {
    const part = (name) => row.querySelector(name).getBoundingClientRect().width;
    return part(".fill");
  }).filter((width, i) => i === 0 || i === 4)`);
  const widths = await page.evaluate(`[...new DOMParser().parseFromString(${JSON.stringify(bars)}, "image/svg+xml").querySelectorAll("rect")]
    .map((box) => [Number(box.getAttribute("width")), Number(box.getAttribute("height"))]).filter(([, height]) => height === 14).map(([width]) => width)`);
  assert.equal(widths.length, 10);
  assert.ok(last > 1.1 * first, `${first} and ${last}`);
  assert.ok(Math.abs(widths[0] / widths[4] - first / last) < 0.01, `${widths[0]} to ${widths[4]}, not ${first} to ${last}`);
  assert.equal(countIn(profile, "<path"), 5);
  assert.match(profile, /factor to the best makespan/);
});

// What the browser makes of what a button prints: the size of its pages in pixels, how many, and the text of the file.
async function printedBy(id) {
  await page.evaluate(`window.print = () => {}; document.getElementById("${id}").click()`);
  const { data } = await page.send("Page.printToPDF", { preferCSSPageSize: true, printBackground: false });
  await page.evaluate("window.dispatchEvent(new Event('afterprint'))");
  const file = Buffer.from(data, "base64").toString("latin1");
  const boxes = [...file.matchAll(/\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/g)].map(([, ...sides]) => sides.map((side) => Number(side) / 0.75));
  return { boxes, file };
}

for (const [name, ids] of [["run.html", ["chart", "losses"]], ["comparison.html", ["bars", "profile", "chart"]], ["study.html", ["figure-1", "figure-2"]]]) {
  onPage(`each chart of ${name} is printed alone, on a page of its size`, name, async () => {
    const title = await page.evaluate("document.title");
    for (const id of ids) {
      const svg = await savedBy(`save-${id}`);
      const [width, height] = ["width", "height"].map((side) => Math.ceil(Number(svg.match(new RegExp(`<svg[^>]* ${side}="([\\d.]+)"`))[1])));
      const { boxes, file } = await printedBy(`print-${id}`);
      assert.equal(boxes.length, 1, `${id}: ${boxes.length} pages`);
      assert.ok(Math.abs(boxes[0][0] - width) < 2 && Math.abs(boxes[0][1] - height) < 2, `${id}: ${boxes[0]}, not ${width} x ${height}`);
      assert.ok(file.includes("/Font") && !file.includes("/Subtype /Image"), `${id}: letters and shapes, not pixels`);
      // Then the page is as before.
      assert.equal(await page.evaluate("document.querySelector('#paper svg') === null && document.documentElement.className"), "");
      assert.equal(await page.evaluate("document.title"), title);
    }
  });
}

// How many dots of a figure's picture lie where the plots on the page have their colour, and how many lie elsewhere.
const dotsOnPlots = (figure, svg) => page.evaluate(`(() => {
  const picture = new DOMParser().parseFromString(${JSON.stringify(svg)}, "image/svg+xml").documentElement;
  const canvases = [...document.querySelectorAll(".figure")[${figure}].querySelectorAll("canvas")];
  const panels = [...picture.querySelectorAll("svg svg")].filter((each) => each.querySelector(":scope > g"));
  const number = (node, name) => Number(node.getAttribute(name));
  const found = { on: 0, off: 0 };
  panels.forEach((panel, place) => {
    const { width, height } = canvases[place];
    const plot = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
    plot.drawImage(canvases[place], 0, 0);
    for (const dot of panel.querySelectorAll("circle")) {
      const [x, y] = ["cx", "cy"].map((side) => Math.round(number(dot, side) * devicePixelRatio));
      const [r, g, b] = plot.getImageData(x, y, 1, 1).data;
      const wanted = dot.getAttribute("fill").match(/[0-9a-f]{2}/g).slice(0, 3).map((part) => parseInt(part, 16));
      // Dots of a cloud let the ground shine through.
      if ([r, g, b].reduce((sum, part, i) => sum + Math.abs(part - wanted[i]), 0) < 200) found.on++;
      else found.off++;
    }
  });
  return found;
})()`);

onPage("a picture of a study's figure shows what its plots show", "study.html", async () => {
  const lines = await savedBy("save-figure-1");
  // In each panel, the line of the second series runs through a dot of the first.
  assert.deepEqual(await dotsOnPlots(0, lines), { on: 8, off: 2 });
  assert.equal(countIn(lines, "<path"), 6); // two lines and a band in each panel
  for (const text of ["What is there to see", "4 to 12 tiles", "Somebody 2020"]) assert.ok(lines.includes(`>${text}<`), text);
  await page.click(".legend button");
  assert.deepEqual(await dotsOnPlots(0, await savedBy("save-figure-1")), { on: 4, off: 0 });
  assert.equal(countIn(await savedBy("save-figure-1"), "<path"), 2);
  assert.deepEqual(await dotsOnPlots(1, await savedBy("save-figure-2")), { on: 3, off: 0 });
});

onPage("a recording tells the least data, outliers, and workers that could leave", "recording.html", async () => {
  const rows = await cells("#losses-table");
  const place = rows.findIndex(([name]) => name === "data or overhead");
  assert.deepEqual(rows[place + 1].slice(0, 2), ["at least for data", rows[place + 1][1]]);
  assert.match(rows[place + 1][1], /^250\.0 ms/);
  assert.equal(await page.text("#remarks"), "Could leave without harm: 1 of 4 gpu.");
  assert.match(await page.text("#outliers summary"), /^\d+ attempts took much longer than others/);
  await page.click("#outliers summary");
  const [head, first] = await cells("#outliers");
  assert.deepEqual(head.slice(0, 3), ["took much longer", "attempts", "median"]);
  assert.match(first[0], /^[A-Z]+ on (cpu|gpu)$/);
  const [, task, worker] = first[4].match(/^(.*) on (\w+)$/);
  await page.click("#outliers td button");
  assert.match(await spoken(), new RegExp(`${task.replace(/[()]/g, "\\$&")}.*${worker}`));
});

onPage("the SVG of a large chart is small", "large.html", async () => {
  const before = (await page.status()).worstMs;
  const text = await page.evaluate(`(async () => {
    let file = null;
    const make = URL.createObjectURL;
    URL.createObjectURL = (blob) => ((file = blob), make.call(URL, blob));
    document.getElementById("save-chart").click();
    URL.createObjectURL = make;
    return file.size;
  })()`);
  assert.ok(text < 8e6, `${text} bytes, after frames of ${before} ms`);
});

onPage("a schedule that was not judged has neither losses nor arrows", "small.html", async () => {
  for (const id of ["analysis", "lost-time", "chain-keys"]) {
    assert.equal(await page.evaluate(`document.getElementById("${id}").hidden`), true, id);
  }
  await page.evaluate("document.getElementById('gantt').focus()");
  await page.press("p");
  assert.equal(await spoken(), "");
});

// Presses Tab until the focus is back where it began, and returns what it went through.
async function tabStops() {
  await page.evaluate("document.activeElement.blur()");
  const stops = [];
  for (let i = 0; i < 200; i++) {
    await page.press("Tab");
    const stop = await page.evaluate(`(() => {
      const all = window.tabbed ??= new Map();
      const node = document.activeElement;
      if (node === document.body) return null;
      if (!all.has(node)) all.set(node, all.size);
      const { outlineStyle, outlineWidth } = getComputedStyle(node);
      return { number: all.get(node), ring: outlineStyle !== "none" && parseFloat(outlineWidth) >= 2 };
    })()`);
    if (stop === null || stops.some(({ number }) => number === stop.number)) break;
    stops.push(stop);
  }
  return stops;
}

for (const name of ["comparison.html", "transfers.html", "run.html", "study.html"]) {
  onPage(`every control of ${name} is reached by Tab and shows the focus`, name, async () => {
    const stops = await tabStops();
    const missed = await page.evaluate(`[...document.querySelectorAll("button, select, input, summary, canvas[tabindex], a")]
      .filter((node) => node.checkVisibility() && !window.tabbed.has(node)).map((node) => node.outerHTML.slice(0, 200))`);
    assert.deepEqual(missed, []);
    assert.ok(stops.every(({ ring }) => ring), "each has an outline");
  });
}

onPage("charts and controls have names", "comparison.html", async () => {
  const { nodes } = await page.send("Accessibility.getFullAXTree");
  const roles = new Set(["button", "application", "image", "img", "searchbox", "combobox", "region", "DisclosureTriangle"]);
  const unnamed = nodes.filter(({ ignored, role, name }) => !ignored && roles.has(role?.value) && !name?.value);
  assert.deepEqual(unnamed.map(({ role }) => role.value), []);
  assert.ok(nodes.some(({ role, name }) => role?.value === "application" && /^Gantt chart/.test(name.value)));
});

// The elements with text that have less contrast than WCAG 2.1 AA asks for: 4.5, or 3 if it is large.
const LOW_CONTRAST = `(() => {
  const parse = (colour) => {
    const [red, green, blue, alpha = 1] = colour.match(/[\\d.]+/g).map(Number);
    return { rgb: [red, green, blue], alpha };
  };
  const over = (top, bottom) => top.rgb.map((part, i) => part * top.alpha + bottom[i] * (1 - top.alpha));
  const luminance = (rgb) => {
    const [red, green, blue] = rgb.map((part) => (part /= 255) <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const lines = (node) => (node ? [...lines(node.parentElement), node] : []);
  const low = [];
  let seen = 0;
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const nodes = new Set();
  while (texts.nextNode()) if (texts.currentNode.data.trim()) nodes.add(texts.currentNode.parentElement);
  for (const node of document.querySelectorAll("input[placeholder]")) nodes.add(node);
  for (const node of nodes) {
    if (["SCRIPT", "STYLE", "NOSCRIPT", "OPTION", "title"].includes(node.tagName) || !node.checkVisibility() || node.closest(".hidden-text")) continue;
    let back = [255, 255, 255];
    let opacity = 1;
    for (const each of lines(node)) {
      const style = getComputedStyle(each);
      back = over(parse(style.backgroundColor), back);
      opacity *= Number(style.opacity);
    }
    const style = getComputedStyle(node, node.tagName === "INPUT" ? "::placeholder" : null);
    const ink = parse(node.namespaceURI.endsWith("svg") ? style.fill : style.color);
    ink.alpha *= opacity;
    const [light, dark] = [luminance(over(ink, back)), luminance(back)].sort((a, b) => b - a);
    const contrast = (light + 0.05) / (dark + 0.05);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    seen += 1;
    if (contrast < (large ? 3 : 4.5)) low.push(node.tagName + " '" + node.textContent.slice(0, 40) + "' " + contrast.toFixed(2));
  }
  return { low, seen };
})()`;

// The same for what is drawn: colours of the theme against what is beside them, and names on bars.
const LOW_GRAPHICS = `(() => {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue("--" + name).trim();
  const luminance = (hex) => {
    const [red, green, blue] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255)
      .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrast = (one, other) => {
    const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
    return (light + 0.05) / (dark + 0.05);
  };
  const low = [];
  const check = (what, on, least) => {
    const found = contrast(colour(what), colour(on));
    if (!(found >= least)) low.push(what + " on " + on + " " + found.toFixed(2));
  };
  const types = Array.from({ length: 12 }, (_, place) => "type-" + place);
  const causes = Array.from({ length: 9 }, (_, cause) => "cause-" + cause);
  for (const name of [...types, ...causes, "accent", "accent-soft", "bound", "lost", "transfer"]) check(name, "row", 3);
  for (const name of [...types, ...causes, "accent", "accent-soft", "bound", "control"]) check(name, "panel", 3);
  for (const on of ["panel", "page", "row"]) for (const name of ["text", "faint"]) check(name, on, 4.5);
  check("bound", "panel", 4.5);
  check("text", "dim", 4.5);
  return low;
})()`;

for (const name of ["small.html", "transfers.html", "run.html", "comparison.html", "wide.html", "empty.html", "study.html"]) {
  for (const look of ["light", "dark", "print"]) {
    onPage(`text and graphics of ${name} have contrast: ${look}`, name, async () => {
      await page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))");
      await page.evaluate("document.querySelector('.legend button')?.click()"); // a series that is hidden
      if (look === "print") await page.print();
      await page.frame();
      const { low, seen } = await page.evaluate(LOW_CONTRAST);
      assert.deepEqual(low, []);
      assert.ok(seen > 3, `${seen} texts`);
      assert.deepEqual(await page.evaluate(LOW_GRAPHICS), []);
    }, { dark: look === "dark" });
  }
}

// On canvas, names of tasks are black or white on the colour of their type.
onPage("names of tasks have contrast on the colours of their types", "small.html", async () => {
  const inks = await page.evaluate(`(async () => {
    const context = CanvasRenderingContext2D.prototype;
    const fill = context.fillText;
    const places = [];
    context.fillText = function (text, x, y) {
      if (/^[abcd]$/.test(text)) places.push([text, this.fillStyle, x + 40, y]);
      return fill.call(this, text, x, y);
    };
    const canvas = document.getElementById("gantt");
    canvas.style.width = "1000px"; // it is drawn anew
    for (let frame = 0; frame < 4; frame++) await new Promise(requestAnimationFrame);
    context.fillText = fill;
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    return places.map(([text, ink, x, y]) => [text, ink, [...copy.getImageData(x, y, 1, 1).data.slice(0, 3)]]);
  })()`);
  assert.ok(inks.length >= 4, JSON.stringify(inks));
  for (const [text, ink, back] of inks) {
    assert.equal(ink, "#000000", text); // on the vermilion of the first type white has 3.87
    assert.deepEqual(back, [0xd5, 0x5e, 0x00]);
  }
});

for (const name of ["small.html", "transfers.html", "run.html", "comparison.html", "wide.html", "long-names.html", "hostile.html", "empty.html", "study.html", "hostile-study.html"]) {
  onPage(`${name} fits a window of 360 pixels`, name, async () => {
    await page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))");
    await page.frame();
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 360);
    // What is wider scrolls in itself, and nothing else is cut off.
    const outside = await page.evaluate(`[...document.body.querySelectorAll("*")]
      .filter((node) => node.checkVisibility() && !node.closest(".scroll, .hidden-text, svg") && node.getBoundingClientRect().right > 361)
      .map((node) => node.outerHTML.slice(0, 120))`);
    assert.deepEqual(outside, []);
  }, { width: 360, height: 700 });
}

onPage("a narrow window shows tables that scroll", "comparison.html", async () => {
  const [inner, outer] = await page.evaluate(`(() => {
    const box = document.getElementById("classes").parentNode;
    return [box.scrollWidth, box.clientWidth];
  })()`);
  assert.ok(inner > outer && outer < 340, `${inner} in ${outer}`);
}, { width: 360, height: 700 });

for (const name of ["comparison.html", "study.html"]) {
  onPage(`${name} is printed in light colours, without controls and with nothing folded away`, name, async () => {
    await page.print({ dark: true });
    assert.equal(await page.evaluate("getComputedStyle(document.body).color"), "rgb(28, 36, 48)");
    assert.equal(await page.evaluate("getComputedStyle(document.documentElement).colorScheme"), "light");
    const visible = (selector) => page.evaluate(`[...document.querySelectorAll(${JSON.stringify(selector)})].filter((node) => node.checkVisibility()).length`);
    if (name === "comparison.html") {
      assert.equal(await visible("#tools *, #neighbours *, #runs, .keys"), 0);
      assert.equal(await visible(".bar"), 10);
      assert.equal(await visible("#skipped li"), 1);
      for (const needed of ["#verdict", "#profile", "#summary-table table", "#shown", "#facts", "#legend", "#gantt", "#queue", "#classes", "footer"]) {
        assert.equal(await visible(needed), 1, needed);
      }
      const idle = await page.evaluate("Array.from(document.getElementById('gantt').getContext('2d').getImageData(1000, 56, 1, 1).data)");
      assert.deepEqual(idle, [0xee, 0xf1, 0xf4, 0xff]);
      await page.print({ dark: true, media: "screen" });
      assert.equal(await page.evaluate("getComputedStyle(document.body).backgroundColor"), "rgb(20, 23, 28)");
      assert.equal(await visible(".bar"), 5); // folded again
    } else {
      assert.equal(await visible(".claims li, #claims li"), 2);
      assert.equal(await visible(".figure canvas"), 3);
    }
  }, { dark: true });
}

onPage("all types are in the printed legend", "wide.html", async () => {
  await page.print();
  assert.equal(await page.evaluate("[...document.querySelectorAll('#legend button')].filter((node) => node.checkVisibility()).length"), 40);
});

onPage("a schedule without a chart still shows its numbers", "comparison.html", async () => {
  await page.evaluate("document.querySelectorAll('.bar')[9].click()");
  await page.evaluate(`(() => {
    const runs = document.querySelector("#runs select");
    runs.selectedIndex = 2;
    runs.onchange();
  })()`);
  assert.equal(await page.evaluate("document.getElementById('chart').hidden"), true);
  assert.match(await page.text("#no-chart"), /left out/);
  assert.match(await page.text("#facts"), /makespan/);
});

onPage("the wheel zooms at the pointer, a double click goes back", "large.html", async () => {
  const all = await drawn();
  assert.equal(all, 46_218); // 45,760 tasks and 458 aborted attempts
  await wheel(600, 200, -240, 12);
  const close = await hover("#gantt", 600, 200);
  assert.ok((await drawn()) < 200);
  await wheel(600, 200, -240, 3);
  assert.equal((await hover("#gantt", 600, 200)).split("\n")[0], close.split("\n")[0]);
  const { left, top } = await page.box("#gantt");
  for (const clickCount of [1, 2]) {
    await page.mouse("mousePressed", left + 600, top + 200, { button: "left", clickCount });
    await page.mouse("mouseReleased", left + 600, top + 200, { button: "left", clickCount });
  }
  await page.frame();
  assert.equal(await drawn(), all);
});

onPage("dragging and keys move through time", "large.html", async () => {
  await wheel(600, 200, -240, 12);
  const before = await hover("#gantt", 600, 200);
  const { left, top } = await page.box("#gantt");
  await page.mouse("mousePressed", left + 600, top + 200, { button: "left" });
  await page.mouse("mouseMoved", left + 900, top + 200, { button: "left", buttons: 1 });
  await page.mouse("mouseReleased", left + 900, top + 200, { button: "left" });
  assert.equal(await hover("#gantt", 900, 200), before);
  await page.evaluate("document.getElementById('gantt').focus()");
  const few = await drawn();
  await page.press("-");
  assert.ok((await drawn()) > few);
  await page.press("ArrowLeft", { shift: true });
  await page.press("0");
  assert.equal(await drawn(), 46_218);
});

onPage("a task is found by its name", "large.html", async () => {
  await page.evaluate("document.getElementById('search').focus()");
  await page.type("gemm(40,20,");
  assert.match(await page.text("#found"), /^20 found/);
  // A tenth of a pixel wide on a gpu, and yet to be seen in its colour.
  const seen = await pixels([0x3a, 0x8f, 0xd0], [104, 370, 1000, 70]);
  assert.ok(seen > 300, `${seen} pixels`);
  await page.type("3)");
  assert.match(await page.text("#found"), /^1 found/);
  await page.press("Enter");
  assert.ok((await drawn()) < 300);
  await page.click("#chain");
  assert.equal(await page.evaluate("document.getElementById('chain').ariaPressed"), "true");
  assert.equal(await page.text("#found"), "");
});

onPage("more types than colours, and hundreds of workers", "wide.html", async () => {
  assert.equal(await drawn(), 4_000);
  assert.match(await page.text("#legend"), /30 more types/);
  await page.click("#legend button:last-of-type");
  assert.match(await page.text("#legend"), /kernel_39/);
});

onPage("a page without schedules says what was skipped", "empty.html", async () => {
  assert.match(await page.evaluate("document.getElementById('skipped').textContent"), /heft on nothing: no reason/);
  assert.equal(await page.evaluate("document.getElementById('schedule').hidden"), true);
});

onPage("a schedule in which nothing happens has an empty chart", "idle.html", async () => {
  assert.equal(await drawn(), 0);
  assert.match(await page.text("#facts"), /0 s/);
});

onPage("a page follows the dark theme", "small.html", async () => {
  assert.equal(await page.evaluate("getComputedStyle(document.body).backgroundColor"), "rgb(20, 23, 28)");
  const idle = await page.evaluate("Array.from(document.getElementById('gantt').getContext('2d').getImageData(1000, 56, 1, 1).data)");
  assert.deepEqual(idle, [0x26, 0x2c, 0x35, 0xff]);
}, { dark: true });

onPage("a study shows claims, plots and tables", "study.html", async () => {
  assert.equal(await drawn(), 3);
  assert.equal(await page.text("#claims h2"), "1 of 2 published claims hold here");
  assert.match(await page.text("#claims .holds"), /^holds.*What is there to see.*tiny-study.*4 to 12 tiles/s);
  assert.match(await page.text("#claims .fails"), /^does not hold/);
  assert.equal(await page.evaluate("document.querySelectorAll('.figure canvas').length"), 3);
  assert.equal(await page.evaluate("document.querySelectorAll('#tables tbody td, #tables tbody th').length"), 2);
  // Both panels of the first figure hold something in the colour of its first series, until that is hidden.
  const painted = (number) => pixels([0xd5, 0x5e, 0x00], null, ".figure canvas", number);
  assert.ok((await painted(0)) > 100);
  assert.ok((await painted(1)) > 100);
  await page.click(".legend button");
  assert.equal(await painted(0), 0);
  assert.equal(await painted(1), 0);
});

onPage("a study's tooltip tells what is at one x", "study.html", async () => {
  const { left, top, width, height } = await page.box(".figure .u-over");
  await page.mouse("mouseMoved", left + width / 2 - 5, top + height / 2);
  await page.frame();
  const tip = await page.text("#tooltip");
  assert.match(tip, /^Somebody 2020 8\s+tiny-study\s+2 \(1\.5 – 3\)$/);
});

onPage("a study follows the dark theme", "study.html", async () => {
  assert.equal(await page.evaluate("getComputedStyle(document.body).backgroundColor"), "rgb(20, 23, 28)");
  assert.equal(await drawn(), 3);
}, { dark: true });

onPage("a study's names are text, whatever they hold", "hostile-study.html", async () => {
  assert.equal(await page.evaluate("typeof window.hacked"), "undefined");
  assert.equal(await page.evaluate("document.scripts.length"), 2);
  assert.equal(await page.evaluate("document.images.length"), 0);
});

// Zoomed out is the worst case: every attempt is in every frame. The target is 16 ms; the limit leaves room for a
// machine that is busy with other tests.
onPage("46,218 attempts are drawn within a frame", "large.html", async () => {
  const seconds = await page.evaluate(`(async () => {
    const canvas = document.getElementById("gantt");
    const frame = () => new Promise(requestAnimationFrame);
    const turn = (deltaY) => canvas.dispatchEvent(new WheelEvent("wheel", { deltaY, clientX: 600, clientY: 400, cancelable: true }));
    await frame();
    const begin = performance.now();
    for (let i = 0; i < 60; i++) {
      turn(i % 2 ? 20 : -20);
      await frame();
    }
    return (performance.now() - begin) / 1000;
  })()`);
  const { frames, frameMs, worstMs, drawn: attempts, merged } = await page.status();
  const mean = frameMs / frames;
  console.log(`${attempts} attempts, ${merged} of them merged: ${mean.toFixed(1)} ms a frame (worst ${worstMs}, the first), ` +
    `${(60 / seconds).toFixed(0)} frames a second`);
  assert.equal(attempts, "46218");
  assert.ok(frames >= 60);
  assert.ok(mean < 50);
});
