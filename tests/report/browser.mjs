// Drives headless Chromium through its DevTools protocol, over a pipe: no package, no port.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const FLAGS = [
  "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--hide-scrollbars", "--remote-debugging-pipe",
];

export class Browser {
  constructor(program) {
    this.profile = mkdtempSync(join(tmpdir(), "heddle-browser-"));
    this.process = spawn(program, [...FLAGS, `--user-data-dir=${this.profile}`, "about:blank"], {
      stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
    });
    this.waiting = new Map();
    this.listeners = [];
    this.last = 0;
    this.buffer = "";
    this.process.stdio[4].setEncoding("utf8").on("data", (text) => this.receive(text));
    this.process.on("error", (error) => this.fail(error));
    this.process.on("exit", () => this.fail(new Error("the browser ended")));
  }

  fail(error) {
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }

  receive(text) {
    const messages = (this.buffer + text).split("\0");
    this.buffer = messages.pop();
    for (const message of messages.map((each) => JSON.parse(each))) {
      const call = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      if (!call) this.listeners.forEach((listen) => listen(message));
      else if (message.error) call.reject(new Error(message.error.message));
      else call.resolve(message.result);
    }
  }

  send(method, params = {}, sessionId = undefined) {
    this.last += 1;
    const id = this.last;
    this.process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }

  // Opens a report in a tab of its own and waits until it is drawn.
  async open(url, { width = 1200, height = 900, dark = false } = {}) {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(this, targetId, sessionId);
    await page.send("Runtime.enable");
    await page.send("Log.enable");
    await page.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
    const features = [
      { name: "prefers-color-scheme", value: dark ? "dark" : "light" },
      { name: "prefers-reduced-motion", value: "reduce" }, // clicks must not miss what is still scrolling
    ];
    await page.send("Emulation.setEmulatedMedia", { features });
    await page.send("Page.navigate", { url });
    await page.settled();
    return page;
  }

  async close() {
    const ended = new Promise((resolve) => this.process.once("exit", resolve));
    this.send("Browser.close").catch(() => {});
    await ended;
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

export class Page {
  constructor(browser, targetId, sessionId) {
    this.browser = browser;
    this.targetId = targetId;
    this.sessionId = sessionId;
    this.complaints = []; // exceptions and what the console said
    browser.listeners.push((message) => message.sessionId === sessionId && this.listen(message));
  }

  listen({ method, params }) {
    if (method === "Runtime.exceptionThrown") this.complaints.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    if (method === "Runtime.consoleAPICalled") this.complaints.push(params.args.map((each) => each.value).join(" "));
    if (method === "Log.entryAdded") this.complaints.push(`${params.entry.text} ${params.entry.url ?? ""}`);
  }

  send(method, params) {
    return this.browser.send(method, params, this.sessionId);
  }

  // Waits, a minute at most, until the page has loaded and drawn, or says what went wrong, which is the test's to ask.
  async settled() {
    for (let i = 0; i < 6000; i++) {
      const status = "document.getElementById('heddle-status').dataset";
      const loaded = `document.readyState === 'complete' && (${status}.state === 'ready' || ${status}.errors !== '0')`;
      if (await this.evaluate(loaded).catch(() => false)) return this.frame();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error("the page did not load");
  }

  // The value of a JavaScript expression in the page.
  async evaluate(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  // Waits until what was asked for is on the screen.
  frame() {
    return this.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))");
  }

  text(selector) {
    return this.evaluate(`document.querySelector(${JSON.stringify(selector)}).innerText`);
  }

  status() {
    return this.evaluate("({...document.getElementById('heddle-status').dataset})");
  }

  box(selector) {
    return this.evaluate(`(() => {
      const { left, top, width, height } = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect();
      return { left, top, width, height };
    })()`);
  }

  async mouse(type, x, y, more = {}) {
    await this.send("Input.dispatchMouseEvent", { type, x, y, ...more });
  }

  async wheel(x, y, deltaY) {
    await this.mouse("mouseWheel", x, y, { deltaX: 0, deltaY });
    await this.frame();
  }

  async click(selector) {
    await this.evaluate(`document.querySelector(${JSON.stringify(selector)}).scrollIntoView({ block: "nearest" })`);
    const { left, top, width, height } = await this.box(selector);
    const at = [left + width / 2, top + height / 2];
    await this.mouse("mousePressed", ...at, { button: "left", clickCount: 1 });
    await this.mouse("mouseReleased", ...at, { button: "left", clickCount: 1 });
    await this.frame();
  }

  async press(key, { shift = false } = {}) {
    const text = key.length === 1 ? key : undefined;
    const event = { key, modifiers: shift ? 8 : 0, windowsVirtualKeyCode: key === "Tab" ? 9 : undefined };
    await this.send("Input.dispatchKeyEvent", { type: "keyDown", text, ...event });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", ...event });
    await this.frame();
  }

  async type(text) {
    await this.send("Input.insertText", { text });
    await this.frame();
  }

  // Shows the page as it is printed, or on the screen again.
  async print({ media = "print", dark = false } = {}) {
    const features = [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }];
    await this.send("Emulation.setEmulatedMedia", { media, features });
    await this.frame();
  }

  async screenshot() {
    const { data } = await this.send("Page.captureScreenshot", { format: "png" });
    return Buffer.from(data, "base64");
  }

  async close() {
    await this.browser.send("Target.closeTarget", { targetId: this.targetId });
  }
}
