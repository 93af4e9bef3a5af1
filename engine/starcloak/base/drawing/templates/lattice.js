(() => {
  "use strict";
  const data = JSON.parse(document.getElementById("data").textContent);
  const map = document.getElementById("map"), told = document.getElementById("told");
  const cursor = document.getElementById("cursor"), hidden = document.getElementById("hidden");
  const limits = [...document.querySelectorAll(".limit")], kind = document.getElementById("kind");
  const { bounds, names, cell, across, left } = data;
  const label = (place, level) => data.labels.length ? `“${data.labels[place][level]}”` : level;
  document.body.classList.add("scripted");
  // Every node, by height, in the order in which the page has drawn them.
  const rows = data.rows.map(() => []);
  const node = bounds.map(([lowest]) => lowest);
  const total = (levels) => levels.reduce((sum, level) => sum + level, 0), bottom = total(node);
  for (;;) {
    rows[total(node) - bottom].push(node.slice());
    let place = bounds.length - 1;
    while (place >= 0 && node[place] === bounds[place][1]) { node[place] = bounds[place][0]; place--; }
    if (place < 0) break;
    node[place]++;
  }
  const above = (one, other) => other.every((level, place) => one[place] >= level);
  const same = (one, other) => other.length > 0 && above(one, other) && above(other, one);
  const isMinimal = (levels) => data.minimal.some((other) => same(levels, other));
  const satisfies = (levels) => data.minimal.some((other) => above(levels, other));
  const square = (height, index, grow) => {
    const x = left + (index % across) * cell - grow, y = data.rows[height][0] + Math.floor(index / across) * cell - grow;
    const side = cell - 1 + 2 * grow;
    return `M${x} ${y}h${side}v${side}h-${side}z`;
  };
  let at = null;
  const show = (height, index) => {
    const levels = rows[height] && rows[height][index];
    if (!levels) return false;
    at = [height, index];
    map.dataset.levels = levels.join(",");
    cursor.setAttribute("d", square(height, index, 2));
    const verdict = isMinimal(levels) ? "satisfies the requirement, minimal" : satisfies(levels) ? "satisfies the requirement" : "does not satisfy it";
    const chosen = same(levels, data.chosen) ? "; it was chosen" : "";
    told.textContent = `${names.map((name, place) => `${name} ${label(place, levels[place])}`).join(", ")}: height ${height + bottom}, ${verdict}${chosen}.`;
    return true;
  };
  const choose = () => data.chosen.length ? show(total(data.chosen) - bottom, rows[total(data.chosen) - bottom].findIndex((levels) => same(levels, data.chosen))) : show(0, 0);
  const under = (event) => {
    const box = map.getBoundingClientRect(), scale = map.viewBox.baseVal.width / box.width;
    const x = (event.clientX - box.left) * scale - left, y = (event.clientY - box.top) * scale;
    let height = data.rows.length - 1;
    while (height > 0 && data.rows[height][0] > y) height--;
    const column = Math.floor(x / cell), line = Math.floor((y - data.rows[height][0]) / cell);
    return column < 0 || column >= across || line < 0 ? null : [height, line * across + column];
  };
  let pinned = false;
  map.addEventListener("pointermove", (event) => { const place = under(event); if (place && !pinned) show(...place); });
  map.addEventListener("click", (event) => { const place = under(event); if (place && show(...place)) { pinned = true; map.dispatchEvent(new Event("picked")); } });
  map.addEventListener("pointerleave", () => { pinned = false; });
  map.addEventListener("keydown", (event) => {
    if (event.key === "Enter") map.dispatchEvent(new Event("picked"));
    const moves = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0], Home: null };
    if (!(event.key in moves)) return;
    event.preventDefault();
    if (!at || event.key === "Home") { choose(); return; }
    const [up, along] = moves[event.key], height = at[0] + up;
    if (rows[height]) show(height, Math.max(0, Math.min(rows[height].length - 1, at[1] + along)));
  });
  map.addEventListener("focus", () => { if (!at) choose(); });
  const filter = () => {
    const most = limits.map((select) => Number(select.value));
    let path = "";
    rows.forEach((members, height) => members.forEach((levels, index) => {
      const shown = levels.every((level, place) => level <= most[place]) && (!kind.value || (kind.value === "1" ? satisfies(levels) : isMinimal(levels)));
      if (!shown) path += square(height, index, 0.5);
    }));
    hidden.setAttribute("d", path);
  };
  [kind, ...limits].forEach((select) => select.addEventListener("change", filter));
  document.getElementById("go").addEventListener("click", () => { choose(); map.focus(); });
})();
