// A picture made pixel by pixel. A canvas takes about a microsecond per rectangle and a Gantt chart has tens of thousands, but
// all of a worker's rectangles have the same top and bottom: so one line of its row is drawn here and then copied down.

class Raster {
  resize(width, height) {
    if (this.image?.width === width && this.image.height === height) return;
    this.width = width;
    this.height = height;
    this.image = new ImageData(width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.line = new Uint32Array(width);
  }

  clear(colour) {
    this.pixels.fill(colour);
  }

  // Copies the line to the rows top .. bottom - 1.
  copyLine(top, bottom) {
    for (let y = top; y < bottom; y++) this.pixels.set(this.line, y * this.width);
  }

  fillColumn(x, top, bottom, colour) {
    for (let i = top * this.width + x, last = bottom * this.width; i < last; i += this.width) this.pixels[i] = colour;
  }

  // Diagonal stripes, `period` pixels apart, over the columns left .. right - 1.
  hatch(left, right, top, bottom, colour, period) {
    for (let y = top; y < bottom; y++) {
      for (let x = left; x < right; x++) {
        if ((x + y) % period < period / 2) this.pixels[y * this.width + x] = colour;
      }
    }
  }
}

// What is too narrow for a rectangle: per column of pixels, how much of its time went to each of `slots` colours. A
// column is drawn as a stack, each colour as high as its share, so that idle time stays visible at the top. A rectangle
// that begins or ends inside such a column has its part in the stack.
class Density {
  constructor(slots) {
    this.slots = slots;
    this.shares = new Float32Array(0);
    this.touched = new Uint8Array(0);
  }

  start(width) {
    if (this.touched.length !== width) {
      this.shares = new Float32Array(width * this.slots);
      this.touched = new Uint8Array(width);
    } else {
      this.shares.fill(0);
      this.touched.fill(0);
    }
    this.used = false;
  }

  // From `from` to `to`, in pixels and fractions.
  add(from, to, slot) {
    const last = Math.min(this.touched.length - 1, Math.floor(to));
    for (let x = Math.max(0, Math.floor(from)); x <= last; x++) {
      const share = Math.min(to, x + 1) - Math.max(from, x);
      this.shares[x * this.slots + slot] += share;
      if (share > 0) this.touched[x] = 1;
    }
    this.used = true;
  }

  // The first and the last column of a rectangle that is several pixels wide: drawn only where something is merged.
  addEnds(from, to, slot) {
    const first = Math.floor(from);
    const last = Math.floor(to);
    if (first >= 0) this.shares[first * this.slots + slot] += first + 1 - from;
    if (last < this.touched.length) this.shares[last * this.slots + slot] += to - last;
  }

  // Stacks the columns onto the rows top .. bottom - 1, idle time on top in the colours of the line `background`.
  draw(raster, top, bottom, paint, background) {
    if (!this.used) return;
    const height = bottom - top;
    for (let x = 0; x < this.touched.length; x++) {
      if (this.touched[x] === 0) continue;
      let sum = 0;
      let low = bottom;
      for (let slot = 0; slot < this.slots; slot++) {
        const share = this.shares[x * this.slots + slot];
        if (share === 0) continue;
        sum += share;
        const high = Math.max(top, bottom - Math.round(Math.min(1, sum) * height));
        raster.fillColumn(x, high, low, paint[slot]);
        low = high;
      }
      raster.fillColumn(x, top, low, background[x]);
    }
  }
}

