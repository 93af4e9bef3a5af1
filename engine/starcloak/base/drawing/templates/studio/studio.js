(() => {
  "use strict";
  const fill = async (goal, url) => {
    const answer = await fetch(url, { credentials: "same-origin" });
    goal.innerHTML = await answer.text(); // of our own server, which escapes every value
  };
  // Forms with one choice need no button; they keep it where scripts are off. By keyboard a choice is made by Enter.
  for (const form of document.querySelectorAll("form[data-submit]")) {
    form.classList.add("scripted");
    const select = form.querySelector("select");
    let keyed = false;
    select.addEventListener("keydown", (event) => {
      keyed = event.key !== "Enter";
      if (event.key === "Enter") { event.preventDefault(); form.requestSubmit(); }
    });
    select.addEventListener("pointerdown", () => { keyed = false; });
    select.addEventListener("change", () => { if (!keyed) form.requestSubmit(); });
    select.addEventListener("blur", () => { if (keyed && !select.options[select.selectedIndex].defaultSelected) form.requestSubmit(); });
  }
  // Sliders answer while they move; answers that come late are not shown.
  const live = document.querySelector("form[data-live]");
  if (live) {
    const goal = document.getElementById("answer");
    let asked = 0;
    const show = async () => {
      const turn = ++asked, url = `${live.dataset.live}?${new URLSearchParams(new FormData(live))}`;
      const answer = await fetch(url, { credentials: "same-origin" }), text = await answer.text();
      if (turn === asked) { goal.innerHTML = text; goal.dataset.turn = String(turn); }
    };
    for (const slider of live.querySelectorAll("input[type=range]")) {
      const number = document.getElementById(slider.dataset.for);
      slider.addEventListener("input", () => { number.value = slider.value; show(); });
      number.addEventListener("input", () => { slider.value = number.value; show(); });
    }
  }
  // Work that is under way is asked for until it is over.
  const running = document.querySelector('[data-work][data-state="running"]');
  if (running) {
    const ask = async () => {
      const answer = await fetch(`/work?name=${running.dataset.work}`, { credentials: "same-origin" }).catch(() => null);
      if (!answer || !answer.ok) { running.querySelector("p").textContent = "The studio has ended: start it again."; return; }
      const part = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[data-work]");
      if (!part || part.dataset.state !== "running") { location.reload(); return; }
      running.querySelector("p").textContent = part.querySelector("p").textContent;
      setTimeout(ask, 500);
    };
    setTimeout(ask, 300);
  }
  const map = document.getElementById("map"), node = document.getElementById("node");
  if (map && node) {
    map.addEventListener("picked", () => { if (map.dataset.levels) fill(node, `/node?levels=${map.dataset.levels}&${node.dataset.asked}`); });
  }
})();
