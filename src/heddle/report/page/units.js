// Numbers as people read them.

const UNITS = [
  { name: "s", size: 1 },
  { name: "ms", size: 1e-3 },
  { name: "µs", size: 1e-6 },
  { name: "ns", size: 1e-9 },
  { name: "ps", size: 1e-12 },
];

// The largest unit that leaves a number of at least 1.
function unitFor(seconds) {
  return UNITS.find((unit) => Math.abs(seconds) >= unit.size * 0.99995) ?? UNITS[UNITS.length - 1];
}

function grouped(number, decimals = 0) {
  return number.toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

// "1.234 s", "35.10 ms": four significant digits.
function formatTime(seconds) {
  if (seconds === 0) return "0 s";
  const unit = unitFor(seconds);
  const value = seconds / unit.size;
  const whole = Math.floor(Math.log10(Math.max(1, Math.abs(value) * 1.00005))) + 1;
  return `${grouped(value, Math.max(0, 4 - whole))} ${unit.name}`;
}

// An instant, to be told from those near it: with digits down to `step`, in the unit of `like`.
function formatInstant(seconds, step, like = seconds) {
  const unit = unitFor(like);
  const decimals = Math.ceil(-Math.log10(step / unit.size) - 1e-9);
  return `${grouped(seconds / unit.size, Math.min(12, Math.max(0, decimals)))} ${unit.name}`;
}

function formatCount(count) {
  return grouped(count);
}

function formatRatio(ratio) {
  return ratio.toFixed(3);
}

function formatPercent(share) {
  return `${(share * 100).toFixed(1)} %`;
}

// "12.50 J", "1.234 MJ": four significant digits.
function formatJoules(joules) {
  if (joules === 0) return "0 J";
  const units = [[1e9, "GJ"], [1e6, "MJ"], [1e3, "kJ"], [1, "J"], [1e-3, "mJ"]];
  const [size, name] = units.find(([least]) => joules >= least * 0.99995) ?? units[units.length - 1];
  return `${(joules / size).toPrecision(4)} ${name}`;
}

function formatBytes(bytes) {
  const names = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let unit = 0;
  while (bytes >= 1023.5 && unit + 1 < names.length) {
    bytes /= 1024;
    unit += 1;
  }
  return unit === 0 ? `${bytes} B` : `${bytes.toPrecision(4)} ${names[unit]}`;
}

// The smallest of 1, 2, 5, 10, ... that is at least `least`.
function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5].find((factor) => factor * power >= least * (1 - 1e-9)) ?? 10);
}

function multiples(step, low, high) {
  const result = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++) result.push(k * step + 0); // -0 becomes 0
  return result;
}

// Ticks of a time axis, at most `count`: { at: [seconds], label(seconds), base }. Where labels would need too many digits
// they count from `base`, the text for an instant at or before the first: "+20 µs" from "12.3456 s".
function timeTicks(low, high, count) {
  const step = niceStep((high - low) / count);
  const at = multiples(step, low, high);
  const unit = unitFor(high);
  const decimals = Math.max(0, Math.ceil(-Math.log10(step / unit.size) - 1e-9));
  if (decimals <= 4) {
    return { at, base: "", label: (time) => `${grouped(time / unit.size, decimals)} ${unit.name}` };
  }
  const origin = Math.floor(low / (step * 10)) * step * 10;
  const fine = unitFor(high - origin);
  const fineDecimals = Math.max(0, Math.ceil(-Math.log10(step / fine.size) - 1e-9));
  const label = (time) => `+${grouped((time - origin) / fine.size, fineDecimals)} ${fine.name}`;
  return { at, base: formatInstant(origin, step * 10), label };
}

