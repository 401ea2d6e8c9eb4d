"use strict";
// Judges any range of the attribute with intervals that hold for all ranges at once: the formulas of fairgroups.Band.
const fairgroupsBand = (() => {
  const part = (p, q) => (p <= 0 ? 0 : q <= 0 ? Infinity : p * Math.log(p / q));
  const kl = (p, q) => part(p, q) + part(1 - p, 1 - q);
  const clip = (x, low, high) => Math.min(Math.max(x, low), high);

  // The rate furthest towards `far` with n kl(rate, μ) ≤ root²/2.
  function rateEnd(rate, n, root, far) {
    let inside = rate, outside = far;
    for (let i = 0; i < 60; i++) {
      const middle = (inside + outside) / 2;
      if (n * kl(rate, middle) <= root * root / 2) inside = middle; else outside = middle;
    }
    return outside;
  }

  // Solves n (μ − rate) = λ μ (1 − μ) for the μ between the rate and 1.
  function raised(rate, n, multiplier) {
    const shift = multiplier - n;
    const size = Math.sqrt(shift * shift + 4 * multiplier * n * rate);
    const root = shift >= 0 ? (shift + size) / (2 * multiplier) : 2 * n * rate / (size - shift);
    return clip(root, rate, 1);
  }

  // The largest difference μ₁ − μ₂ whose likelihood ratio against the rates seen is at most root².
  function upperEnd(rate1, n1, rate2, n2, root) {
    let low = -40, high = 40;
    for (let i = 0; i < 80; i++) {
      const middle = (low + high) / 2, multiplier = (n1 + n2) * Math.exp(middle);
      const mu1 = raised(rate1, n1, multiplier), mu2 = 1 - raised(1 - rate2, n2, multiplier);
      if (n1 * kl(rate1, mu1) + n2 * kl(rate2, mu2) <= root * root / 2) low = middle; else high = middle;
    }
    const multiplier = (n1 + n2) * Math.exp(high);
    return clip(raised(rate1, n1, multiplier) - 1 + raised(1 - rate2, n2, multiplier), -1, 1);
  }

  function running(values) {
    const out = [0];
    for (const x of values) out.push(out[out.length - 1] + x);
    return out;
  }

  const firstAtLeast = (values, x) => { let i = 0; while (i < values.length && values[i] < x) i++; return i; };
  const firstAbove = (values, x) => { let i = 0; while (i < values.length && values[i] <= x) i++; return i; };

  // An upper 95% bound for a standard deviation; the chi-square quantile after Wilson and Hilferty.
  function upperScale(squares, total, freedom) {
    if (!(freedom >= 1)) return Infinity;
    const v = 2 / (9 * freedom);
    const quantile = freedom * Math.max(1 - v - 1.6448536269514722 * Math.sqrt(v), 0.05) ** 3;
    return Math.sqrt(Math.max(squares / total, 0) * (freedom + 1) / quantile);
  }

  // What any region is judged by: its own sums, those of the rest, and how far values scatter in both.
  function judged(band, all, own, scales, against) {
    const penalty = (n, rows) => {
      let ratio = band.size / Math.max(n, 1e-9);
      if (!band.equal) ratio = Math.max(ratio, all.n / Math.max(rows, 1));
      return band.penalty * Math.sqrt(2 * (1 + Math.log(Math.max(ratio, 1))));
    };
    const { n, b, a, noise } = own;
    if (!(b > 0)) return null;
    const restB = all.b - b, restA = all.a - a, restNoise = all.noise - noise;
    const size = Math.min(b * b / noise, band.size), rest = restNoise > 0 ? restB * restB / restNoise : 0;
    const rateRoot = Math.max(band.rate + penalty(size, n), band.least);
    const phiRoot = Math.max(band.phi + penalty(Math.min(size, rest), Math.min(n, all.n - n)), band.least);
    const alone = !(restB > 1e-12 * (b + restB));
    let rate = a / b, other = restA / restB, low, high, rateLow, rateHigh;
    if (band.bounded) {
      rate = clip(rate, 0, 1);
      [rateLow, rateHigh] = [rateEnd(rate, size, rateRoot, 0), rateEnd(rate, size, rateRoot, 1)];
      if (!alone) {
        other = clip(other, 0, 1);
        low = -upperEnd(other, rest, rate, size, phiRoot);
        high = upperEnd(rate, size, other, rest, phiRoot);
      }
    } else {
      const [inside, outside] = scales();
      const wide = rateRoot * inside / Math.sqrt(size);
      [rateLow, rateHigh] = [rate - wide, rate + wide];
      const apart = phiRoot * Math.sqrt(inside * inside / size + outside * outside / rest);
      [low, high] = [rate - other - apart, rate - other + apart];
    }
    const share = against === "rest" ? 1 : restB / (b + restB);
    const phi = alone ? 0 : against === "rest" ? rate - other : rate - all.a / all.b;
    return { n, counted: size, rate, rateLow, rateHigh, phi, low: alone ? 0 : share * low, high: alone ? 0 : share * high };
  }

  class Ranges {
    constructor(band) {
      this.band = band;
      this.sums = Object.fromEntries(Object.entries(band.sums).map(([key, values]) => [key, running(values)]));
      this.last = this.sums.b.length - 1;
      if (!band.bounded) {
        this.rows = running(band.sums.b.map((b, i) => b * b / Math.max(band.sums.bb[i], 1e-300)));
      }
    }

    // The stretches that values from `low` to `high` cover, or null.
    covered(low, high) {
      const start = firstAtLeast(this.band.last, low), stop = firstAbove(this.band.first, high);
      return start < stop ? [start, stop] : null;
    }

    of(key, start, stop) { return this.sums[key][stop] - this.sums[key][start]; }

    scatter(start, stop) {
      const b = this.of("b", start, stop), bb = this.of("bb", start, stop);
      if (!(bb > 0)) return Infinity;
      const rate = this.of("a", start, stop) / b;
      const squares = Math.max(this.of("aa", start, stop) - 2 * rate * this.of("ab", start, stop) + rate * rate * bb, 0);
      return upperScale(squares, bb, this.rows[stop] - this.rows[start] - 1);
    }

    // How far values scatter in a range and outside, each widened by some forty rows; never less than everybody's.
    scales(start, stop) {
      const { rows, last } = this;
      const left = Math.max(firstAbove(rows, rows[start] - 40) - 1, 0);
      const right = Math.min(firstAtLeast(rows, rows[stop] + 40), last);
      const before = Math.min(firstAtLeast(rows, rows[start] + 40), last);
      const after = Math.max(firstAbove(rows, rows[stop] - 40) - 1, 0);
      const own = Math.max(this.scatter(left, stop), this.scatter(start, right), this.band.scale);
      const rest = Math.max(start > 0 ? this.scatter(0, before) : 0, stop < last ? this.scatter(after, last) : 0,
        this.band.scale);
      return [own, rest];
    }

    // Rate and difference of a range of stretches, with their intervals; null where nobody counts.
    judge(start, stop, against) {
      const keys = ["n", "b", "a", "noise"];
      const own = Object.fromEntries(keys.map((key) => [key, this.of(key, start, stop)]));
      const all = Object.fromEntries(keys.map((key) => [key, this.sums[key][this.last]]));
      return judged(this.band, all, own, () => this.scales(start, stop), against);
    }
  }

  // Boxes of the map's cells. Of a box that cuts through cells that were joined only a share can be guessed: it says so.
  class Boxes {
    constructor(band) { this.band = band; }

    // Each side is a list of stretches of places: one along a number, several where levels are no neighbours.
    judge(across, up, against) {
      const { band } = this;
      const within = (side, low, high) => side.reduce((sum, [from, to]) => sum + Math.max(Math.min(to, high) - Math.max(from, low), 0), 0);
      const own = Object.fromEntries(Object.keys(band.sums).map((key) => [key, 0]));
      let cut = false;
      band.places.forEach(([i0, i1, j0, j1], k) => {
        const over = within(across, i0, i1) * within(up, j0, j1);
        const share = over / ((i1 - i0) * (j1 - j0));
        if (share > 0 && share < 1) cut = true;
        if (share > 0) for (const key of Object.keys(own)) own[key] += share * band.sums[key][k];
      });
      const scatter = (s) => {
        const rate = s.a / s.b, squares = Math.max(s.aa - 2 * rate * s.ab + rate * rate * s.bb, 0);
        return Math.max(upperScale(squares, s.bb, s.b * s.b / s.noise - 1), band.scale);
      };
      const outside = Object.fromEntries(Object.keys(own).map((key) => [key, band.totals[key] - own[key]]));
      const found = judged(band, band.totals, own, () => [scatter(own), scatter(outside)], against);
      return found && { ...found, cut };
    }
  }
  return { Ranges, Boxes };
})();
