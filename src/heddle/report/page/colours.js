// Colours: those of the theme, as page.css has them, and one of them for each task type.

const TYPE_COLOURS = 12; // --type-0 to --type-11
const CAUSES = 9; // --cause-0 to --cause-8, as analysis::Cause counts them

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
      this.places.set(name, next < TYPE_COLOURS ? next : hash(name) % TYPE_COLOURS);
    }
    return this.places.get(name);
  }
}

// 0xAABBGGRR, as the bytes of an ImageData read on a little-endian machine.
function packColour(hex) {
  const value = parseInt(hex.slice(1), 16);
  return (0xff000000 | ((value & 0xff) << 16) | (value & 0xff00) | (value >> 16)) >>> 0;
}

// Of WCAG 2.1: from 0, black, to 1, white.
function luminance(hex) {
  const value = parseInt(hex.slice(1), 16);
  const [red, green, blue] = [value >> 16, (value >> 8) & 0xff, value & 0xff].map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

// Black or white, whichever has more contrast with a colour: 4.58 to 1 at least.
function inkOn(hex) {
  return luminance(hex) > Math.sqrt(1.05 * 0.05) - 0.05 ? "#000000" : "#ffffff";
}

function readTheme() {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(`--${name}`).trim();
  const names = ["panel", "text", "faint", "line", "row", "grid", "accent", "accent-soft", "bound", "dim", "lost", "transfer"];
  return {
    ...Object.fromEntries(names.map((name) => [name, colour(name)])),
    types: Array.from({ length: TYPE_COLOURS }, (_, place) => colour(`type-${place}`)),
    causes: Array.from({ length: CAUSES }, (_, cause) => colour(`cause-${cause}`)),
  };
}


// Calls redraw() whenever the theme changes: with that of the system, and to the light one for as long as the page is printed.
// Some browsers tell of printing by events, some by the media query.
function watchTheme(redraw) {
  const printing = (begins) => {
    document.documentElement.classList.toggle("printing", begins);
    redraw();
  };
  window.addEventListener("beforeprint", () => printing(true));
  window.addEventListener("afterprint", () => printing(false));
  window.matchMedia("print").addEventListener("change", (event) => printing(event.matches));
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
}
