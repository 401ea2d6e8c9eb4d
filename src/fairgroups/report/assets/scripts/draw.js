"use strict";
// Draws the explorer's pictures as SVG: rates along a line, differences of groups, rates over a plane.
const fairgroupsDraw = (() => {
  const NS = "http://www.w3.org/2000/svg";
  const minus = (text) => text.replace("-", "−");

  let hatched = 0;

  function add(parent, tag, attributes = {}, text = null) {
    const node = document.createElementNS(NS, tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    if (text !== null) node.textContent = text;
    parent.append(node);
    return node;
  }

  function ticks(low, high, count) {
    const rough = (high - low) / Math.max(count, 1);
    if (!(rough > 0)) return [low];
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 2.5, 5, 10].map((x) => x * power).find((x) => x >= rough * 0.999);
    const out = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) out.push(i * step);
    return out;
  }

  const scale = ([low, high], [from, to]) => {
    const size = high > low ? high - low : 1;
    const at = (x) => from + (x - low) / size * (to - from);
    at.invert = (pixel) => low + (pixel - from) / (to - from) * size;
    return at;
  };

  const plain = (x) => {
    const size = Math.abs(x);
    if (size >= 1e15 || (size > 0 && size < 1e-4)) return minus(x.toExponential(1).replace("e+", "e"));
    if (size < 1000) return minus(String(Number(x.toPrecision(4))));
    return minus(Math.round(x).toLocaleString("en-US"));
  };
  // As many ticks as have room for what they say.
  const roomy = (low, high, room, format) => {
    const letters = Math.max(...[low, high].map((value) => format(value).length));
    return ticks(low, high, Math.max(1, Math.floor(room / Math.max(90, 8 * letters + 20))));
  };
  const percent = (x) => `${minus(String(Number((100 * x).toPrecision(4))))}%`;

  // A frame that is drawn again when its place changes its width.
  class Picture {
    constructor(place, height) {
      Object.assign(this, { place, height, data: null });
      this.svg = add(place, "svg", { role: "presentation", focusable: "false" });
      this.tip = document.createElement("div");
      this.tip.className = "tip";
      this.tip.hidden = true;
      place.append(this.tip);
      place.addEventListener("pointermove", (event) => this.hover(event));
      place.addEventListener("pointerleave", () => { this.tip.hidden = true; });
      const fits = () => !this.data || Math.max(place.clientWidth, 240) === this.width;
      new ResizeObserver(() => { if (!fits()) requestAnimationFrame(() => { if (!fits()) this.draw(); }); }).observe(place);
    }

    show(data) { this.data = data; this.draw(); }

    begin(height) {
      this.width = Math.max(this.place.clientWidth, 240);
      this.svg.replaceChildren();
      this.svg.setAttribute("viewBox", `0 0 ${this.width} ${height}`);
      this.svg.setAttribute("width", this.width);
      this.svg.setAttribute("height", height);
    }

    hover(event) {
      const mark = event.target.closest?.("[data-tip]");
      this.tip.hidden = !mark;
      if (!mark) return;
      this.tip.textContent = mark.dataset.tip;
      const box = this.place.getBoundingClientRect();
      const x = event.clientX - box.left, y = event.clientY - box.top;
      this.tip.style.left = `${Math.max(0, Math.min(x + 14, box.width - this.tip.offsetWidth))}px`;
      this.tip.style.top = `${y + 18}px`;
    }

    axisX(x, values, bottom, format, title, top = null) {
      for (const value of values) {
        if (top !== null) add(this.svg, "line", { class: "grid", x1: x(value), x2: x(value), y1: top, y2: bottom });
        add(this.svg, "line", { class: "rule", x1: x(value), x2: x(value), y1: bottom, y2: bottom + 5 });
        add(this.svg, "text", { class: "tick", x: x(value), y: bottom + 18, "text-anchor": "middle" }, format(value));
      }
      add(this.svg, "text", { class: "title", x: (this.left + this.right) / 2, y: bottom + 37, "text-anchor": "middle" },
        this.fit(title, this.right - this.left));
    }

    fit(text, room, letter = 6.6) {
      const most = Math.max(4, Math.floor(room / letter));
      return text.length > most ? `${text.slice(0, most - 1)}…` : text;
    }
  }

  class Line extends Picture {
    draw() {
      const { domain, segments, borders, dots, everyone, picked, isPercent, xTitle, yTitle } = this.data;
      this.begin(this.height);
      Object.assign(this, { left: 58, right: this.width - 14, top: 26, bottom: this.height - 44 });
      const seen = [everyone, ...segments.flatMap((s) => [s.rate_low, s.rate_high, s.rate]), ...dots.map((d) => d.rate)]
        .filter((value) => value !== null && Number.isFinite(value));
      let low = Math.min(...seen, isPercent ? 0 : Infinity), high = Math.max(...seen);
      if (low === high) [low, high] = [low - 0.5, high + 0.5];
      const room = (high - low) * 0.04;
      [low, high] = [isPercent ? Math.max(low - room, 0) : low - room, isPercent ? Math.min(high + room, 1) : high + room];
      const wide = (domain[1] - domain[0]) * 0.01 || 0.5;
      const x = this.x = scale([domain[0] - wide, domain[1] + wide], [this.left, this.right]);
      const y = scale([low, high], [this.bottom, this.top]);
      const clipped = (value) => Math.min(Math.max(value, low), high);
      for (const value of ticks(low, high, 6)) {
        add(this.svg, "line", { class: "grid", x1: this.left, x2: this.right, y1: y(value), y2: y(value) });
        add(this.svg, "text", { class: "tick", x: this.left - 8, y: y(value) + 4, "text-anchor": "end" },
          isPercent ? percent(value) : plain(value));
      }
      add(this.svg, "text", { class: "title", x: 4, y: 14 }, this.fit(yTitle, this.width - 20));
      this.axisX(x, roomy(domain[0], domain[1], this.width, plain), this.bottom, plain, xTitle);
      if (picked) {
        add(this.svg, "rect", { class: "picked", x: x(picked[0]) - 1, width: Math.max(x(picked[1]) - x(picked[0]) + 2, 3),
          y: this.top, height: this.bottom - this.top });
      }
      for (const at of borders) add(this.svg, "line", { class: "rule", x1: x(at), x2: x(at), y1: this.top, y2: this.bottom });
      for (const s of segments) {
        const [top, bottom] = [y(clipped(s.rate_high)), y(clipped(s.rate_low))];
        add(this.svg, "rect", { class: "area", fill: s.colour, x: x(s.from), width: Math.max(x(s.to) - x(s.from), 2), y: top,
          height: Math.max(bottom - top, 1), "data-tip": s.tip });
      }
      const most = Math.max(...dots.map((d) => d.n), 1);
      for (const d of dots) {
        add(this.svg, "circle", { class: "dot", cx: x(d.middle), cy: y(d.rate), r: 1.6 + 3 * Math.sqrt(d.n / most), "data-tip": d.tip });
      }
      add(this.svg, "line", { class: "ink dashed", x1: this.left, x2: this.right, y1: y(everyone), y2: y(everyone) });
      for (const s of segments) {
        add(this.svg, "line", { class: "level", stroke: s.colour, x1: x(s.from), x2: Math.max(x(s.to), x(s.from) + 3),
          y1: y(s.rate), y2: y(s.rate), "data-tip": s.tip });
      }
    }

    // The value of the attribute under the pointer.
    at(event) {
      const box = this.svg.getBoundingClientRect();
      const pixel = (event.clientX - box.left) * this.width / box.width;
      return this.x.invert(Math.min(Math.max(pixel, this.left), this.right));
    }
  }

  const SHAPES = {
    square: "M-6,-6h12v12h-12z", diamond: "M0,-8L8,0L0,8L-8,0z", circle: "M-6.5,0a6.5,6.5 0 1,0 13,0a6.5,6.5 0 1,0 -13,0",
    "triangle-down": "M-7,-5h14L0,7z", "triangle-up": "M-7,5h14L0,-7z",
    cross: "M-7,-2.5h4.5v-4.5h5v4.5h4.5v5h-4.5v4.5h-5v-4.5h-4.5z",
  };

  class Differences extends Picture {
    draw() {
      const { rows, isPercent, title, usual } = this.data;
      const step = 44, top = 6;
      const height = top + rows.length * step + 48;
      this.begin(height);
      Object.assign(this, { left: 14, right: this.width - 14, bottom: top + rows.length * step });
      const ends = rows.flatMap((r) => [r.low, r.high, r.phi, ...(usual ? [r.usual_low, r.usual_high] : [])])
        .filter((value) => value !== null && Number.isFinite(value));
      const far = Math.max(...ends.map(Math.abs), 0) || 1;
      let [low, high] = [Math.min(...ends, 0), Math.max(...ends, 0)];
      if (high - low < 1e-6 * far || low === high) [low, high] = [-far, far];
      [low, high] = [low - far * 0.05, high + far * 0.05];
      const x = scale([low, high], [this.left, this.right]);
      const clip = (value, end) => x(value === null || !Number.isFinite(value) ? end : Math.min(Math.max(value, low), high));
      this.axisX(x, ticks(low, high, Math.floor(this.width / 90)), this.bottom, plain,
        title + (isPercent ? (this.width < 480 ? " (points)" : " (percentage points)") : ""), top);
      add(this.svg, "line", { class: "ink dashed", x1: x(0), x2: x(0), y1: top, y2: this.bottom });
      rows.forEach((r, i) => {
        const y = top + i * step + 30;
        add(this.svg, "text", { class: "label halo", x: this.left, y: y - 14 }, this.fit(r.label, this.width - 28));
        if (usual) {
          add(this.svg, "line", { class: "usual", x1: clip(r.usual_low, low), x2: clip(r.usual_high, high), y1: y, y2: y });
        }
        add(this.svg, "line", { class: "level", stroke: r.colour, x1: clip(r.low, low), x2: clip(r.high, high), y1: y, y2: y,
          "data-tip": r.tip });
        add(this.svg, "path", { d: SHAPES[r.shape], fill: r.colour, transform: `translate(${x(r.phi)},${y})`, "data-tip": r.tip });
      });
    }
  }

  const mix = (a, b, t) => `rgb(${a.map((v, i) => Math.round(v + (b[i] - v) * t)).join(",")})`;
  const channels = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));

  // The rates between which all but a few people lie: small cells scatter far, and must not decide the colours.
  function usualRates(cells, everyone) {
    const sorted = [...cells].sort((a, b) => a.rate - b.rate);
    const people = sorted.reduce((sum, c) => sum + c.n, 0);
    const at = (share) => {
      let below = 0;
      for (const c of sorted) { below += c.n; if (below >= share * people) return c.rate; }
      return everyone;
    };
    return [Math.min(at(0.02), everyone), Math.max(at(0.98), everyone)];
  }

  class Plane extends Picture {
    draw() {
      const { cells, boxes, axes, margins, everyone, isPercent, rate, colours, unit, picked } = this.data;
      const [LOW, MIDDLE, HIGH] = colours.map(channels);
      this.begin(this.height);
      const strip = margins ? 16 : 0;
      const names = axes[1].levels ? Math.min(150, Math.max(...axes[1].levels.map((name) => this.measured(name))) + 14) : 62;
      Object.assign(this, { left: Math.min(names, this.width * 0.3), right: this.width - 14 - strip, top: 46 + strip,
        bottom: this.height - 44 });
      const x = scale(axes[0].domain, [this.left, this.right]), y = scale(axes[1].domain, [this.bottom, this.top]);
      Object.assign(this, { x, y });
      const [low, high] = usualRates(cells, everyone);
      const colour = (r) => (r < everyone ? mix(MIDDLE, LOW, Math.min((everyone - r) / (everyone - low || 1), 1))
        : mix(MIDDLE, HIGH, Math.min((r - everyone) / (high - everyone || 1), 1)));
      const written = (r) => (isPercent ? percent(Number(r.toFixed(3))) : plain(r));
      const told = (c) => `${rate} ${written(c.rate)}, ${c.n.toLocaleString("en-US")} ${unit}`;
      this.hatch(strip);  // seen where no cell lies over it
      for (const c of cells) {
        add(this.svg, "rect", { class: "cell", x: x(c.x0), width: Math.max(x(c.x1) - x(c.x0), 1), y: y(c.y1),
          height: Math.max(y(c.y0) - y(c.y1), 1), fill: colour(c.rate), "data-tip": told(c) });
      }
      if (margins) {  // each attribute alone, along the edges
        for (const [i, n, r] of margins[0]) {
          add(this.svg, "rect", { class: "cell", x: x(i), width: x(i + 1) - x(i), y: this.top - strip - 4, height: strip,
            fill: colour(r), "data-tip": `${axes[0].name} alone: ${told({ n, rate: r })}` });
        }
        for (const [i, n, r] of margins[1]) {
          add(this.svg, "rect", { class: "cell", x: this.right + 4, width: strip, y: y(i + 1), height: y(i) - y(i + 1),
            fill: colour(r), "data-tip": `${axes[1].name} alone: ${told({ n, rate: r })}` });
        }
      }
      for (const b of boxes) {
        add(this.svg, "rect", { class: "box", x: x(b.x0), width: x(b.x1) - x(b.x0), y: y(b.y1), height: y(b.y0) - y(b.y1) });
        add(this.svg, "text", { class: "number", x: x(b.xm), y: y(b.ym) + 6, "text-anchor": "middle" }, b.number);
      }
      if (picked) {
        const [across, up] = picked;
        for (const [x0, x1] of across) {
          for (const [y0, y1] of up) {
            add(this.svg, "rect", { class: "picked-box", x: x(x0), width: x(x1) - x(x0), y: y(y1), height: y(y0) - y(y1) });
          }
        }
      }
      const across = this.ticksAcross(axes[0]);
      const written0 = new Map(across);
      this.axisX(x, across.map(([v]) => v), this.bottom, (v) => written0.get(v), axes[0].name);
      for (const [v, name] of axes[1].ticks) {
        add(this.svg, "text", { class: "tick", x: this.left - 8, y: y(v) + 4, "text-anchor": "end" }, this.fit(name, this.left - 12));
      }
      add(this.svg, "text", { class: "title", x: 4, y: 34 }, this.fit(axes[1].name, this.width * 0.4));
      const words = this.width < 480 ? ["to", "all", "from"] : ["low, to", "everybody", "high, from"];
      [low, everyone, high].forEach((value, i) => {
        const name = words[i];
        const step = Math.min(145, (this.width - 8) / 3);
        const at = this.width - 3 * step + i * step;
        add(this.svg, "rect", { x: at, y: 2, width: 14, height: 14, fill: colour(value), class: "swatch" });
        add(this.svg, "text", { class: "tick", x: at + 19, y: 13, "text-anchor": "start" }, `${name} ${written(value)}`);
      });
    }

    // Lines where nothing is shown: white could be taken for a rate.
    hatch(strip) {
      const name = `withheld-${hatched += 1}`;  // one for each picture: another may be hidden
      const lines = add(add(this.svg, "defs"), "pattern", { id: name, width: 6, height: 6,
        patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" });
      add(lines, "line", { x1: 0, y1: 0, x2: 0, y2: 6, stroke: "#b0b0b0", "stroke-width": 1 });
      const { left, right, top, bottom } = this, fill = `url(#${name})`;
      add(this.svg, "rect", { x: left, width: right - left, y: top, height: bottom - top, fill });
      if (strip) {
        add(this.svg, "rect", { x: left, width: right - left, y: top - strip - 4, height: strip, fill });
        add(this.svg, "rect", { x: right + 4, width: strip, y: top, height: bottom - top, fill });
      }
    }

    measured(text) { return 7.2 * text.length; }

    // As many ticks as there is room for; names of levels are cut to what each has.
    ticksAcross(axis) {
      const room = (this.right - this.left) / axis.ticks.length;
      if (axis.levels) return axis.ticks.map(([v, name]) => [v, this.fit(name, room - 6)]);
      const each = Math.ceil(Math.max(...axis.ticks.map(([, name]) => this.measured(name) + 12)) / room);
      return axis.ticks.filter((_, i) => i % each === 0);
    }

    // The place on both axes under the pointer.
    at(event) {
      const box = this.svg.getBoundingClientRect();
      const across = (event.clientX - box.left) * this.width / box.width, down = (event.clientY - box.top) * this.height / box.height;
      return [this.x.invert(Math.min(Math.max(across, this.left), this.right)),
        this.y.invert(Math.min(Math.max(down, this.top), this.bottom))];
    }
  }
  return { Line, Differences, Plane };
})();
