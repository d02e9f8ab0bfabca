// Colours: those of the theme, and one for each task type. The first eight are Okabe and Ito's, which people with any
// kind of colour vision can tell apart; the others are from Paul Tol's muted scheme.

const PALETTE = [
  "#d55e00", "#009e73", "#e69f00", "#56b4e9", "#cc79a7", "#0072b2", "#e3d53a", "#8a8f98",
  "#882255", "#44aa99", "#999933", "#aa4499",
];

function hash(text) {
  let value = 2166136261;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 16777619);
  return value >>> 0;
}

// A place in the palette for each type name: by order of appearance on the page while there are few enough, so that
// instances that share types share colours; any further one takes the place its name hashes to.
class TypeColours {
  constructor() {
    this.places = new Map();
  }

  place(name) {
    if (!this.places.has(name)) {
      const next = this.places.size;
      this.places.set(name, next < PALETTE.length ? next : hash(name) % PALETTE.length);
    }
    return this.places.get(name);
  }
}

// 0xAABBGGRR, as the bytes of an ImageData read on a little-endian machine.
function packColour(hex) {
  const value = parseInt(hex.slice(1), 16);
  return (0xff000000 | ((value & 0xff) << 16) | (value & 0xff00) | (value >> 16)) >>> 0;
}

// Black or white, whichever reads better on a colour.
function inkOn(hex) {
  const value = parseInt(hex.slice(1), 16);
  const light = 0.299 * (value >> 16) + 0.587 * ((value >> 8) & 0xff) + 0.114 * (value & 0xff);
  return light > 140 ? "#101418" : "#ffffff";
}

function readTheme() {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(`--${name}`).trim();
  return Object.fromEntries(
    ["panel", "text", "faint", "line", "row", "grid", "accent", "bound", "dim", "lost", "transfer"].map((name) => [name, colour(name)]),
  );
}

