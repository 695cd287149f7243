// Draws the charts of the page on adoption: shares beside employment, depth, usage by wage.
// Belongs here: those three kinds. Does not belong here: which rows and in which order (usage.py decides those).
(function () {
  "use strict";
  const { draw, scopeKey, isNarrow, base, wrap, CONFIG } = window.report;
  const CHATS = "#0072B2", WORKERS = "#b04a00", SOFT = "#4d5661", GRID = "#d5dbe1";
  const share = (v) => (v === null ? "–" : (100 * v).toFixed(2) + " %");
  const RAMP = ["#0b3c5d", "#0072B2", "#2a9d8f", "#7a9a01", "#d98200", "#b04a00", "#8c2d62"];
  // a key of its own below the marks' titles: no legend to tick here
  const KEY = { showlegend: true, legend: { orientation: "h", x: 0, xanchor: "left", y: 1, yanchor: "bottom", font: { size: 14 }, itemclick: false, itemdoubleclick: false } };

  draw.shares = function (div, chart) {
    const p = chart.scopes ? chart.scopes[scopeKey()] : chart, narrow = isNarrow(div), title = narrow ? 22 : 0, perRow = narrow ? 48 : 40, shift = title / 2 / perRow;
    const rows = p.rows.map((_, i) => i), known = rows.filter((i) => p.chats[i][0] !== null), y = (i) => i + shift;
    const hover = (i) => `<b>${wrap(p.rows[i], 40)}</b><br>chats ${share(p.chats[i][0])}${p.chats[i][1] === null ? "" : ` (${share(p.chats[i][1])} to ${share(p.chats[i][2])})`}<br>employment ${share(p.employment[i])}${p.ratios[i] === null ? "" : `<br>ratio ${p.ratios[i].toFixed(2)}`}`;
    const far = (i, end) => (p.chats[i][end] === null ? 0 : Math.abs(p.chats[i][end] - p.chats[i][0]));
    const mark = { type: "scatter", mode: "markers", hoverinfo: "text", cliponaxis: false };
    const labels = p.rows.map((r) => wrap(r, 34));
    return Plotly.react(div, [
      { ...mark, name: "Share of employment", x: rows.map((i) => p.employment[i]), y: rows.map(y), text: rows.map(hover), marker: { symbol: "diamond-open", size: 10, color: WORKERS, line: { width: 2 } } },
      {
        ...mark, name: "Share of chats", x: known.map((i) => p.chats[i][0]), y: known.map(y), text: known.map(hover), marker: { size: 10, color: CHATS },
        error_x: { type: "data", symmetric: false, array: known.map((i) => far(i, 2)), arrayminus: known.map((i) => far(i, 1)), thickness: 2, width: 0, color: CHATS },
      },
    ], {
      ...base(div, 110 + perRow * rows.length), ...KEY, margin: { l: 10, r: 14, t: 40, b: 50 }, hovermode: "closest",
      shapes: rows.filter((i) => i % 2 === 0).map((i) => ({ type: "rect", xref: "paper", x0: 0, x1: 1, y0: i - 0.5, y1: i + 0.5, fillcolor: "#f1f4f7", line: { width: 0 }, layer: "below" })),
      yaxis: { range: [rows.length - 0.5, -0.5], tickmode: "array", tickvals: rows, ticktext: labels, showticklabels: !narrow, automargin: true, fixedrange: true, showgrid: false, zeroline: false, ticks: "", ticklabelstandoff: 6, tickfont: { size: 14 } },
      xaxis: { rangemode: "tozero", tickformat: ".1~%", fixedrange: true, gridcolor: GRID, zeroline: false, nticks: narrow ? 5 : 10, title: { text: "Share of all chats and of US employment", font: { size: narrow ? 13 : 15 } } },
      annotations: [
        ...rows.filter((i) => p.withheld[i]).map((i) => ({ x: 1, xref: "paper", xanchor: "right", y: y(i), text: "chats withheld: too few", showarrow: false, font: { size: 13, color: SOFT } })),
        ...(narrow ? rows : []).map((i) => ({ x: 0, xref: "paper", xanchor: "left", y: i - 0.5, yanchor: "top", text: wrap(p.rows[i].length > 46 ? p.rows[i].slice(0, 45) + "…" : p.rows[i], 60), showarrow: false, font: { size: 13 } })),
      ],
    }, CONFIG);
  };

  draw.depth = function (div, chart) {
    const narrow = isNarrow(div), colour = (k) => RAMP[k % RAMP.length];
    const bands = chart.curves.map((c, k) => ({
      type: "scatter", mode: "lines", x: [...c.x, ...c.x.slice().reverse()], y: [...c.high, ...c.low.slice().reverse()], fill: "toself", fillcolor: colour(k) + "22",
      line: { width: 0 }, hoverinfo: "skip", showlegend: false,
    }));
    const lines = chart.curves.map((c, k) => ({
      type: "scatter", mode: "lines+markers", name: c.min_chats === 1 ? "any chat" : `${c.min_chats} chats or more`, x: c.x, y: c.y, line: { color: colour(k), width: 2 }, marker: { size: 5, color: colour(k) }, hoverinfo: "text",
      text: c.x.map((x, i) => `${share(c.y[i])} of occupations (${share(c.low[i])} to ${share(c.high[i])})<br>${Math.round(100 * x)} % of tasks or more, each in ${c.min_chats} chat${c.min_chats === 1 ? "" : "s"} or more`),
    }));
    const axis = { tickformat: ".1~%", fixedrange: true, gridcolor: GRID, zeroline: false, nticks: narrow ? 5 : 11, tickfont: { size: 14 }, automargin: true };
    return Plotly.react(div, [...bands, ...lines], {
      ...base(div, narrow ? 420 : 480), ...KEY, margin: { l: 64, r: 18, t: narrow ? 90 : 50, b: 56 }, hovermode: "closest",
      xaxis: { ...axis, range: [0.03, 1.02], title: { text: "Minimum share of an occupation’s tasks", font: { size: 14 } } }, yaxis: { ...axis, rangemode: "tozero", title: { text: "Share of occupations", font: { size: 14 } } },
    }, CONFIG);
  };

  draw.wage = function (div, chart) {
    const narrow = isNarrow(div), axis = { type: "log", fixedrange: true, gridcolor: GRID, zeroline: false, tickfont: { size: 14 } };
    return Plotly.react(div, [{
      type: "scatter", mode: "markers", x: chart.x, y: chart.y, hoverinfo: "text", marker: { size: 8, color: CHATS, opacity: 0.55 },
      text: chart.names.map((s, i) => `<b>${wrap(s, 40)}</b><br>median wage ${Math.round(chart.x[i]).toLocaleString("en-US")} dollars a year<br>${chart.y[i].toPrecision(3)} weight of chats per million US workers (${chart.n[i]} chats)`),
    }], {
      ...base(div, narrow ? 420 : 480), margin: { l: 70, r: 18, t: 12, b: 56 }, hovermode: "closest",
      xaxis: { ...axis, tickmode: "array", tickvals: [30e3, 50e3, 80e3, 120e3, 200e3], ticktext: ["30,000", "50,000", "80,000", "120,000", "200,000"], title: { text: "Median wage (US dollars a year)", font: { size: 14 } } },
      yaxis: { ...axis, range: chart.y_range, dtick: 1, title: { text: "Weight of chats per million US workers", font: { size: 14 } } },
      annotations: chart.x.length ? [] : [{ text: "No occupation to draw", showarrow: false, x: 0.5, y: 0.5, xref: "paper", yref: "paper", bgcolor: "#fff" }],
    }, CONFIG);
  };
})();
