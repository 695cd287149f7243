// Draws the map of importance and suitability with its quadrants.
// Belongs here: that chart and its switch. Does not belong here: places and borders (placement.py decides those).
(function () {
  "use strict";
  const { draw, drawAll, scopeKey, isNarrow, base, plain, fixed, wrap, CONFIG } = window.report;
  const LOOK = {
    development_opportunity: { name: "Development opportunity", colour: "#00724f", at: [1, 1] },
    capability_gap: { name: "Capability gap", colour: "#b04a00", at: [1, 0] },
    limited_impact: { name: "Limited impact", colour: "#0072B2", at: [0, 1] },
    low_priority: { name: "Low priority", colour: "#4d5661", at: [0, 0] },
  };
  const inputs = [...document.querySelectorAll("input[name=x-type]")];
  const air = (values, share) => {
    const low = Math.min(...values), high = Math.max(...values), width = share * (high - low) || 0.5;
    return [low - width, high + width];
  };

  draw.map = function (div, chart) {
    const type = inputs.find((i) => i.checked).value, narrow = isNarrow(div);
    const p = (chart.scopes[scopeKey()] || {})[type], n = p ? p.x.length : 0, at = [...Array(n).keys()];
    const look = (i) => LOOK[p.quadrants[i]], line = { color: "#4d5661", width: 1.5, dash: "dash" };
    const trace = !n ? { x: [], y: [] } : {
      x: p.x, y: p.y, text: at.map((i) => (p.confident[i] ? wrap(p.names[i] + (p.thin[i] ? " *" : ""), narrow ? 12 : 24) : "")),
      textposition: places(p, narrow), textfont: { size: narrow ? 11 : 13, color: at.map((i) => look(i).colour) },
      marker: {
        size: 11, color: at.map((i) => look(i).colour), opacity: at.map((i) => (p.confident[i] ? 1 : 0.45)),
        symbol: at.map((i) => (p.thin[i] ? "circle-open" : "circle")), line: { width: 1.5, color: at.map((i) => look(i).colour) },
      },
      hovertext: at.map((i) => `<b>${wrap(p.names[i], 34)}</b>${p.thin[i] ? " (fewer than 5 respondents)" : ""}<br>${look(i).name}<br>${plain(chart.x_titles[type])}: ${fixed(p.x[i])}<br>suitability ${fixed(p.y[i])}<br>chance of this side: ${Math.round(100 * p.chances[i])} %`),
    };
    const borders = !n ? [] : [
      ...(p.borders[0] === null ? [] : [{ type: "line", x0: p.borders[0], x1: p.borders[0], yref: "paper", y0: 0, y1: 1, layer: "below", line }]),
      ...(p.borders[1] === null ? [] : [{ type: "line", y0: p.borders[1], y1: p.borders[1], xref: "paper", x0: 0, x1: 1, layer: "below", line }]),
    ];
    const corners = Object.values(LOOK).map((q) => ({
      text: q.name, x: q.at[0], y: q.at[1] ? 1 : 0, xref: "paper", yref: "paper", xanchor: q.at[0] ? "right" : "left", yanchor: q.at[1] ? "bottom" : "top",
      yshift: q.at[1] ? 4 : -26, showarrow: false, font: { size: narrow ? 12 : 14, color: q.colour },
    }));
    const axis = { visible: n > 0, fixedrange: true, gridcolor: "#e6eaee", zeroline: false, nticks: narrow ? 5 : 9, tickfont: { size: 13 } };
    return Plotly.react(div, [{ type: "scatter", mode: "markers+text", hoverinfo: "text", cliponaxis: false, showlegend: false, ...trace }], {
      ...base(div, n ? (narrow ? 640 : Math.max(420, Math.min(div.clientWidth * 0.7, 620))) : 120), margin: n ? { l: narrow ? 46 : 64, r: 14, t: 34, b: narrow ? 96 : 84 } : { l: 0, r: 0, t: 0, b: 0 }, hovermode: "closest", shapes: borders,
      xaxis: { ...axis, range: n ? air(p.x, narrow ? 0.16 : 0.1) : [0, 1], title: { text: plain(chart.x_titles[type]), font: { size: 14 }, standoff: narrow ? 38 : 26 } },
      yaxis: { ...axis, range: n ? air(p.y, 0.08) : [0, 1], title: { text: plain(chart.y_title), font: { size: narrow ? 12 : 14 } } },
      annotations: n ? corners : [{ text: "No activity has a place here", showarrow: false, x: 0.5, y: 0.5, xref: "paper", yref: "paper", bgcolor: "#fff" }],
    }, CONFIG);
  };

  // Names go right of their mark, or left near the right edge and where they would cross the border; where another mark stands close, above or below it.
  function places(p, narrow) {
    const [x0, x1] = air(p.x, 0.1), [y0, y1] = air(p.y, 0.08);
    return p.x.map((x, i) => {
      const toBorder = p.borders[0] === null ? 1 : (p.borders[0] - x) / (x1 - x0);
      const left = (x - x0) / (x1 - x0) > (narrow ? 0.6 : 0.8) || (!narrow && toBorder > 0 && toBorder < 0.14 && x - x0 > 0.2 * (x1 - x0));
      const near = p.x.map((v, j) => ({ dx: (v - x) / (x1 - x0), dy: (p.y[j] - p.y[i]) / (y1 - y0), j }))
        .filter((o) => o.j !== i && Math.abs(o.dy) < 0.05 && (left ? o.dx < 0 && o.dx > -0.25 : o.dx > 0 && o.dx < 0.25));
      const side = left ? "left" : "right";
      return near.length ? `${near[0].dy > 0 ? "bottom" : "top"} ${narrow ? "center" : side}` : `middle ${side}`;
    });
  }

  for (const input of inputs) input.addEventListener("change", drawAll);
})();
