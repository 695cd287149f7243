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
  const PLACES = [
    ["middle right", 1, 0], ["middle left", -1, 0], ["top right", 1, -1], ["bottom right", 1, 1], ["top left", -1, -1], ["bottom left", -1, 1], ["top center", 0, -1], ["bottom center", 0, 1],
  ];
  const air = (values, share) => {
    const low = Math.min(...values), high = Math.max(...values), width = share * (high - low) || 0.5;
    return [low - width, high + width];
  };

  draw.map = function (div, chart) {
    const type = inputs.find((i) => i.checked).value, narrow = isNarrow(div);
    const p = (chart.scopes[scopeKey()] || {})[type], n = p ? p.x.length : 0, at = [...Array(n).keys()];
    const look = (i) => LOOK[p.quadrants[i]], line = { color: "#4d5661", width: 1.5, dash: "dash" };
    const height = n ? (narrow ? 640 : Math.max(420, Math.min(div.clientWidth * 0.7, 620))) : 120;
    const margin = n ? { l: narrow ? 46 : 64, r: 14, t: 34, b: narrow ? 96 : 84 } : { l: 0, r: 0, t: 0, b: 0 };
    const size = { x: n ? air(p.x, 0.1) : [0, 1], y: n ? air(p.y, 0.08) : [0, 1], width: div.clientWidth - margin.l - margin.r, height: height - margin.t - margin.b };
    const font = narrow ? 11 : 13, names = at.map((i) => (p.confident[i] ? wrap(p.names[i] + (p.thin[i] ? " *" : ""), narrow ? 13 : 24) : ""));
    const trace = !n ? { x: [], y: [] } : {
      x: p.x, y: p.y, text: names, textposition: places(p, size, font, names), textfont: { size: font, color: at.map((i) => look(i).colour) },
      marker: {
        size: 11, color: at.map((i) => look(i).colour), opacity: at.map((i) => (p.confident[i] ? 1 : 0.45)),
        symbol: at.map((i) => (p.thin[i] ? "circle-open" : "circle")), line: { width: 1.5, color: at.map((i) => look(i).colour) },
      },
      hovertext: at.map((i) => `<b>${wrap(p.names[i], 34)}</b>${p.thin[i] ? " (fewer than 5 respondents)" : ""}<br>${look(i).name}<br>${plain(chart.x_titles[type])}: ${fixed(p.x[i])}<br>suitability ${fixed(p.y[i])}<br>chance of this side of the suitability border: ${Math.round(100 * p.chances[i])} %`),
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
      ...base(div, height), margin, hovermode: "closest", shapes: borders,
      xaxis: { ...axis, range: size.x, title: { text: plain(chart.x_titles[type]), font: { size: 14 }, standoff: narrow ? 38 : 26 } },
      yaxis: { ...axis, range: size.y, title: { text: plain(chart.y_title), font: { size: narrow ? 12 : 14 } } },
      annotations: n ? corners : [{ text: "No activity to draw", showarrow: false, x: 0.5, y: 0.5, xref: "paper", yref: "paper", bgcolor: "#fff" }],
    }, CONFIG);
  };

  // Each name takes the first place around its mark where it covers least: marks, names before it, the upright border.
  function places(p, size, font, shown) {
    const [x0, x1] = size.x, [y0, y1] = size.y, taken = [];
    const marks = p.x.map((x, i) => [((x - x0) / (x1 - x0)) * size.width, ((y1 - p.y[i]) / (y1 - y0)) * size.height]);
    const border = p.borders[0] === null ? null : ((p.borders[0] - x0) / (x1 - x0)) * size.width;
    const covers = (a, b) => Math.max(0, Math.min(a[2], b[2]) - Math.max(a[0], b[0])) * Math.max(0, Math.min(a[3], b[3]) - Math.max(a[1], b[1]));
    return marks.map(([x, y], i) => {
      if (!shown[i]) return "middle right";
      const lines = shown[i].split("<br>"), width = 0.58 * font * Math.max(...lines.map((l) => l.length)), height = 1.3 * font * lines.length;
      const boxes = PLACES.map(([name, dx, dy]) => {
        const left = x + (dx < 0 ? -8 - width : dx > 0 ? 8 : -width / 2), top = y + (dy < 0 ? -6 - height : dy > 0 ? 6 : -height / 2);
        const box = [left, top, left + width, top + height];
        const cost = taken.reduce((sum, b) => sum + covers(box, b), 0) + marks.reduce((sum, [u, v], k) => sum + (k === i ? 0 : covers(box, [u - 7, v - 7, u + 7, v + 7])), 0)
          + (border !== null && left < border && border < box[2] ? height * 2 : 0) + 1e4 * (left < 0 || box[2] > size.width);
        return { name, box, cost };
      });
      const chosen = boxes.reduce((a, b) => (b.cost < a.cost ? b : a));
      taken.push(chosen.box);
      return chosen.name;
    });
  }

  for (const input of inputs) input.addEventListener("change", drawAll);
})();
