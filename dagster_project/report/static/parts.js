// Brings the numbers of systems beyond the leading ones to the page when they are ticked, and finds systems in the legend.
// Belongs here: loading scripts of data/, unpacking, putting parts into charts and tables, the search box. Does not belong
// here: what the parts hold (parts.py decides that), drawing (report.js).
(function () {
  "use strict";
  const { data, drawAll, shown, fixed, scopeKey, unpack, onDraw } = window.report;
  const asked = new Set(), lost = new Set(), get = (id) => document.getElementById(id);

  const STALE = "This page is older than its data files: a refresh has replaced them. Reload the page.";
  const tell = (why) => { get("missing").textContent = why; get("missing").hidden = false; };

  // A page opened from a folder may not fetch files, but may load scripts; each calls back with its packed numbers.
  // True where the file was not asked for yet; `missing` is told each time where it can't be had.
  function load(file, missing) {
    const why = `The numbers for this choice are missing: ${file} should be in the folder of this page. Copy the report’s whole folder.`;
    if (lost.has(file)) missing(why);
    if (asked.has(file)) return false;
    asked.add(file);
    const script = document.createElement("script");
    script.src = file;
    script.onerror = () => { lost.add(file); drawAll(); };
    document.body.append(script);
    return true;
  }

  // Objects into objects or places of arrays, arrays behind arrays, anything else in its place.
  function merge(into, part) {
    for (const [key, value] of Object.entries(part)) {
      const old = into[key];
      if (Array.isArray(old) && Array.isArray(value)) old.push(...value);
      else if (old && typeof old === "object" && value && !Array.isArray(value)) merge(old, value);
      else into[key] = value;
    }
  }

  function element(tag, text = "", attributes = {}) {
    const made = document.createElement(tag);
    made.textContent = text;
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    return made;
  }

  // a row of cells as the table's others have them
  function rowOf(cells, heads) {
    const row = element("tr");
    row.append(...cells.map((text, i) => (i === 0 ? element("th", text, { scope: "row" }) : element("td", text, { class: heads[i].className || "words", "data-label": heads[i].textContent }))));
    return row;
  }

  function tableOf(label, columns, rows) {
    const box = element("div", "", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }), table = element("table"), head = element("tr"), body = element("tbody");
    head.append(...columns.map((name, i) => element("th", name, { scope: "col", ...(i ? { class: "number" } : {}) })));
    body.append(...rows.map((cells) => rowOf(cells, head.children)));
    table.append(element("thead"), body);
    table.tHead.append(head);
    box.append(table);
    return box;
  }

  // hidden again when the system is no longer ticked
  const mark = (made, index) => { made.dataset.ofSystem = index; return made; };
  // in the order of systems, whichever file comes first
  const put = (box, made, index) => box.insertBefore(mark(made, index), [...box.children].find((other) => Number(other.dataset.ofSystem) > index) || null);

  function take(index, part) {
    for (const [id, chart] of Object.entries(part.charts || {})) {
      if (!data.charts[id]) put(get("correlations"), figure(id, chart), index);
      merge(data.charts, { [id]: chart });
    }
    for (const [key, rows] of Object.entries(part.rows || {})) {
      const table = document.querySelector(`[data-table="${key}"]`);
      if (table) for (const cells of rows) put(table.tBodies[0], rowOf(cells, table.tHead.rows[0].children), index);
    }
    if (part.block) {
      const details = element("details", "", { class: "numbers" });
      details.append(element("summary", part.block.title), tableOf(part.block.title, part.block.columns, part.block.rows));
      put(get("blocks"), details, index);
    }
    if (part.choice) addChoice(part.choice);
  }

  function figure(id, chart) {
    const made = element("figure");
    made.append(element("h3", chart.title), element("div", "", { class: "chart", "data-chart": id, role: "img", "aria-label": chart.title }));
    return made;
  }

  function addChoice({ key, label, finding, columns, rows }) {
    const selector = get("scope"), hidden = key === selector.value ? {} : { hidden: "" }, of = { "data-for-scope": key, ...hidden };
    selector.append(element("option", label, { value: key }));
    get("findings").append(element("p", finding, { class: "finding", ...of }));
    const box = element("div", "", of);
    box.append(element("p", label, { class: "scope-name" }), tableOf(label, columns, rows));
    get("choices").append(box);
  }

  let n_awaited = 0; // drawn once, when all have come

  window.report.part = async (refresh, index, text) => {
    if (refresh !== data.refresh) tell(STALE);
    else {
      const part = JSON.parse(await unpack(text))[data.page];
      if (part) take(index, part);
    }
    n_awaited -= 1;
    if (n_awaited <= lost.size) drawAll();
  };

  // Tables with a column a system: those of ticked systems that stand in no column of the page itself.
  function fillColumns(on) {
    const more = data.systems.map((s, i) => i).filter((i) => i >= data.leading && on.has(String(i)));
    for (const table of document.querySelectorAll("[data-table^='columns-']")) {
      const box = table.closest("[data-for-scope]"), key = box ? box.dataset.forScope : "";
      const picture = data.charts[table.dataset.table.slice("columns-".length)].scopes[key];
      for (const cell of table.querySelectorAll("[data-of-system]")) cell.remove();
      if (box && key !== scopeKey()) continue;
      for (const i of more) {
        const estimates = picture.values[i];
        if (!estimates) continue;
        table.tHead.rows[0].append(mark(element("th", data.systems[i].name, { scope: "col", class: "number" }), i));
        [...table.tBodies[0].rows].forEach((row, r) => {
          const e = estimates[r], none = picture.withheld && picture.withheld[r] ? "withheld" : "–";
          row.append(mark(element("td", e ? `${fixed(e[0])}\n(${fixed(e[1])} to ${fixed(e[2])})` : none, { class: "number" }), i));
        });
      }
    }
  }

  const find = get("find"), labels = [...document.querySelectorAll("#legend label[data-developer]")];
  const box = (label) => label.querySelector("input");
  const words = labels.map((label) => (label.textContent + " " + label.dataset.developer).toLowerCase());

  // Found are those whose name or developer holds every word; without a search the leading ones and the ticked.
  function sift() {
    if (!find) return;
    const wanted = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    const hit = labels.map((_, i) => wanted.every((word) => words[i].includes(word)));
    labels.forEach((label, i) => { label.hidden = wanted.length ? !hit[i] : i >= data.leading && !box(label).checked; });
    const n = hit.filter(Boolean).length;
    get("found").textContent = wanted.length ? `${n} found` : "";
    get("only").disabled = !wanted.length || !n || n > 24;
  }

  if (find) {
    find.addEventListener("input", sift);
    get("only").addEventListener("click", () => {
      for (const label of labels) box(label).checked = !label.hidden;
      drawAll();
    });
    sift();
  }

  onDraw((on) => {
    sift();
    if (!data.page) return;
    for (const id of on) {
      const index = Number(id);
      if (index >= data.leading && load(`data/system-${index}.js`, tell)) n_awaited += 1;
    }
    for (const made of document.querySelectorAll("[data-of-system]")) made.hidden = !on.has(made.dataset.ofSystem);
    fillColumns(on);
  });

  Object.assign(window.report, { load, STALE });
})();
