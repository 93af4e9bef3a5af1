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
  // The rows of a table whose text has what is typed.
  for (const field of document.querySelectorAll("input[data-filter]")) {
    const rows = [...document.getElementById(field.dataset.filter).tBodies[0].rows], said = field.closest(".filter").querySelector("[role=status]");
    field.closest(".filter").hidden = false;
    field.addEventListener("input", () => {
      for (const row of rows) row.hidden = !row.dataset.text.includes(field.value.trim().toLowerCase());
      said.textContent = field.value ? `${rows.filter((row) => !row.hidden).length} of ${rows.length} columns` : "";
    });
  }
  // Who fills in a field of a kind chooses that kind.
  for (const form of document.querySelectorAll("form[data-kinds]")) {
    form.addEventListener("input", (event) => {
      const radio = event.target.closest("div").querySelector("input[type=radio]");
      if (radio && event.target !== radio) radio.checked = true;
    });
  }
  // A file is copied to the working folder as it is, with its name in a header.
  for (const form of document.querySelectorAll("form[data-upload]")) {
    const button = form.querySelector("button"), said = form.querySelector("[role=status]");
    form.hidden = false;
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const [file] = form.elements.namedItem("file").files, headers = { "X-File-Name": encodeURIComponent(file.name) };
      button.disabled = true;
      said.textContent = "The file is copied …";
      const reply = await fetch(form.action, { method: "POST", body: file, headers, credentials: "same-origin" }).catch(() => null);
      if (reply && reply.ok) { location.reload(); return; }
      button.disabled = false;
      said.textContent = reply ? await reply.text() : "The studio has ended: start it again.";
    });
  }
  // Sliders answer while they move; answers that come late are not shown.
  const live = document.querySelector("form[data-live]"), chosen = () => new URLSearchParams(new FormData(live));
  let asked = 0;
  const answer = async () => {
    const turn = ++asked, reply = await fetch(`${live.dataset.live}?${chosen()}`, { credentials: "same-origin" }), text = await reply.text();
    const goal = document.getElementById("answer");
    if (turn === asked) { goal.innerHTML = text; goal.dataset.turn = String(turn); }
  };
  if (live) {
    for (const slider of live.querySelectorAll("input[type=range]")) {
      const number = document.getElementById(slider.dataset.for);
      slider.addEventListener("input", () => { number.value = slider.value; answer(); });
      number.addEventListener("input", () => { slider.value = number.value; answer(); });
    }
  }
  // Values and groups are dragged onto a group, or out of all; onto another value they want a name.
  for (const form of document.querySelectorAll("form[data-grouping]")) {
    const name = form.elements.namedItem("name");
    form.addEventListener("dragstart", (event) => {
      const box = event.target.closest("li").querySelector("input");
      if (!box.checked) { for (const other of form.querySelectorAll("input:checked")) other.checked = false; }
      box.checked = true;
      event.dataTransfer.setData("text/plain", "");
    });
    form.addEventListener("dragover", (event) => { if (event.target.closest(".tree")) event.preventDefault(); });
    form.addEventListener("drop", (event) => {
      event.preventDefault();
      const group = event.target.closest(".group"), value = event.target.closest("li");
      if (value && !group) { value.querySelector("input").checked = true; name.focus(); return; }
      name.value = group ? group.dataset.name : "";
      form.requestSubmit();
    });
  }
  // Work that is under way is asked for until it is over.
  const parsed = (text) => new DOMParser().parseFromString(text, "text/html");
  // What was typed meanwhile stays.
  const typed = () => [...document.querySelectorAll("main input:not([type=range]):not([type=search])")].some((input) => input.form !== live && (["checkbox", "radio"].includes(input.type) ? input.checked !== input.defaultChecked : input.value !== input.defaultValue));
  // A field that is about to be filled in stays, too.
  const entered = () => [...document.querySelectorAll("main input:focus, main select:focus")].some((field) => !live || field.form !== live);
  const kept = () => typed() || entered();
  const shown = async (running) => {
    if (!live && !kept()) { location.reload(); return; }
    const url = live ? `${location.pathname}?${chosen()}` : "";
    const page = live && !kept() ? parsed(await (await fetch(url, { credentials: "same-origin" })).text()).querySelector("form[data-live]") : null;
    if (!page || kept()) { running.innerHTML = `<p>It is done. <a href="${url}">Show it</a></p>`; return; }
    // The sliders stay as they are: they may have moved since, and only what is below them is new.
    while (live.nextSibling) live.nextSibling.remove();
    while (page.nextSibling) live.parentNode.append(page.nextSibling);
    answer();
    watch();
  };
  // Who has just followed a link is not brought back by a reload. A download leaves the page where it is.
  let left = -Infinity;
  addEventListener("beforeunload", () => { left = performance.now(); });
  const watch = () => {
    const running = document.querySelector('[data-work][data-state="running"]');
    const ask = async () => {
      const reply = await fetch(`/work?name=${running.dataset.work}`, { credentials: "same-origin" }).catch(() => null);
      if (!reply || !reply.ok) { running.querySelector("p").textContent = "The studio has ended: start it again."; return; }
      const part = parsed(await reply.text()).querySelector("[data-work]");
      if (performance.now() - left < 5000) { setTimeout(ask, 500); return; }
      if (!part || part.dataset.state !== "running") { shown(running); return; }
      running.querySelector("p").textContent = part.querySelector("p").textContent;
      // A part of the result is shown as soon as it is there.
      if (part.dataset.parts !== running.dataset.parts) { running.dataset.parts = part.dataset.parts; if (live) answer(); }
      setTimeout(ask, 500);
    };
    if (running) setTimeout(ask, 300);
  };
  watch();
  const map = document.getElementById("map"), node = document.getElementById("node");
  if (map && node) {
    map.addEventListener("picked", () => { if (map.dataset.levels) fill(node, `/node?levels=${map.dataset.levels}&${node.dataset.asked}`); });
  }
})();
