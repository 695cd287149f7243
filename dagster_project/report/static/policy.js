// Re-ranks systems under the policy that the controls choose, from the swept estimates of the selected scope.
// Belongs here: controls, loading data/sweep-*.js, the table, the sentence. Does not belong here: any estimate, order or
// agreement (sweep.py writes those), drawing dots (report.js).
(function () {
  "use strict";
  const { data, draw, drawAll, scopeKey, shown, fixed, unpack, load, STALE } = window.report;
  const chart = data.charts.policy, loaded = {}, people = new Set(chart.people);
  const get = (id) => document.getElementById(id);
  const power = get("power"), sharpness = get("sharpness"), finding = get("policy-finding"), table = get("policy-table");
  const weightings = [...document.querySelectorAll("input[name=weighting]")];
  const signed = (v) => String(v).replace("-", "−");
  const estimate = (e) => e && e.slice(0, 3).map((v) => v / 1000);
  const weighting = () => weightings.find((w) => w.checked).value;
  const setting = (scope, p, s) => scope.settings[`${weighting()}|${p}|${s}`];

  report.swept = async (refresh, scope, text) => {
    if (refresh !== data.refresh) {
      finding.textContent = STALE;
      return;
    }
    loaded[scope] = JSON.parse(await unpack(text));
    drawAll();
  };

  function row(cells, head) {
    const tr = document.createElement("tr");
    cells.forEach((text, i) => {
      const cell = document.createElement(head || i === 0 ? "th" : "td");
      cell.textContent = text;
      if (head || i === 0) cell.scope = head ? "col" : "row";
      tr.append(cell);
    });
    return tr;
  }

  function fill(scope, now, neutral, on) {
    const systems = data.systems.map((s, i) => ({ ...s, i })).filter((s) => on.has(String(s.i)));
    const named = (i) => (i === null ? "–" : data.systems[i].name);
    const stable = scope.stable[weighting()];
    table.tHead.replaceChildren(row(["Activity", "First", "First at p = 0, s = 1", "Same first system at every power", ...systems.map((s) => s.name)], true));
    table.tBodies[0].replaceChildren(...scope.rows.map((name, r) => row([
      name + (scope.thin[r] ? " *" : ""),
      scope.withheld[r] ? "withheld" : named(now.first[r]),
      scope.withheld[r] ? "withheld" : named(neutral.first[r]),
      stable[r] === null || scope.withheld[r] ? "–" : stable[r] ? "yes" : "no",
      ...systems.map((s) => {
        const [cell, cellBefore] = [now, neutral].map((setting) => (setting.values[s.i] || [])[r]);
        if (!cell) return scope.withheld[r] ? "withheld" : "–";
        const e = estimate(cell), here = cell[3], before = cellBefore ? cellBefore[3] : null;
        const rank = people.has(s.i) ? "person:" : here + "." + (before !== here ? ` (${before}.)` : "");
        return `${rank} ${fixed(e[0])}\n(${fixed(e[1])} to ${fixed(e[2])})`;
      }),
    ])));
  }

  function say(scope, now, neutral, isNeutral) {
    const ranked = scope.rows.map((_, r) => r).filter((r) => now.n_ranked[r] > 1);
    const moved = ranked.filter((r) => now.first[r] !== neutral.first[r]).length;
    if (!ranked.length) return "Fewer than two AI systems have estimates here: there is nothing to rank.";
    if (isNeutral) return `This is the neutral policy that all others are compared with: ${ranked.length} activities are ranked.`;
    const tau = now.tau === null ? "" : ` Agreement of the full rankings with those at p = 0, s = 1: ${fixed(now.tau)} (Kendall’s τ, mean over activities; 1 = the same order).`;
    return `The first system differs from that at p = 0, s = 1 for ${moved} of ${ranked.length} activities.${tau}`;
  }

  draw.policy = function (div) {
    const key = scopeKey(), scope = loaded[key], p = chart.powers[power.value], s = chart.sharpness[sharpness.value];
    for (const [input, v, name] of [[power, p, "p"], [sharpness, s, "s"]]) {
      get(input.id + "-value").textContent = signed(v);
      input.setAttribute("aria-valuetext", `${name} = ${signed(v)}`);
    }
    if (!scope) {
      finding.textContent = "Loading the numbers …";
      return load(chart.files[key], (why) => { finding.textContent = why; });
    }
    const now = setting(scope, p, s), neutral = setting(scope, ...chart.neutral) || now;
    if (!now) {
      finding.textContent = "This policy was not computed in this refresh.";
      return Plotly.purge(div);
    }
    finding.textContent = say(scope, now, neutral, now === neutral);
    fill(scope, now, neutral, shown());
    const picture = { rows: scope.rows, thin: scope.thin, withheld: scope.withheld, pooled: null, values: data.systems.map((_, i) => (now.values[i] || []).map(estimate)) };
    const [low, high] = scope.range[0] === null ? [0, 1] : scope.range, air = 0.05 * (high - low) || 0.5;
    chart.scopes = { [key]: picture };
    draw.dots(div, { x_title: `Suitability at p = ${signed(p)}, s = ${s} (log scale, 95 % interval)`, range: [low - air, high + air], scopes: chart.scopes });
  };

  for (const input of [power, sharpness, ...weightings]) input.addEventListener("input", drawAll);
  get("policy").addEventListener("submit", (e) => e.preventDefault());
  get("neutral").addEventListener("click", () => {
    for (const [input, choices, v] of [[power, chart.powers, 0], [sharpness, chart.sharpness, 1]]) {
      input.value = choices.indexOf(chart.neutral[v]);
    }
    drawAll();
  });
})();
