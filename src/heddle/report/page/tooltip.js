// A box beside the pointer that says what is under it.

class Tooltip {
  constructor(node) {
    this.node = node;
  }

  hide() {
    this.node.hidden = true;
  }

  show(event, ...content) {
    this.node.replaceChildren(...content);
    this.node.hidden = false;
    const { width, height } = this.node.getBoundingClientRect();
    const right = event.clientX + 16 + width <= window.innerWidth;
    const below = event.clientY + 16 + height <= window.innerHeight;
    this.node.style.left = `${Math.max(4, right ? event.clientX + 16 : event.clientX - 12 - width)}px`;
    this.node.style.top = `${Math.max(4, below ? event.clientY + 16 : event.clientY - 12 - height)}px`;
  }
}
