// Draws the charts of one page from the JSON in #report-data, and keeps selector, legend and tables in step.
// Belongs here: drawing and switching. Does not belong here: any number or order (charts.py decides those), systems beyond
// the leading ones (parts.js), charts of one page only (map.js, policy.js, which add themselves to report.draw).
(function () {
  "use strict";
  const data = JSON.parse(document.getElementById("report-data").textContent);
  const selector = document.getElementById("scope");
  const SYMBOLS = ["circle", "square", "triangle-up", "pentagon", "triangle-down", "x", "star", "cross"];
  const OUTLINES = [
    "M12 3a5 5 0 1 0 .01 0Z", "M7.5 3.5h9v9h-9Z", "M12 2.5l6 10.5H6Z", "M12 2.5l5.6 4.1-2.1 6.6h-7L6.4 6.6Z",
    "M12 13.5L6 3h12Z", "M8.5 2L12 5.5 15.5 2 18 4.5 14.5 8 18 11.5 15.5 14 12 10.5 8.5 14 6 11.5 9.5 8 6 4.5Z", "M12 2l1.8 4h4.2l-3.4 2.8 1.3 4.4L12 10.6l-3.9 2.6 1.3-4.4L6 6h4.2Z", "M10.3 2.5h3.4v3.8h3.8v3.4h-3.8v3.8h-3.4V9.7H6.5V6.3h3.8Z",
  ];
  const INK = "#1b1f24";
  const FONT = { family: 'system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif', size: 15, color: INK };
  const CONFIG = { displayModeBar: false, displaylogo: false, scrollZoom: false, doubleClick: false };
  const POOLED = { name: "Average of all systems", style: { colour: "#000000" } };

  // Plotly reads a small HTML in its texts: names must arrive there as plain text.
  const plain = (s) => String(s).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const fixed = (v) => (v === null ? "–" : v.toFixed(2).replace(/^-(?=0\.00$)/, "").replace("-", "−"));
  const estimate = (e, interval = "95 % interval") => fixed(e[0]) + (e[1] === null ? "" : ` (${interval} ${fixed(e[1])} to ${fixed(e[2])})`);
  const share = (v) => (v === null ? "–" : (100 * v).toFixed(1) + " %");

  function wrap(s, width) {
    const lines = [""];
    for (const word of String(s).split(/\s+/)) {
      const piece = word.length > width ? word.slice(0, width - 1) + "…" : word;
      if (lines[lines.length - 1] && (lines[lines.length - 1] + " " + piece).length > width) lines.push("");
      lines[lines.length - 1] += (lines[lines.length - 1] ? " " : "") + piece;
    }
    if (lines.length > 3) lines.splice(2, lines.length, lines[2] + "…");
    return lines.map(plain).join("<br>");
  }

  const scopeKey = () => (selector ? selector.value : "");
  const shown = () => new Set([...document.querySelectorAll("[data-system]")].filter((b) => b.checked).map((b) => b.dataset.system));
  const isNarrow = (div) => div.clientWidth < 560;
  const rowsOf = (chart, picture) => picture.rows || chart.rows;
  const rowLabels = (chart, picture, narrow) => rowsOf(chart, picture).map((r, i) => wrap(r + (picture.thin[i] ? " *" : ""), narrow ? 17 : 30));

  function base(div, height) {
    return {
      width: div.clientWidth, height, font: FONT, paper_bgcolor: "#fff", plot_bgcolor: "#fff", showlegend: false, dragmode: false,
      margin: { l: 10, r: 14, t: 40, b: 50 }, hoverlabel: { bgcolor: "#fff", bordercolor: INK, font: { ...FONT, size: 14 }, align: "left", namelength: 0 },
    };
  }

  function rowAxis(labels) {
    return {
      range: [labels.length - 0.5, -0.5], tickmode: "array", tickvals: labels.map((_, i) => i), ticktext: labels,
      automargin: true, fixedrange: true, showgrid: false, zeroline: false, ticks: "", ticklabelstandoff: 6,
    };
  }

  const bands = (n) => [...Array(n).keys()].filter((i) => i % 2 === 0).map((i) => ({
    type: "rect", xref: "paper", x0: 0, x1: 1, yref: "y", y0: i - 0.5, y1: i + 0.5, fillcolor: "#f1f4f7", line: { width: 0 }, layer: "below",
  }));

  function dots(div, chart) {
    const narrow = isNarrow(div), picture = chart.scopes[scopeKey()], on = shown(), names = rowsOf(chart, picture);
    const series = data.systems.map((s, i) => ({ ...s, values: picture.values[i] || [], doubts: (picture.doubts && picture.doubts[i]) || [], id: String(i) }));
    if (picture.pooled) series.push({ ...POOLED, values: picture.pooled, doubts: [], id: "pooled" });
    const drawn = series.filter((s) => on.has(s.id));
    const labels = rowLabels(chart, picture, narrow);
    // On narrow screens the row's name stands above its marks, so that the marks get the whole width.
    const above = names.map((r, i) => wrap(r + (picture.thin[i] ? " *" : ""), 40));
    const title = narrow ? 8 + 18 * Math.max(1, ...above.map((r) => r.split("<br>").length)) : 0, perRow = Math.max(40, drawn.length * 11 + 16) + title;
    const step = (0.9 * (perRow - title)) / perRow / Math.max(drawn.length, 1), shift = title / 2 / perRow;
    const traces = drawn.map((s, k) => {
      const rows = names.map((_, i) => i).filter((i) => s.values[i]), at = rows.map((i) => s.values[i]);
      const pooled = s.id === "pooled";
      return {
        type: "scatter", mode: "markers", name: plain(s.name), xaxis: "x", x: at.map((e) => e[0]),
        y: rows.map((i) => i + shift + (k - (drawn.length - 1) / 2) * step),
        error_x: {
          type: "data", symmetric: false, array: at.map((e) => (e[2] === null ? 0 : e[2] - e[0])),
          arrayminus: at.map((e) => (e[1] === null ? 0 : e[0] - e[1])), thickness: pooled ? 2.5 : 2, width: 0, color: s.style.colour,
        },
        marker: {
          color: s.style.colour, size: pooled ? 11 : 9, line: { width: 1.5, color: s.style.colour },
          symbol: rows.map((i) => (pooled ? "diamond" : SYMBOLS[s.style.symbol]) + (picture.thin[i] || s.doubts[i] ? "-open" : "")),
        },
        hoverinfo: "text",
        text: rows.map((i) => `<b>${wrap(s.name, 34)}</b><br>${wrap(names[i], 34)}${picture.thin[i] ? " (fewer than 5 respondents)" : ""}<br>${estimate(s.values[i], chart.interval)}${s.doubts[i] ? "<br>" + wrap(s.doubts[i], 34) : ""}`),
      };
    });
    const empty = names.map((_, i) => i).filter((i) => !series.some((s) => s.values[i]));
    const axis = { range: chart.range, fixedrange: true, gridcolor: "#d5dbe1", zeroline: false, nticks: narrow ? 5 : 10, tickfont: { size: 14 } };
    return Plotly.react(div, [...traces, { type: "scatter", x: [null], y: [null], xaxis: "x2", hoverinfo: "skip", showlegend: false }], {
      ...base(div, 110 + perRow * names.length), hovermode: "closest", shapes: bands(names.length), yaxis: { ...rowAxis(labels), showticklabels: !narrow },
      xaxis: { ...axis, title: { text: plain(chart.x_title), font: { size: narrow ? 14 : 15 } } },
      xaxis2: { ...axis, overlaying: "x", matches: "x", side: "top", showgrid: false },
      annotations: [
        ...empty.map((i) => ({ x: 0.02, xref: "paper", xanchor: "left", y: i + shift, text: picture.withheld && picture.withheld[i] ? "withheld: too few respondents" : "no estimate", showarrow: false, font: { size: 14, color: "#4d5661" } })),
        ...(narrow ? above : []).map((r, i) => ({
          x: 0, xref: "paper", xanchor: "left", align: "left", y: i - 0.5, yanchor: "top", text: `<b>${r}</b>`, showarrow: false, font: { size: 14 },
        })),
      ],
    }, CONFIG);
  }

  function bars(div, chart) {
    const narrow = isNarrow(div), picture = chart.scopes[scopeKey()], names = rowsOf(chart, picture);
    const rows = names.map((_, i) => i);
    const label = (i) => picture.why[i] || `${fixed(picture.values[i])}  <span style="color:#4d5661">n ${picture.n[i]}</span>`;
    return Plotly.react(div, [{
      type: "bar", orientation: "h", y: rows, x: picture.values.map((v) => (v === null ? 0 : v)), width: 0.66,
      marker: { color: picture.thin.map((t) => (t ? "#b5d5ea" : "#0072B2")), line: { color: "#0072B2", width: 1 } },
      text: rows.map(label), textposition: "outside", cliponaxis: false, textfont: { size: 14 }, hoverinfo: "text",
      hovertext: rows.map((i) => `<b>${wrap(names[i], 34)}</b><br>importance ${fixed(picture.values[i])}, selected by ${picture.n[i]}`),
    }], {
      ...base(div, 80 + 34 * names.length), margin: { l: 10, r: narrow ? 60 : 90, t: 8, b: 50 }, yaxis: rowAxis(rowLabels(chart, picture, narrow)),
      xaxis: { range: chart.range, fixedrange: true, gridcolor: "#d5dbe1", zeroline: false, nticks: narrow ? 4 : 8, title: { text: chart.x_title, font: { size: 15 } } },
    }, CONFIG);
  }

  function heat(div, chart) {
    const narrow = div.clientWidth < 760, picture = chart.scopes[scopeKey()], names = rowsOf(chart, picture);
    const columns = chart.columns.map((c) => (narrow ? plain(c.key) : wrap(c.name, 24)));
    const top = chart.is_brief ? 64 : narrow ? Math.max(64, 9 * Math.max(...chart.columns.map((c) => c.key.length))) : 190;
    const cells = narrow ? [] : picture.values.map((row) => row.map((v) => (v === null ? "" : v.toFixed(chart.digits))));
    return Plotly.react(div, [{
      type: "heatmap", z: picture.values, x: chart.columns.map((_, i) => i), y: names.map((_, i) => i), zmin: chart.range[0], zmax: chart.range[1], reversescale: chart.is_low_best,
      colorscale: [[0, "#f7fbff"], [0.25, "#c6dbef"], [0.5, "#6baed6"], [0.75, "#2171b5"], [1, "#08306b"]], xgap: 1, ygap: 1,
      hoverongaps: false, hoverinfo: "text", text: cells, texttemplate: narrow ? undefined : "%{text}", textfont: { size: 13 },
      hovertext: picture.values.map((row, i) => row.map((v, j) => `<b>${wrap(names[i], 34)}</b><br>${wrap(chart.columns[j].name, 34)}: ${v === null ? "–" : v.toFixed(1)} ${chart.unit}`)),
      colorbar: { orientation: "h", y: 0, yanchor: "top", ypad: 14, thickness: 14, len: 1, x: 0.5, title: { text: plain(chart.title), side: "top", font: { size: 14 } }, tickfont: { size: 14 }, outlinewidth: 0 },
    }], {
      ...base(div, (narrow || chart.is_brief ? 126 : 140) + top + 30 * names.length), margin: { l: 10, r: 14, t: top, b: 80 },
      yaxis: rowAxis(rowLabels(chart, picture, isNarrow(div))),
      xaxis: { side: "top", tickmode: "array", tickvals: chart.columns.map((_, i) => i), ticktext: columns, tickangle: chart.is_brief ? 0 : -90, fixedrange: true, showgrid: false, zeroline: false, ticks: "", tickfont: { size: 14 } },
    }, CONFIG);
  }

  function radar(div, chart) {
    const narrow = div.clientWidth < 400, on = shown();
    const theta = chart.axes.map((a) => (narrow ? plain(a.key) : wrap(a.name, 14)));
    const traces = chart.members.map((m, k) => ({ m, s: data.systems[m], v: chart.values[k] })).filter((t) => on.has(String(t.m))).map(({ s, v }) => ({
      type: "scatterpolar", mode: "lines+markers", name: plain(s.name), r: [...v, v[0]], theta: [...theta, theta[0]], hoverinfo: "text",
      text: [...v, v[0]].map((x, i) => `<b>${wrap(s.name, 34)}</b><br>${wrap(chart.axes[i % v.length].name, 34)}: ${fixed(x)}`),
      line: { color: s.style.colour, width: 2.5 }, marker: { color: s.style.colour, size: 8, symbol: SYMBOLS[s.style.symbol] },
    }));
    const margin = narrow ? 48 : 92;
    return Plotly.react(div, traces, {
      ...base(div, Math.min(div.clientWidth, 460) - (narrow ? 0 : 40)), margin: { l: margin, r: margin, t: narrow ? 36 : 58, b: narrow ? 36 : 58 },
      polar: {
        bgcolor: "#fff", angularaxis: { type: "category", categoryarray: theta, direction: "clockwise", rotation: 90, gridcolor: "#d5dbe1", linecolor: "#8b95a1", tickfont: { size: narrow ? 14 : 13 } },
        radialaxis: { range: chart.range, gridcolor: "#d5dbe1", linecolor: "#8b95a1", nticks: 5, tickfont: { size: 12, color: "#4d5661" }, angle: 90, tickangle: 90 },
      },
    }, CONFIG);
  }

  function points(div, chart) {
    const narrow = isNarrow(div), on = shown(), drawn = chart.series.filter((s) => on.has(String(s.system)));
    const axis = { fixedrange: true, gridcolor: "#d5dbe1", zeroline: false, nticks: narrow ? 4 : 7, tickfont: { size: 14 }, automargin: true };
    const shares = chart.has_diagonal ? { tickformat: ".0%" } : {};
    const traces = drawn.map((t) => {
      const s = data.systems[t.system];
      return {
        type: "scatter", mode: chart.has_lines ? "lines+markers" : "markers", name: plain(s.name), x: t.x, y: t.y, hoverinfo: "text",
        text: t.labels.map((l, i) => `<b>${wrap(s.name, 34)}</b><br>${wrap(l, 34)}<br>${t.low ? estimate([t.y[i], t.low[i], t.high[i]]) : `${chart.x_name || "predicted"} ${fixed(t.x[i])}, ${chart.y_name || "observed"} ${fixed(t.y[i])}`}`),
        line: { color: s.style.colour, width: 2 },
        marker: { color: s.style.colour, size: 9, line: { width: 1.5, color: s.style.colour }, symbol: t.x.map((_, i) => SYMBOLS[s.style.symbol] + (t.hollow && t.hollow[i] ? "-open" : "")) },
        ...(t.low ? { error_y: { type: "data", symmetric: false, array: t.y.map((y, i) => t.high[i] - y), arrayminus: t.y.map((y, i) => y - t.low[i]), thickness: 2, width: 0, color: s.style.colour } } : {}),
      };
    });
    return Plotly.react(div, traces, {
      ...base(div, Math.max(300, Math.min(div.clientWidth * 0.75, 480))), margin: { l: 60, r: 18, t: 12, b: 56 }, hovermode: "closest",
      xaxis: { ...axis, ...shares, type: chart.x_type || "linear", ...(chart.x_range ? { range: chart.x_range } : {}), title: { text: plain(chart.x_title), font: { size: 14 } } },
      yaxis: { ...axis, ...shares, range: chart.y_range, title: { text: plain(chart.y_title), font: { size: 14 } } },
      shapes: chart.has_diagonal ? [{ type: "line", x0: 0, y0: 0, x1: 1, y1: 1, layer: "below", line: { color: "#4d5661", width: 1.5, dash: "dash" } }] : [],
      annotations: traces.length ? [] : [{ text: "No ticked system has data here", showarrow: false, x: 0.5, y: 0.5, xref: "paper", yref: "paper", bgcolor: "#fff" }],
    }, CONFIG);
  }

  function correlation(div, chart) {
    const narrow = div.clientWidth < 400, at = chart.axes.map((_, i) => i), keys = chart.axes.map((a) => plain(a.key));
    const named = (i) => wrap(chart.axes[i].name, 34);
    return Plotly.react(div, [{
      type: "heatmap", z: chart.values, x: at, y: at, zmin: -1, zmax: 1, xgap: 1, ygap: 1, hoverongaps: false, hoverinfo: "text", showscale: false,
      colorscale: [[0, "#b35806"], [0.25, "#fdb863"], [0.5, "#f7f7f7"], [0.75, "#92c5de"], [1, "#2166ac"]],
      text: chart.values.map((row) => row.map((v) => (v === null ? "" : fixed(v)))), texttemplate: "%{text}", textfont: { size: narrow ? 11 : 13 },
      hovertext: chart.values.map((row, i) => row.map((v, j) => `${named(i)}<br>${named(j)}: ${fixed(v)}`)),
    }], {
      ...base(div, Math.min(div.clientWidth, 440)), margin: { l: 10, r: 14, t: 30, b: 10 },
      yaxis: rowAxis(keys),
      xaxis: { side: "top", tickmode: "array", tickvals: at, ticktext: keys, fixedrange: true, showgrid: false, zeroline: false, ticks: "", tickfont: { size: 13 } },
    }, CONFIG);
  }

  const OUTSIDE = { color: "#D55E00", symbol: "x" };
  const SHARE_AXIS = { range: [-0.04, 1.04], tickformat: ".0%", fixedrange: true, gridcolor: "#d5dbe1", zeroline: false, tickfont: { size: 13 } };

  function curve(div, chart) {
    const p = chart.scopes[scopeKey()];
    if (!p) return Plotly.purge(div);
    const s = data.systems[chart.systems[scopeKey()]], at = p.level;
    return Plotly.react(div, [
      {
        type: "scatter", mode: "lines", x: at, y: p.predicted, hoverinfo: "skip", line: { color: "#4d5661", width: 1.5, dash: "dash" },
        error_y: { type: "data", symmetric: false, array: at.map((_, i) => p.q975[i] - p.predicted[i]), arrayminus: at.map((_, i) => p.predicted[i] - p.q025[i]), thickness: 6, width: 0, color: "#b9c1ca" },
      },
      {
        type: "scatter", mode: "markers", name: plain(s.name), x: at, y: p.observed, hoverinfo: "text",
        marker: { size: 9, color: p.outside.map((o) => (o ? OUTSIDE.color : s.style.colour)), symbol: p.outside.map((o) => (o ? OUTSIDE.symbol : SYMBOLS[s.style.symbol])) },
        text: at.map((l, i) => `<b>${wrap(s.name, 34)}</b><br>level ${l}, ${p.n_items[i].toLocaleString("en")} items<br>observed ${share(p.observed[i])}<br>predicted ${share(p.predicted[i])} (${share(p.q025[i])} to ${share(p.q975[i])})`),
      },
    ], {
      ...base(div, 260), margin: { l: 52, r: 10, t: 8, b: 44 }, hovermode: "closest", yaxis: SHARE_AXIS,
      xaxis: { range: [-0.4, 5.4], dtick: 1, fixedrange: true, showgrid: false, zeroline: false, title: { text: "Demand level", font: { size: 13 } }, tickfont: { size: 13 } },
      annotations: at.length ? [] : [{ text: "No items demand this dimension", showarrow: false, x: 0.5, y: 0.5, xref: "paper", yref: "paper" }],
    }, CONFIG);
  }

  function coverage(div, chart) {
    const narrow = isNarrow(div), rows = chart.rows.map((_, i) => i), marks = [], shapes = bands(chart.rows.length);
    const place = (i, k) => i + (k - (chart.levels.length - 1) / 2) * 0.28;
    chart.levels.forEach((level, k) => rows.forEach((i) => {
      const e = chart.values[k][i];
      if (!e) return;
      shapes.push({ type: "rect", x0: e[1], x1: e[2], y0: place(i, k) - 0.11, y1: place(i, k) + 0.11, fillcolor: "#c3cad2", line: { width: 0 }, layer: "below" });
      marks.push({ x: e[0], y: place(i, k), row: i, level, low: e[1], high: e[2], outside: e[0] < e[1] || e[0] > e[2] });
    }));
    for (const level of chart.levels) shapes.push({ type: "line", x0: level, x1: level, yref: "paper", y0: 0, y1: 1, layer: "below", line: { color: "#4d5661", width: 1, dash: "dash" } });
    const axis = { ...SHARE_AXIS, range: chart.range, tickmode: "array", tickvals: chart.levels };
    return Plotly.react(div, [{
      type: "scatter", mode: "markers", x: marks.map((m) => m.x), y: marks.map((m) => m.y), hoverinfo: "text",
      marker: { size: 10, color: marks.map((m) => (m.outside ? OUTSIDE.color : "#0072B2")), symbol: marks.map((m) => (m.outside ? OUTSIDE.symbol : "circle")) },
      text: marks.map((m) => `<b>${wrap(chart.rows[m.row], 34)}</b><br>${100 * m.level} % intervals contain the true level in ${share(m.x)} of fits<br>expected ${share(m.low)} to ${share(m.high)}`),
    }], {
      ...base(div, 90 + 52 * chart.rows.length), margin: { l: 10, r: 14, t: 10, b: 54 }, hovermode: "closest", shapes,
      yaxis: rowAxis(chart.rows.map((r) => wrap(r, narrow ? 17 : 30))), xaxis: { ...axis, showgrid: false, title: { text: "Share of fits whose interval contains the true level", font: { size: narrow ? 13 : 15 } } },
    }, CONFIG);
  }

  function ranks(div, chart) {
    const n = chart.bin.length;
    const band = { type: "rect", xref: "paper", x0: 0, x1: 1, y0: chart.expected_low[0], y1: chart.expected_high[0], fillcolor: "#d5dbe1", line: { width: 0 }, layer: "below" };
    return Plotly.react(div, [{
      type: "bar", x: chart.bin, y: chart.n_fits, width: 0.8, marker: { color: chart.n_fits.map((f, i) => (f < chart.expected_low[i] || f > chart.expected_high[i] ? OUTSIDE.color : "#0072B2")) },
      hoverinfo: "text", hovertext: chart.n_fits.map((f, i) => `bin ${chart.bin[i]} of ${n}: ${f} fits<br>expected ${chart.expected_low[i]} to ${chart.expected_high[i]}`),
    }], {
      ...base(div, 210), margin: { l: 40, r: 34, t: 8, b: 44 }, shapes: n ? [band] : [],
      xaxis: { range: [0.4, n + 0.6], tickmode: "array", tickvals: [1, n], ticktext: ["lowest", "highest"], ticklabelstandoff: 5, fixedrange: true, showgrid: false, title: { text: "Rank of the true level", font: { size: 13 } }, tickfont: { size: 13 } },
      yaxis: { range: [0, chart.top], fixedrange: true, gridcolor: "#e6eaee", zeroline: true, nticks: 4, tickfont: { size: 13 } },
    }, CONFIG);
  }

  // A picture leaves its page: it carries its own heading, key and warning.
  function picture(div) {
    const heading = div.closest("section").querySelector("h2").textContent + (selector && data.charts[div.dataset.chart].scopes ? " · " + selector.selectedOptions[0].text : "");
    const warning = document.getElementById("synthetic") ? "<br><b>SYNTHETIC DATA</b>" : "";
    const layout = { ...div.layout, width: Math.max(div.clientWidth, 800) }, named = div.data.filter((t) => t.showlegend !== false && t.name);
    const above = 75 + 26 * Math.ceil(named.reduce((sum, t) => sum + 60 + 9 * t.name.length, 0) / layout.width);
    layout.height = div.layout.height + above;
    layout.margin = { ...div.layout.margin, t: div.layout.margin.t + above };
    layout.title = { text: plain(heading) + warning, x: 0.01, xanchor: "left", y: 1 - 26 / layout.height, yref: "container", yanchor: "top", font: { size: 18 }, automargin: false };
    layout.showlegend = named.length > 0;
    layout.legend = { orientation: "h", x: 0, xanchor: "left", y: 1 - 66 / layout.height, yref: "container", yanchor: "top" };
    return { data: div.data, layout };
  }

  const DRAW = { dots, bars, heat, radar, points, correlation, curve, coverage, ranks };

  const hooks = []; // what else depends on the ticked systems
  const onDraw = (hook) => hooks.push(hook);

  function drawAll() {
    if (!window.Plotly) return;
    const on = shown();
    for (const hook of hooks) hook(on);
    for (const div of document.querySelectorAll("[data-chart]")) {
      const chart = data.charts[div.dataset.chart];
      // a chart of certain systems stands on the page while one of them is ticked
      const of = chart && (chart.system !== undefined ? [chart.system] : chart.members);
      if (of) div.closest("figure").hidden = !of.some((index) => on.has(String(index)));
      if (chart && div.offsetParent) DRAW[chart.kind](div, chart);
    }
  }

  function switchScope() {
    for (const part of document.querySelectorAll("[data-for-scope]")) part.hidden = part.dataset.forScope !== scopeKey();
  }

  function scopeFromAddress() {
    if (!selector) return;
    const wanted = new URLSearchParams(location.hash.slice(1)).get("scope");
    if (wanted !== null && [...selector.options].some((o) => o.value === wanted)) selector.value = wanted;
  }

  for (const place of document.querySelectorAll("[data-swatch]")) {
    const s = place.dataset.swatch === "pooled" ? null : data.systems[Number(place.dataset.swatch)];
    const outline = s ? OUTLINES[s.style.symbol] : "M12 1.5l6.5 6.5-6.5 6.5L5.5 8Z";
    place.innerHTML = `<svg viewBox="0 0 24 16"><path d="M0 8h24" stroke="currentColor" stroke-width="2"/><path d="${outline}" fill="currentColor"/></svg>`;
    place.style.color = s ? s.style.colour : POOLED.style.colour;
  }
  if (selector) {
    selector.addEventListener("change", () => {
      history.replaceState(null, "", "#" + new URLSearchParams({ scope: selector.value }));
      switchScope();
      drawAll();
    });
    window.addEventListener("hashchange", () => { scopeFromAddress(); switchScope(); drawAll(); });
  }
  for (const box of document.querySelectorAll("[data-system]")) box.addEventListener("change", drawAll);
  for (const button of document.querySelectorAll("[data-show]")) {
    const show = button.dataset.show, listed = show.split(",");
    const wanted = (system, place) => show === "all" || (show === "first" ? place < 6 : listed.includes(system));
    button.addEventListener("click", () => {
      const boxes = [...document.querySelectorAll("[data-system]")].filter((box) => box.dataset.system !== "pooled");
      boxes.forEach((box, place) => { box.checked = wanted(box.dataset.system, place); });
      drawAll();
    });
  }
  for (const button of document.querySelectorAll("[data-picture]")) {
    button.addEventListener("click", () => {
      const chart = document.querySelector(`[data-chart="${button.dataset.picture}"]`);
      const figure = picture(chart), name = (button.dataset.picture + "-" + scopeKey()).replace(/[^\w]+/g, "-").replace(/-$/, "");
      Plotly.downloadImage(figure, { format: "png", scale: 2, width: figure.layout.width, height: figure.layout.height, filename: name });
    });
  }
  let waiting, width = window.innerWidth;
  window.addEventListener("resize", () => {
    if (window.innerWidth === width) return; // a phone's address bar changes only the height
    width = window.innerWidth;
    clearTimeout(waiting);
    waiting = setTimeout(drawAll, 120);
  });
  const paper = (on) => {
    for (const details of document.querySelectorAll("details.numbers")) details.open = on;
    for (const div of document.querySelectorAll("[data-chart]")) div.style.width = on ? (div.closest(".radars") ? "330px" : "660px") : "";
    drawAll();
  };
  window.addEventListener("beforeprint", () => paper(true));
  window.addEventListener("afterprint", () => paper(false));

  // The scripts of numbers and the one that draws are gzipped, in base64: together they are most of the report.
  async function unpack(text) {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  }

  async function loadPlotly() {
    const script = document.createElement("script");
    script.src = URL.createObjectURL(new Blob([await unpack(window.packedPlotly)], { type: "text/javascript" }));
    await new Promise((resolve, reject) => { Object.assign(script, { onload: resolve, onerror: reject }); document.head.append(script); });
    URL.revokeObjectURL(script.src);
    delete window.packedPlotly;
  }

  window.report = { data, draw: DRAW, drawAll, onDraw, unpack, scopeKey, shown, isNarrow, base, plain, fixed, wrap, estimate, INK, CONFIG };
  document.addEventListener("DOMContentLoaded", async () => {
    scopeFromAddress();
    switchScope();
    try {
      await loadPlotly();
    } catch {
      for (const div of document.querySelectorAll("[data-chart]")) div.textContent = "This browser can’t draw the charts: use a version from 2023 or later. The tables and files contain the same numbers.";
      return;
    }
    drawAll();
    document.documentElement.dataset.drawn = "";
  });
})();
