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

const TRANSFER = [0xa9, 0xa0, 0xd6];

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
  assert.match(await page.text("#policy"), /^heft$/);
  await page.click(".bar:nth-of-type(3)");
  assert.equal(await page.text("#policy"), "heteroprio-dep:order=acceleration");
  assert.match(await page.text("#subtitle"), /tiles=8/);
  await page.click("#next");
  assert.equal(await page.text("#policy"), "dmdas");
  assert.equal(await page.evaluate("document.querySelectorAll('#runs option').length"), 3);
  assert.match(await page.text("#charts-left-out"), /^\d+ of 30 schedules have no Gantt chart/);
  assert.match(await page.evaluate("document.getElementById('skipped').textContent"), /er-ls on cholesky:tiles=8: er-ls needs/);
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
  await page.press("ArrowLeft");
  await page.press("0");
  assert.equal(await drawn(), 46_218);
});

onPage("a task is found by its name", "large.html", async () => {
  await page.evaluate("document.getElementById('search').focus()");
  await page.type("gemm(40,20,");
  assert.match(await page.text("#found"), /^20 found/);
  // A tenth of a pixel wide on a gpu, and yet to be seen in its colour.
  const seen = await pixels([0x56, 0xb4, 0xe9], [104, 370, 1000, 70]);
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
  assert.equal(await page.evaluate("document.querySelectorAll('.results td').length"), 2);
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
