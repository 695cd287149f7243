// Draws places in doing against places in helping.
// Belongs here: that chart. Does not belong here: places and names (pages/assistance.py decides those).
(function () {
  "use strict";
  const { draw, isNarrow, base, fixed, wrap, CONFIG } = window.report;
  const COLOUR = "#0072B2", SOFT = "#4d5661";

  draw.roles = function (div, chart) {
    const narrow = isNarrow(div), at = chart.names.map((_, i) => i);
    const spread = (se) => ({ type: "data", array: se.map((v) => 2 * (v || 0)), thickness: 1.5, width: 0, color: "#8fb8d6" });
    // neighbours from left to right take turns, so that long names of like places don't cover each other
    const turn = [...at].sort((a, b) => chart.x[b] - chart.x[a]);
    const axis = (title, end) => ({
      range: [end, 0.5], dtick: 1, fixedrange: true, gridcolor: "#d5dbe1", zeroline: false, tickfont: { size: 14 }, automargin: true,
      title: { text: title, font: { size: narrow ? 13 : 15 } },
    });
    const hasLine = chart.unaided !== null;
    // names don't fit beside the marks of a narrow chart: there numbers do, and a key below names them
    return Plotly.react(div, at.map((i) => ({
      type: "scatter", mode: "markers+text", x: [chart.x[i]], y: [chart.y[i]], error_x: spread([chart.x_se[i]]), error_y: spread([chart.y_se[i]]),
      marker: { color: COLOUR, size: 11 }, name: narrow ? `${i + 1}  ${wrap(chart.names[i], 30)}` : "",
      text: [narrow ? String(i + 1) : wrap(chart.names[i], 26)], textfont: { size: 14 },
      // beside the lines, and to the inside
      textposition: `${turn.indexOf(i) % 2 ? "bottom" : "top"} ${chart.x[i] < chart.ends[0] / 2 ? "left" : "right"}`, cliponaxis: false, hoverinfo: "text",
      hovertext: [`<b>${wrap(chart.names[i], 34)}</b><br>doing: mean rank ${fixed(chart.x[i])}<br>helping: mean rank ${fixed(chart.y[i])}`],
    })), {
      ...base(div, Math.max(380, Math.min(div.clientWidth * 0.6, 560)) + (narrow ? 30 * at.length : 0)), margin: { l: 60, r: 24, t: 24, b: 60 }, hovermode: "closest",
      showlegend: narrow, legend: { x: 0, y: -0.25, yanchor: "top", itemclick: false, itemdoubleclick: false, font: { size: 14 } },
      xaxis: axis(narrow ? "Doing: mean rank (1 = first)" : "Doing the task: mean rank (1 = first; further right is better)", chart.ends[0]),
      yaxis: axis(narrow ? "Helping: mean rank" : "Helping with the task: mean rank (1 = first; higher up is better)", chart.ends[1]),
      shapes: hasLine ? [{ type: "line", xref: "paper", x0: 0, x1: 1, y0: chart.unaided, y1: chart.unaided, layer: "below", line: { color: SOFT, width: 1.5, dash: "dash" } }] : [],
      annotations: hasLine ? [{ xref: "paper", x: 0, xanchor: "left", y: chart.unaided, yanchor: "bottom", text: "without help", showarrow: false, font: { size: 13, color: SOFT } }] : [],
    }, CONFIG);
  };
})();
