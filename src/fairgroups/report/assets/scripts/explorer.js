"use strict";
// The explorer of a report: other numbers of groups, other ways to make them, other measures, and any range.
(() => {
  const source = document.getElementById("explorer-data");
  if (!source) return;
  const data = JSON.parse(source.textContent);
  const at = (id) => document.getElementById(id);
  const line = data.kind === "line";
  const state = { measure: 0, method: 0, set: 0, picked: null };
  const pictures = line
    ? { rate: new fairgroupsDraw.Line(at("rate-chart"), 330), phi: new fairgroupsDraw.Differences(at("phi-chart")) }
    : { rate: new fairgroupsDraw.Plane(at("rate-chart"), 460), phi: new fairgroupsDraw.Differences(at("phi-chart")) };
  const touched = () => { at("explore").dataset.touched = "yes"; };
  for (const one of data.measures.flatMap((m) => m.methods.flatMap((way) => way.sets))) {
    one.groups = one.groups.map((values) => Object.fromEntries(data.keys.map((key, i) => [key, values[i]])));
  }

  // Numbers as the rest of the page writes them.
  const minus = (text) => text.replace("-", "−");
  const digits = (x) => (Math.abs(x) >= 100 ? Math.round(x).toLocaleString("en-US") : Math.abs(x) >= 1 ? x.toFixed(2)
    : String(Number(x.toPrecision(3))));
  const persons = (n) => (data.unit === "people" && Math.round(n) === 1 ? "person" : data.unit);
  const people = (n) => Math.round(n).toLocaleString("en-US");
  const counting = (x) => (Math.abs(x.counted - x.n) < 1e-6 * x.n ? people(x.n) : `${people(x.counted)} of ${people(x.n)}`);
  const short = (x) => minus(String(Number(Number(x).toPrecision(data.digits))));

  const measure = () => data.measures[state.measure];
  const method = () => measure().methods[state.method];
  const shown = () => method().sets[state.set];
  const sentence = (text) => text.slice(0, 1).toUpperCase() + text.slice(1);
  const known = (x) => x !== null && Number.isFinite(x);

  function amount(x) {
    if (!known(x)) return "–";
    return minus(measure().percent ? `${(100 * x).toFixed(1)}%` : digits(x));
  }

  function points(x) {
    if (!known(x)) return x === null ? "–" : x > 0 ? "+∞" : "−∞";
    const text = measure().percent ? (100 * Math.abs(x)).toFixed(1) : digits(Math.abs(x));
    return Number(text.replaceAll(",", "")) === 0 ? text : (x < 0 ? "−" : "+") + text;
  }

  function verdict(low, high) {
    const [lower, higher] = { better: ["disadvantaged", "advantaged"], worse: ["advantaged", "disadvantaged"],
      neutral: ["lower", "higher"] }[measure().direction];
    if (high < 0) return lower;
    if (low > 0) return higher;
    return -measure().gap <= low && high <= measure().gap ? "no relevant difference" : "not enough evidence";
  }

  function segments(groups) {
    const [low, high] = data.shown;
    const out = [];
    for (const group of groups) {
      for (const [from, to] of group.parts) {
        const left = Math.max(from ?? low, low), right = Math.min(to ?? high, high);
        if (left > right || !known(group.rate)) continue;
        const tip = `${group.label}\n${sentence(measure().rate)} ${amount(group.rate)} (${amount(group.rate_low)} to ` +
          `${amount(group.rate_high)})\n${counting(group)} ${persons(group.n)}: ${group.verdict}`;
        out.push({ ...group, from: left, to: right, colour: data.colours[group.verdict], tip });
      }
    }
    return out.sort((a, b) => a.from - b.from);
  }

  function drawGroups() {
    const { groups } = shown();
    const times = measure().percent ? 100 : 1;
    const named = (group, i) => (line ? group.label : `${i + 1}: ${group.label}`);
    const rows = groups.map((group, i) => ({
      label: named(group, i), phi: times * group.phi, low: group.low === null ? null : times * group.low,
      high: group.high === null ? null : times * group.high, usual_low: times * group.usual[0], usual_high: times * group.usual[1],
      colour: data.colours[group.verdict], shape: data.shapes[group.verdict], known: known(group.phi),
      tip: `${group.label}\n${points(group.phi)} (${points(group.low)} to ${points(group.high)}): ${group.verdict}` }))
      .filter((row) => row.known);
    const own = measure().chosen.method === "audit" && state.method === 0;  // these may have a reference of their own
    const title = `Difference from ${own ? data.whom : data.against === "rest" ? "the rest" : "everybody"}`;
    pictures.phi.show({ rows, isPercent: measure().percent, title, usual: at("usual").checked });
    drawRates();
    drawTable(groups);
  }

  function drawRates() {
    const { groups } = shown();
    const common = { everyone: measure().overall, isPercent: measure().percent };
    if (!line) {
      pictures.rate.show({ ...common, cells: measure().cells, boxes: shown().boxes, axes: measure().axes, rate: sentence(measure().rate),
        colours: data.rateColours[measure().direction], unit: data.unit, margins: measure().band && measure().band.margins,
        picked: state.picked });
      return;
    }
    const drawn = segments(groups);
    const dots = measure().curve.filter((p) => p.middle >= data.shown[0] && p.middle <= data.shown[1]).map((p) => ({ ...p,
      tip: `${data.name} from ${short(p.low)} to ${short(p.high)}\n${sentence(measure().rate)} ${amount(p.rate)}, ${people(p.n)} ${persons(p.n)}` }));
    pictures.rate.show({ ...common, domain: data.shown, segments: drawn, dots, picked: state.picked, xTitle: data.name,
      borders: drawn.map((s) => s.from).filter((from) => from > data.shown[0]), yTitle: sentence(measure().rate) });
  }

  function drawTable(groups) {
    const body = at("now-groups");
    body.replaceChildren(...groups.map((group, i) => {
      const row = document.createElement("tr");
      const cells = [["Group", line ? group.label : `${i + 1}: ${group.label}`], [sentence(data.unit), counting(group)],
        [data.rateName, amount(group.rate)], ["Difference", points(group.phi)],
        [`${data.level} interval`, `${points(group.low)} to ${points(group.high)}`], ["Verdict", group.verdict]];
      cells.forEach(([name, text], j) => {
        const cell = document.createElement("td");
        cell.dataset.name = name === data.rateName ? sentence(measure().rate) : name;
        if (j === 5) {
          const mark = document.createElement("span");
          mark.className = "verdict";
          mark.style.setProperty("--colour", data.colours[group.verdict]);
          mark.textContent = text;
          cell.append(mark);
        } else {
          cell.textContent = text;
        }
        row.append(cell);
      });
      return row;
    }));
    at("now-rate").textContent = sentence(measure().rate);
    at("now-shown").textContent = `Shown: ${measure().rate}, ${groups.length} group${groups.length > 1 ? "s" : ""}` +
      `${line ? ` by ${method().name}` : ""}.` + (measure().direction === "neutral" ? "" :
      ` A higher ${measure().rate} is ${measure().direction} for a person.`);
    const colours = { "#D55E00": "orange", "#0072B2": "blue", "#009E73": "green", "#767676": "grey", "#CC79A7": "pink",
      "#7E4794": "purple" };
    at("now-colours").textContent = line ? [...new Set(groups.map((g) => g.verdict))].map((v) =>
      `${sentence(colours[data.colours[v]])}: ${v}.`).join(" ") : "";
    const size = groups.length;
    const chosen = measure().chosen;
    const isChosen = chosen.groups === size && state.method === 0;
    at("count").textContent = `${size}${isChosen ? (data.given ? " (as given)" : " (this audit’s)") : ""}`;
    at("groups").setAttribute("aria-valuetext", at("count").textContent);
    if (line) {
      const told = measure().methods.map((m) => m.sets.find((s) => s.groups.length === size) && [m.name,
        m.sets.find((s) => s.groups.length === size).variance]).filter(Boolean);
      at("captured").textContent = `Variance of Φ with ${size} group${size > 1 ? "s" : ""}: ` +
        `${told.map(([name, value]) => `${name} ${Number(value.toPrecision(3))}`).join("; ")}.`;
    }
    const own = isChosen && state.measure === 0;  // the same groups as in the table further up
    at("now-table").hidden = own;
    at("same-table").hidden = !own;
    at("rate-chart").setAttribute("aria-label", `${sentence(measure().rate)}: ` +
      groups.slice(0, 12).map((g) => `${g.label} ${amount(g.rate)}`).join("; "));
    at("phi-chart").setAttribute("aria-label", "Difference of each group: " +
      groups.slice(0, 12).map((g) => `${g.label} ${points(g.phi)}, ${g.verdict}`).join("; "));
  }

  // The sides of a box, as stretches of places of the map: one along a number, any levels of a category.
  const sides = ["x", "y"];
  let pictured = null;  // whose places the lists hold
  const lengthOf = (d) => measure().axes[d].domain[1];
  const isWhole = (side, d) => side.reduce((sum, [from, to]) => sum + to - from, 0) === lengthOf(d);
  const meets = (side, low, high) => side.some(([from, to]) => from < high && low < to);

  // Places that follow one another, as stretches.
  function stretches(places) {
    const found = [];
    for (const place of places) {
      if (found.length && found[found.length - 1][1] === place) found[found.length - 1][1] = place + 1;
      else found.push([place, place + 1]);
    }
    return found;
  }

  function sideSaid(d, side) {
    const axis = measure().axes[d];
    if (isWhole(side, d)) return "";
    if (axis.levels) {
      const [held, others] = [true, false].map((inside) => axis.levels.filter((_, i) => meets(side, i, i + 1) === inside));
      return others.length < held.length ? `${axis.name} ${others.length > 1 ? "neither" : "not"} ${others.join(" nor ")}`
        : `${axis.name} ${held.join(" or ")}`;
    }
    const [[from, to]] = side;
    const [first, last] = [from === 0 ? null : short(axis.ends[from]), to === lengthOf(d) ? null : short(axis.ends[to])];
    if (first === null) return `${axis.name} under ${last}`;
    return last === null ? `${axis.name} ${first} or over` : `${axis.name} from ${first} to under ${last}`;
  }

  function pickBox(box) {
    const told = at("picked");
    state.picked = box;
    if (box === null) {
      delete told.dataset.picked;
      told.textContent = "Drag across the map, or choose the sides of a box, to read its rate with an interval.";
    } else {
      told.dataset.picked = "yes";
      const found = measure().boxes.judge(box[0], box[1], data.against);
      const said = box.map((side, d) => sideSaid(d, side)).filter(Boolean).join(", ") || "everybody";
      const offset = measure().offset, whom = data.against === "rest" ? "the rest" : "everybody";
      const { band } = measure().boxes;
      const within = ([i, j]) => meets(box[0], i, i + 1) && meets(box[1], j, j + 1);
      const hidden = !band.hidden.some(within) ? "" : " Some cells of this box are too small to be shown: its figures are " +
        "those of the others, and its intervals are approximate.";
      told.textContent = !found ? `${sentence(said)}: nobody, or too few ${persons(2)} to be told of.`
        : found.cut ? `${sentence(said)}: this box cuts cells that were joined because few ${persons(2)} are in them, so that ` +
          `its rate cannot be told from the page. Make it larger.`
        : `${sentence(said)}: ${counting(found)} ${persons(found.n)}, ${measure().rate} ` +
          `${amount(found.rate + offset)} (${amount(found.rateLow + offset)} to ${amount(found.rateHigh + offset)}); difference ` +
          `from ${whom} ${points(found.phi)} (${points(found.low)} to ${points(found.high)}): ${verdict(found.low, found.high)}.` +
          (hidden || ` These ${data.level} intervals hold although you picked the box after looking.`);
    }
    drawRates();
  }

  const ticksOf = (d) => [...at(`${sides[d]}-levels`).querySelectorAll("input")];

  const chosenBox = () => sides.map((key, d) => (measure().axes[d].levels
    ? stretches(ticksOf(d).flatMap((tick, i) => (tick.checked ? [i] : [])))
    : [[Number(at(`${key}-from`).value), Number(at(`${key}-to`).value)]]));

  function choose(box) {
    sides.forEach((key, d) => {
      if (measure().axes[d].levels) ticksOf(d).forEach((tick, i) => { tick.checked = meets(box[d], i, i + 1); });
      else [at(`${key}-from`).value, at(`${key}-to`).value] = box[d][0].map(String);
    });
    typedBox();
  }

  function typedBox() {
    const box = chosenBox();
    if (box.every(isWhole) || box.some((side) => !side.length || side.some(([from, to]) => from >= to))) return pickBox(null);
    const picked = widened(box);
    sides.forEach((key, d) => {
      if (!measure().axes[d].levels) [at(`${key}-from`).value, at(`${key}-to`).value] = picked[d][0].map(String);
    });
    return pickBox(picked);
  }

  // The box and all of every cell that it cuts: of cells that were joined, along numbers, no part can be told.
  function widened(box) {
    const cut = measure().boxes.band.places.filter(([i0, i1, j0, j1]) => meets(box[0], i0, i1) && meets(box[1], j0, j1));
    const wider = box.map((side, d) => (measure().axes[d].levels ? side
      : [[Math.min(side[0][0], ...cut.map((p) => p[2 * d])), Math.max(side[0][1], ...cut.map((p) => p[2 * d + 1]))]]));
    return String(wider) === String(box) ? box : widened(wider);
  }

  // Lists of the ends that a box may have, levels to tick, and dragging across the map.
  function boxControls() {
    pictured = String(measure().axes.map((axis) => axis.ends));
    sides.forEach((key, d) => {
      const axis = measure().axes[d], n = lengthOf(d);
      at(`${key}-name`).textContent = axis.name;
      at(`${key}-range`).hidden = Boolean(axis.levels);
      if (axis.levels) {
        at(`${key}-levels`).replaceChildren(...axis.levels.map((level) => {
          const label = document.createElement("label"), tick = document.createElement("input");
          Object.assign(tick, { type: "checkbox", checked: true });
          tick.addEventListener("change", typedBox);
          label.append(tick, ` ${level}`);
          return label;
        }));
        return;
      }
      const from = [...Array(n).keys()].map((i) => new Option(i === 0 ? "the lowest" : short(axis.ends[i]), String(i)));
      const to = [...Array(n).keys()].map((i) => new Option(i === n - 1 ? "the highest" : `under ${short(axis.ends[i + 1])}`, String(i + 1)));
      at(`${key}-from`).replaceChildren(...from);
      at(`${key}-to`).replaceChildren(...to);
      at(`${key}-to`).value = String(n);
      for (const end of ["from", "to"]) at(`${key}-${end}`).addEventListener("change", typedBox);
    });
    at("clear").addEventListener("click", () => choose(sides.map((_, d) => [[0, lengthOf(d)]])));
    const place = at("rate-chart");
    let start = null;
    const ordered = (a, b, n) => [Math.max(Math.floor(Math.min(a, b) + 1e-9), 0), Math.min(Math.ceil(Math.max(a, b) - 1e-9), n)];
    place.addEventListener("pointerdown", (event) => { start = pictures.rate.at(event); place.setPointerCapture(event.pointerId); });
    place.addEventListener("pointermove", (event) => {
      if (start === null) return;
      const now = pictures.rate.at(event);
      const box = sides.map((_, d) => [ordered(start[d], now[d], lengthOf(d))]);
      if (box.every(([[from, to]]) => from < to)) choose(box);
    });
    const end = () => { start = null; };
    place.addEventListener("pointerup", end);
    place.addEventListener("pointercancel", end);
    pickBox(null);
  }

  function pick(from, to) {
    if (!line) return;
    const told = at("picked");
    const open = [from === null, to === null];
    let [low, high] = [open[0] ? data.ends[0] : from, open[1] ? data.ends[1] : to];
    if ((open[0] && open[1]) || Number.isNaN(low) || Number.isNaN(high)) {
      state.picked = null;
      delete told.dataset.picked;
      told.textContent = "Drag across the picture, or type the ends of a range, to read its rate with an interval.";
      drawRates();
      return;
    }
    told.dataset.picked = "yes";
    if (low > high) { [low, high] = [high, low]; open.reverse(); }
    const ranges = measure().ranges;
    const covered = ranges.covered(low, high);
    const found = covered && ranges.judge(covered[0], covered[1], data.against);
    if (!found) {
      state.picked = [Math.max(low, data.shown[0]), Math.min(high, data.shown[1])];
      told.textContent = `Nobody who counts has a value from ${short(low)} to ${short(high)}.`;
    } else {
      const first = ranges.band.first[covered[0]], last = ranges.band.last[covered[1] - 1];
      const offset = measure().offset;
      const wider = first < low || last > high ? " (the closest range around yours that this page holds)" : "";
      state.picked = [Math.max(first, data.shown[0]), Math.min(last, data.shown[1])];
      const whom = data.against === "rest" ? "the rest" : "everybody";
      const ends = open[0] ? `${short(last)} or under` : open[1] ? `${short(first)} or over` : `from ${short(first)} to ${short(last)}`;
      told.textContent = `${sentence(data.name)} ${ends}: ${counting(found)} ${persons(found.n)}${wider}, ` +
        `${measure().rate} ${amount(found.rate + offset)} (${amount(found.rateLow + offset)} to ` +
        `${amount(found.rateHigh + offset)}); difference from ${whom} ${points(found.phi)} (${points(found.low)} to ` +
        `${points(found.high)}): ${verdict(found.low, found.high)}. These ${data.level} intervals hold although you ` +
        "picked the range after looking.";
    }
    drawRates();
  }

  function typed() {
    const ends = [at("from"), at("to")].map((box) => (box.value.trim() === "" ? null : Number(box.value)));
    pick(ends[0], ends[1]);
  }

  // Dragging across the picture picks a range; the boxes follow.
  function drag() {
    const place = at("rate-chart");
    let start = null;
    const value = (event) => Math.min(Math.max(pictures.rate.at(event), data.ends[0]), data.ends[1]);
    const set = (low, high) => {
      at("from").value = Number(Math.min(low, high).toPrecision(data.digits));
      at("to").value = Number(Math.max(low, high).toPrecision(data.digits));
      typed();
    };
    place.addEventListener("pointerdown", (event) => { start = value(event); place.setPointerCapture(event.pointerId); });
    place.addEventListener("pointermove", (event) => { if (start !== null) set(start, value(event)); });
    const end = () => { start = null; };
    place.addEventListener("pointerup", end);
    place.addEventListener("pointercancel", end);
  }

  function options(box, names, chosen) {
    box.replaceChildren(...names.map((name, i) => new Option(name, String(i), i === chosen, i === chosen)));
    box.closest("label").hidden = names.length < 2;
  }

  function moveTo(size) {
    const { sets } = method();
    const order = sets.map((set) => set.groups.length);
    let best = 0;
    order.forEach((n, i) => { if (Math.abs(n - size) < Math.abs(order[best] - size)) best = i; });
    state.set = best;
    const slider = at("groups");
    slider.max = String(sets.length - 1);
    slider.value = String(best);
    slider.disabled = sets.length < 2;
    const own = state.method === 0 ? order.indexOf(measure().chosen.groups) : -1;  // a tick at the audit's own number
    at("marks").replaceChildren(...(own < 0 ? [] : [new Option("", String(own))]));
  }

  function chooseMeasure(index) {
    const [kept, size] = [method()?.name, shown()?.groups.length];
    const before = state.method;
    state.measure = index;
    state.method = Math.max(measure().methods.findIndex((m) => m.name === kept), 0);  // a scale that was chosen stays
    options(at("method"), measure().methods.map((m) => m.name), state.method);
    moveTo(before && state.method ? size : measure().chosen.groups ?? data.measures[0].chosen.groups);
    drawGroups();
    if (line) typed();
    else if (measure().boxes && String(measure().axes.map((axis) => axis.ends)) !== pictured) {  // another map, another box
      state.picked = null;
      boxControls();
      typedBox();
    } else if (measure().boxes && state.picked) pickBox(state.picked);
  }

  // What is shown, as text that an address can hold, and back.
  function written() {
    const parts = { measure: measure().name, method: method().name, groups: shown().groups.length };
    if (line) Object.assign(parts, { from: at("from").value, to: at("to").value });
    else if (state.picked) parts.box = state.picked.map((side) => side.map((ends) => ends.join("-")).join(".")).join(" ");
    return new URLSearchParams(Object.entries(parts).filter(([, value]) => value !== "")).toString();
  }

  function read(text) {
    const asked = new URLSearchParams(text);
    const m = data.measures.findIndex((one) => one.name === asked.get("measure"));
    if (m < 0) return;
    at("measure").value = String(m);
    chooseMeasure(m);
    const w = measure().methods.findIndex((one) => one.name === asked.get("method"));
    if (w >= 0) { state.method = w; at("method").value = String(w); }
    moveTo(Number(asked.get("groups")) || shown().groups.length);
    drawGroups();
    if (line) {
      at("from").value = asked.get("from") ?? "";
      at("to").value = asked.get("to") ?? "";
      typed();
    } else if (asked.get("box") && measure().boxes) {
      const box = asked.get("box").split(" ").map((side) => side.split(".").map((ends) => ends.split("-").map(Number)));
      if (box.length === 2 && box.flat().every((ends) => ends.length === 2 && ends.every(Number.isInteger))) choose(box);
    }
    touched();
    at("explore").scrollIntoView();
  }

  function take() {
    const name = data.name.replace(/[^\w]+/g, "-").slice(0, 40) || "groups";
    at("as-png").addEventListener("click", () => fairgroupsSave.png(pictures.rate.svg, `${name}.png`));
    at("as-csv").addEventListener("click", () => fairgroupsSave.csv([["group", data.unit, measure().rate, "difference", "low", "high", "verdict"],
      ...shown().groups.map((g) => [g.label, g.n, g.rate, g.phi, g.low, g.high, g.verdict])], `${name}.csv`));
    at("as-link").addEventListener("click", async () => {
      location.hash = `look=${encodeURIComponent(written())}`;
      let said = "The link is in the address bar.";
      try { await navigator.clipboard.writeText(location.href); said = "The link was copied."; } catch { /* not allowed here */ }
      at("copied").textContent = said;
    });
  }

  function listen() {
    at("explore").addEventListener("input", touched);
    at("explore").addEventListener("pointerdown", touched);
    at("measure").addEventListener("change", (event) => chooseMeasure(Number(event.target.value)));
    at("method").addEventListener("change", (event) => {
      const size = shown().groups.length;
      state.method = Number(event.target.value);
      moveTo(size);
      drawGroups();
    });
    at("groups").addEventListener("input", (event) => { state.set = Number(event.target.value); drawGroups(); });
    at("usual").addEventListener("change", drawGroups);
    at("explore-form").addEventListener("submit", (event) => event.preventDefault());
    if (line) {
      for (const box of ["from", "to"]) at(box).addEventListener("input", typed);
      at("clear").addEventListener("click", () => { at("from").value = ""; at("to").value = ""; typed(); });
      drag();
    } else {
      for (const key of sides) for (const end of ["from", "to"]) at(`${key}-${end}`).addEventListener("change", typedBox);
      at("clear").addEventListener("click", () => choose(sides.map((_, d) => [[0, lengthOf(d)]])));
    }
  }

  for (const one of data.measures) {
    if (line) one.ranges = new fairgroupsBand.Ranges(one.band);
    else if (one.band) one.boxes = new fairgroupsBand.Boxes(one.band);
  }
  const known0 = data.measures[0];
  state.set = Math.max(known0.methods[0].sets.findIndex((one) => one.groups.length === known0.chosen.groups), 0);
  options(at("measure"), data.measures.map((m) => `${sentence(m.name.replaceAll("_", " "))}: ${m.rate}`), 0);
  at("explore").hidden = false;
  at("to-explore").hidden = false;
  for (const still of document.querySelectorAll(".still")) still.hidden = true;
  listen();
  take();
  chooseMeasure(0);
  at("hero-chart").hidden = false;
  pictures.hero = line ? new fairgroupsDraw.Line(at("hero-chart"), 330) : new fairgroupsDraw.Plane(at("hero-chart"), 430);
  const ends = (data.trend ?? []).map((one) => ({ ...one, colour: data.colours[one.verdict], tip: `${one.label}\n${amount(one.rate)}` }));
  pictures.hero.show({ ...pictures.rate.data, ...(ends.length ? { segments: ends } : {}), picked: null });
  at("hero-chart").setAttribute("aria-label", at("rate-chart").getAttribute("aria-label"));
  if (location.hash.startsWith("#look=")) read(decodeURIComponent(location.hash.slice(6)));
  at("explore").dataset.ready = "yes";
})();
