// Colours of the page's scheme, and canvases as wide as the page gives them.

// The style's colours by name: ink, dim, line, paper, before, after, weighted, shot, receiver.
const theme = {
  read() {
    const style = getComputedStyle(document.documentElement);
    for (const name of ["ink", "dim", "line", "paper", "grey", "before", "after", "weighted", "shot",
      "receiver", "secondary"])
      this[name] = style.getPropertyValue(`--${name}`).trim();
    const paper = this.paper.replace("#", "");
    this.paperParts = [0, 2, 4].map(n => parseInt(paper.slice(n, n + 2), 16));
  },
};

const FONT = "13px system-ui, sans-serif";

// Makes a canvas as wide as its place and as tall as asked, sharp on fine screens; gives a pen that
// counts in the page's pixels, on blank paper.
function sized(canvas, tallFor) {
  const wide = Math.max(180, Math.round(canvas.parentElement.clientWidth));
  const tall = Math.round(typeof tallFor === "function" ? tallFor(wide) : tallFor);
  const fine = window.devicePixelRatio || 1;
  canvas.width = Math.round(wide * fine);
  canvas.height = Math.round(tall * fine);
  canvas.style.height = `${tall}px`;
  const pen = canvas.getContext("2d");
  pen.setTransform(fine, 0, 0, fine, 0, 0);
  pen.fillStyle = theme.paper;
  pen.fillRect(0, 0, wide, tall);
  pen.font = FONT;
  pen.lineWidth = 1;
  return {pen, wide, tall, fine};
}

// What draws the page's figures; all of it again when width or colours change.
const figures = [];

function drawn(draw) {
  figures.push(draw);
  draw();
}

function redraw() {
  theme.read();
  for (const draw of figures) draw();
}

// Light, dark, or as the system is; kept by the browser where it may.
function chooseScheme(button) {
  const kept = () => { try { return localStorage.getItem("fermat-scheme"); } catch { return null; } };
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (document.documentElement.dataset.scheme || (system.matches ? "dark" : "light")) === "dark";
  const name = () => { button.textContent = isDark() ? "light colours" : "dark colours"; };
  if (["light", "dark"].includes(kept())) document.documentElement.dataset.scheme = kept();
  button.addEventListener("click", () => {
    const scheme = isDark() ? "light" : "dark";
    document.documentElement.dataset.scheme = scheme;
    try { localStorage.setItem("fermat-scheme", scheme); } catch { /* a page may lack a store */ }
    name();
    redraw();
  });
  system.addEventListener("change", () => { name(); redraw(); });
  name();
  theme.read();
}

// Paper is white: the page is drawn in light colours for it.
function printLight() {
  let before;
  addEventListener("beforeprint", () => {
    before = document.documentElement.dataset.scheme;
    document.documentElement.dataset.scheme = "light";
    redraw();
  });
  addEventListener("afterprint", () => {
    if (before) document.documentElement.dataset.scheme = before;
    else delete document.documentElement.dataset.scheme;
    redraw();
  });
}

function followWidth() {
  let wide = document.documentElement.clientWidth;
  addEventListener("resize", () => {
    if (document.documentElement.clientWidth === wide) return;
    wide = document.documentElement.clientWidth;
    redraw();
  });
}
