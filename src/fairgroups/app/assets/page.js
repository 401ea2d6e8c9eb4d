"use strict";
// The local page: a table is dropped, columns are chosen, the report is made and shown.
(() => {
  const at = (id) => document.getElementById(id);
  const state = { table: null, columns: [], job: null, turn: 0 };  // turn: what was asked last; answers to earlier ones are late
  const marked = (column) => column.protected && column.protected.toLowerCase() !== column.name.toLowerCase();
  const count = (n) => Number(n).toLocaleString("en-US");

  async function ask(path, options) {
    const answer = await fetch(path, options);
    const told = await answer.json().catch(() => ({ error: "The program behind this page does not answer any more." }));
    if (!answer.ok) throw new Error([told.error, told.hint && `Hint: ${told.hint}`].filter(Boolean).join("\n"));
    return told;
  }

  function wrong(error) {
    at("report").hidden = false;
    at("wrong").hidden = !error;
    at("wrong").textContent = error ? error.message : "";
    if (error) at("wrong").scrollIntoView({ block: "nearest" });
  }

  function element(tag, text, name) {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (name) made.className = name;
    return made;
  }

  async function dropped(file) {
    wrong(null);
    at("report").hidden = true;
    at("reading").hidden = false;
    at("reading").textContent = `Reading ${file.name} …`;
    const turn = ++state.turn;
    try {
      const { table } = await ask("tables", { method: "POST", headers: { "x-name": encodeURIComponent(file.name) }, body: file });
      if (turn !== state.turn) return;
      state.table = table;
      at("sheet").value = at("na").value = at("decimal").value = "";
      await look();
    } catch (error) { if (turn === state.turn) { wrong(error); at("reading").hidden = true; } }
  }

  async function look() {
    const turn = ++state.turn;
    const asked = new URLSearchParams(["sheet", "na", "decimal"].map((id) => [id, at(id).value.trim()]).filter(([, value]) => value));
    at("reading").hidden = false;
    try {
      const told = await ask(`tables/${state.table}?${asked}`);
      if (turn !== state.turn) return;
      show(told);
      wrong(null);
      at("report").hidden = true;
    } catch (error) {
      if (turn === state.turn) { wrong(error); at("table").hidden = false; at("how").open = true; }
    } finally { if (turn === state.turn) at("reading").hidden = true; }
  }

  function show(told) {
    state.columns = told.columns;
    at("drop").classList.add("small");
    at("file-label").textContent = "Another table? Drop it here, or choose one";
    at("about").textContent = `${told.name}: ${count(told.rows)} rows, ${count(told.columns.length)} columns.`;
    at("told").replaceChildren(...told.told.map((line) => element("li", line)));
    at("columns-said").textContent = `The ${told.columns.length} columns`;
    at("columns").replaceChildren(...told.columns.map((column) => {
      const row = element("tr");
      const name = element("td", column.name);
      if (marked(column)) name.append(element("span", column.protected, "mark"));
      const said = [column.values, column.told].filter(Boolean).join(". ");
      row.append(name, element("td", column.kind), element("td", `${count(column.distinct)} different${said ? `: ${said}` : ""}`),
        element("td", column.examples.join(", ")), element("td", column.missing ? count(column.missing) : "–"));
      return row;
    }));
    choices();
    at("table").hidden = at("question").hidden = false;
  }

  function fill(id, columns, first) {
    at(id).replaceChildren(...(first === null ? [] : [new Option(first, "")]), ...columns.map((column) =>
      new Option(column.name + (marked(column) ? ` (${column.protected})` : ""), column.name)));
  }

  // Columns that look protected come first where people are told apart; nothing is chosen by a name.
  function choices() {
    const usable = state.columns.filter((column) => column.distinct > 1 && column.kind !== "empty");
    const people = usable.filter((column) => ["number", "category"].includes(column.kind));
    const sorted = [...people].sort((a, b) => Boolean(b.protected) - Boolean(a.protected));
    fill("sensitive", sorted, "choose a column");
    fill("second", sorted, "nothing else");
    fill("outcome", people, "choose a column");
    fill("truth", people.filter((column) => column.few), "not known");
    fill("by", usable.filter((column) => column.distinct <= 60 || column.kind === "date"), "none");
    at("given").replaceChildren(...people.map((column) => {
      const label = element("label");
      const box = element("input");
      box.type = "checkbox";
      box.value = column.name;
      label.append(box, ` ${column.name}`);
      return label;
    }));
    chosen();
  }

  const column = (id) => state.columns.find((one) => one.name === at(id).value);

  function chosen() {
    const outcome = column("outcome"), sensitive = column("sensitive");
    const said = (one) => (one ? `${count(one.distinct)} values, such as ${one.examples.slice(0, 4).join(", ")}` : "");
    at("sensitive-hint").textContent = said(sensitive);
    at("outcome-hint").textContent = said(outcome);
    const labels = outcome && outcome.few && outcome.kind === "category";
    const codes = outcome && outcome.few && outcome.kind === "number" && !outcome.examples.every((x) => ["0", "1", "0.0", "1.0"].includes(x));
    at("positive-box").hidden = !labels;
    if (labels) {
      const kept = at("positive").value;
      at("positive").replaceChildren(new Option("as its words say (yes, ja, oui …)", ""), ...outcome.examples.map((x) => new Option(x, x)));
      at("positive").value = outcome.examples.includes(kept) ? kept : "";
    }
    at("threshold-box").hidden = !(outcome && outcome.kind === "number" && (!outcome.few || codes));
  }

  async function make(event) {
    event.preventDefault();
    const second = at("second").value;
    const asked = { table: state.table, sensitive: [at("sensitive").value, ...(second ? [second] : [])], outcome: at("outcome").value,
      favourable: document.querySelector("input[name=favourable]:checked").value, missing: at("missing").value,
      given: [...document.querySelectorAll("#given input:checked")].map((box) => box.value) };
    if (!at("positive-box").hidden) asked.positive = at("positive").value;
    if (!at("threshold-box").hidden) asked.threshold = at("threshold").value;
    for (const id of ["truth", "by", "title"]) if (at(id).value.trim()) asked[id] = at(id).value.trim();
    if (at("scales").value.trim()) asked.scales = [`law=${at("scales").value.replaceAll(" ", "")}`];
    at("report").hidden = at("working").hidden = false;
    at("done").hidden = true;
    at("make").disabled = true;
    at("doing").textContent = "Working …";
    at("bar").removeAttribute("value");
    wrong(null);
    at("report").scrollIntoView({ block: "nearest" });
    try {
      state.job = (await ask("jobs", { method: "POST", body: JSON.stringify(asked) })).job;
      await follow();
    } catch (error) { wrong(error); } finally { at("working").hidden = true; at("make").disabled = false; }
  }

  async function follow() {
    for (;;) {
      const told = await ask(`jobs/${state.job}`);
      if (told.state === "running") {
        at("doing").textContent = `${told.doing} …`;
        if (told.share !== null) at("bar").value = told.share;
        await new Promise((next) => setTimeout(next, 250));
        continue;
      }
      if (told.state === "stopped") throw new Error("Stopped. Nothing was made.");
      if (told.state === "failed") throw new Error(told.said);
      finished(told);
      return;
    }
  }

  function finished(told) {
    const names = { html: "Save the report", json: "Save as JSON", markdown: "Save as Markdown", csv: "Save the groups (CSV)" };
    at("downloads").replaceChildren(...Object.entries(told.outputs).map(([kind, name]) => {
      const link = element("a", names[kind], "button");
      link.href = `jobs/${state.job}/${name}?save`;
      link.download = name;
      return link;
    }));
    const open = element("a", "Open in a tab of its own", "button");
    open.href = `jobs/${state.job}/${told.outputs.html}`;
    open.target = "_blank";
    open.rel = "noopener";
    at("downloads").append(open);
    at("command").textContent = told.command;
    at("page").src = `jobs/${state.job}/${told.outputs.html}`;
    at("done").hidden = false;
    at("report").scrollIntoView();
  }

  at("file").addEventListener("change", () => { if (at("file").files[0]) dropped(at("file").files[0]); });
  for (const name of ["dragover", "dragleave", "drop"]) {
    document.addEventListener(name, (event) => {
      event.preventDefault();
      at("drop").classList.toggle("over", name === "dragover");
      if (name === "drop" && event.dataTransfer.files[0]) dropped(event.dataTransfer.files[0]);
    });
  }
  at("again").addEventListener("click", look);
  at("form").addEventListener("change", chosen);
  at("form").addEventListener("submit", make);
  at("stop").addEventListener("click", () => { if (state.job) ask(`jobs/${state.job}/stop`, { method: "POST" }).catch(wrong); });
  ask("start").then((told) => {
    at("file").accept = told.endings.join(",");
    if (told.table && !state.turn) { state.table = told.table; look(); }
  }).catch(wrong);
})();
