"use strict";
// Shows a match step by step. What is shown are fragments of SVG that each game has drawn itself; this script
// knows no game. It fills the element #replay from the JSON in #replay-data, or, where that is absent, from the
// address in its data-src (a match's replay in the REST interface): what happened at each step, and the pictures
// around the step that is shown. It reads on whenever there is more (the event `replay-more`).
(() => {
  const root = document.getElementById("replay");
  if (!root) return;
  const RETRY_MS = 5000;
  // Steps read at a time; pictures read at a time, and before they are needed; pictures kept on either side.
  const PAGE = 250;
  const DRAWN = 25;
  const AHEAD = 8;
  const KEPT = 1000;
  const SPEEDS = [0.5, 1, 2, 4, 8, 16];
  const steps = [];
  let at = 0;
  let playing = false;
  let live = false;
  let timer = 0;
  let shownStill = null;
  let kinds = "";

  const make = (name, attributes = {}, text = "") => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.textContent = text;
    return element;
  };
  const shape = (name, attributes = {}) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };
  const button = (label, name, act) => {
    const element = make("button", { type: "button", "aria-label": name, title: name }, label);
    element.addEventListener("click", act);
    return element;
  };
  const row = (...children) => {
    const element = make("div", { class: "replay-row" });
    element.append(...children);
    return element;
  };

  const words = (data) => {
    if (Array.isArray(data)) return `[${data.map(words).join(", ")}]`;
    if (typeof data !== "object" || data === null) return { true: "yes", false: "no" }[data] ?? String(data ?? "–");
    const known = Object.entries(data).filter(([, value]) => value !== null);
    return known.map(([key, value]) => `${key.replaceAll("_", " ")} ${words(value)}`).join(", ");
  };

  const svg = shape("svg", { role: "img", "aria-label": "The match at this step", viewBox: "0 0 400 300" });
  const still = shape("g");
  const moving = shape("g");
  svg.append(still, moving);
  const title = make("p", { class: "replay-title", role: "status", "aria-live": "polite" });
  const where = make("p", { class: "replay-where" });
  const scrub = make("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": "Step" });
  const play = button("Play", "Play or pause", () => toggle());
  const speed = make("select", { "aria-label": "Steps a second" });
  for (const value of SPEEDS) speed.append(make("option", { value }, `${value} / s`));
  speed.value = "2";
  const fact = make("select", { "aria-label": "Kind of fact to jump to" });
  const link = make("a", { href: "?turn=0" }, "Link to this turn");
  const why = make("a", { hidden: "" }, "Why it played so");
  const doubt = make("p", { class: "replay-doubt", hidden: "" });
  const found = make("ul", { "aria-label": "Facts found here" });
  const back = button("Back", "One step back", () => go(at - 1));
  const next = button("Next", "One step on", () => go(at + 1));
  const first = button("First", "First step", () => go(0));
  const last = button("Last", "Last step", () => go(steps.length - 1));
  const before = button("Previous fact", "Step before with such a fact", () => jump(-1));
  const after = button("Next fact", "Next step with such a fact", () => jump(1));
  const view = make("select", { "aria-label": "Whose view" });
  const viewRow = row(view);
  viewRow.hidden = true;
  root.append(viewRow, svg, title, where, doubt, scrub, row(first, back, play, next, last, speed),
    row(fact, before, after, link, why), found,
    make("p", { class: "replay-keys" }, "Keys: space plays and pauses, ← and → step, Home and End jump."));

  // Who sits where, as the page says it.
  const listed = (seat) => document.querySelector(`.names [data-seat="${seat}"]`);
  const named = (seat) => {
    const name = listed(seat)?.querySelector("strong")?.textContent;
    return `seat ${seat}${name ? ` (${name})` : ""}`;
  };
  const reasons = (step) => {
    const path = listed(step.seat)?.dataset.why || root.dataset.why;
    if (!path || step.entry === null) return "";
    const url = new URL(path, location.href);
    url.searchParams.set("entry", step.entry);
    return url.pathname + url.search;
  };

  const show = () => {
    const step = steps[at];
    if (!step) return;
    // Until its picture is here, the last one stays, as what it is.
    svg.setAttribute("aria-busy", step.picture === undefined);
    if (step.picture !== undefined) moving.innerHTML = step.picture;
    if (root.dataset.src) draw();
    svg.setAttribute("aria-label", step.title);
    title.textContent = step.title;
    where.textContent = `Step ${at + 1} of ${steps.length}, turn ${step.turn}` +
      (live ? ", running" : "") + (step.at ? `, ${step.at.replace("T", " ").slice(0, 19)}` : "");
    scrub.max = steps.length - 1;
    scrub.value = at;
    scrub.setAttribute("aria-valuetext", `Step ${at + 1}: ${step.title}`);
    const here = new URLSearchParams({ turn: step.turn });
    if (viewed) here.set("view", viewed);
    link.href = `?${here}`;
    why.href = reasons(step);
    why.hidden = !reasons(step);
    first.disabled = back.disabled = at === 0;
    next.disabled = last.disabled = at === steps.length - 1;
    found.replaceChildren(...step.facts.map((one) => {
      const who = one.seats.length ? `, as ${one.seats.map(named).join(" and ")} saw it` : "";
      return make("li", {}, `${one.kind.replaceAll("_", " ")}${who}: ${words(one.data)}`);
    }));
  };
  const go = (to) => {
    at = Math.max(0, Math.min(steps.length - 1, to));
    show();
  };
  const tick = () => {
    clearTimeout(timer);
    if (!playing) return;
    if (at < steps.length - 1) go(at + 1);
    else if (!live) return toggle(false);
    timer = setTimeout(tick, 1000 / Number(speed.value));
  };
  const toggle = (on = !playing) => {
    playing = on;
    play.textContent = playing ? "Pause" : "Play";
    clearTimeout(timer);
    if (!playing) return;
    if (at === steps.length - 1 && !live) go(0);
    timer = setTimeout(tick, 1000 / Number(speed.value));
  };
  const jump = (by) => {
    for (let to = at + by; to >= 0 && to < steps.length; to += by) {
      const facts = steps[to].facts;
      if (facts.some((one) => !fact.value || one.kind === fact.value)) return go(to);
    }
  };
  const listKinds = () => {
    const all = [...new Set(steps.flatMap((step) => step.facts.map((one) => one.kind)))].sort();
    if (all.join() === kinds && fact.options.length) return;
    kinds = all.join();
    const chosen = fact.value;
    fact.replaceChildren(make("option", { value: "" }, "Any fact"),
      ...all.map((kind) => make("option", { value: kind }, kind)));
    fact.value = all.includes(chosen) ? chosen : "";
    fact.disabled = before.disabled = after.disabled = all.length === 0;
  };
  // The place that the address asks for: a turn, or an entry in a seat's transcript.
  const asked = Object.fromEntries(new URLSearchParams(location.search));
  let wanted = "turn" in asked || "entry" in asked ? asked : null;
  // The seat whose view it is; empty: everything, or the only one.
  let viewed = asked.view || "";
  // Where that is; -1 if it may be yet to come. Entries are in order only within one seat's transcript, and not every
  // entry changes what is to be seen: then a fact of the wanted kind gives the step.
  const place = (whole) => {
    if ("turn" in wanted) return steps.findIndex((step) => step.turn >= Number(wanted.turn));
    const entry = Number(wanted.entry);
    const own = (step) => !wanted.seat || String(step.seat) === wanted.seat;
    const later = steps.findIndex((step) => own(step) && step.entry > entry);
    if (later < 0 && !whole) return -1;
    const end = later < 0 ? steps.length : later;
    const begin = Math.max(0, steps.findLastIndex((step, at) => at < end && own(step) && step.entry <= entry));
    const matches = (one) => one.kind === wanted.kind && one.seats.map(String).includes(wanted.seat);
    const found = steps.findIndex((step, at) => at >= begin && at < end && step.facts.some(matches));
    return found < 0 ? begin : found;
  };

  // What all pictures have alike.
  const dress = (picture) => {
    if (picture && picture.still !== shownStill) {
      shownStill = picture.still;
      still.innerHTML = shownStill;
      svg.setAttribute("viewBox", `0 0 ${picture.width} ${picture.height}`);
    }
    svg.toggleAttribute("hidden", shownStill === null);
  };
  const take = (data) => {
    // Of a match that runs, the newest is shown, until the reader goes back.
    const newest = steps.length ? live && at === steps.length - 1 : data.live && wanted === null;
    steps.push(...data.items);
    live = Boolean(data.live);
    dress(data.picture);
    const doubts = (data.differences ?? []).map((one) => `It may be wrong: ${one}.`);
    if (data.cut) doubts.push(`The match goes on, but a replay has no more than ${data.steps ?? steps.length} steps.`);
    doubt.textContent = doubts.join(" ");
    doubt.hidden = !doubts.length;
    if (!steps.length) title.textContent = data.withheld || "There is nothing to be seen yet.";
    if (wanted !== null) {
      const index = place(data.next === null);
      if (index >= 0) [at, wanted] = [index, null];
      else if (data.next === null) at = steps.length - 1;
    } else if (newest) {
      at = steps.length - 1;
    }
    listKinds();
    show();
  };

  for (const select of [speed, fact]) select.addEventListener("change", () => playing && tick());
  scrub.addEventListener("input", () => go(Number(scrub.value)));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    // Elsewhere on the page these keys scroll what has the focus.
    if (event.target !== document.body && !root.contains(event.target)) return;
    if (event.target.closest("select")) return;
    const acts = {
      ArrowLeft: () => go(at - 1), ArrowRight: () => go(at + 1), Home: () => go(0),
      End: () => go(steps.length - 1),
    };
    if (!event.target.closest("button, a, summary")) acts[" "] = () => toggle();
    if (!acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
  });

  // A link to an entry elsewhere on the page leads here without loading anything.
  document.addEventListener("click", (event) => {
    const to = event.target.closest("[data-entry]");
    if (!to || !steps.length || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    toggle(false);
    wanted = { ...to.dataset };
    go(place(true));
    wanted = null;
    root.scrollIntoView({ block: "nearest" });
  });

  const inlined = document.getElementById("replay-data");
  if (inlined) {
    // Compressed, as one picture is much like the next.
    const bytes = Uint8Array.from(atob(inlined.textContent.trim()), (letter) => letter.charCodeAt(0));
    const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    new Response(unpacked).json().then(take, (error) => {
      title.textContent = `This browser cannot read it: ${error.message}`;
    });
    return;
  }

  let round = 0;
  let reading = false;
  let more = false;
  const read = async () => {
    more = reading;
    if (reading) return;
    reading = true;
    root.dataset.whole = "false";
    const mine = round;
    const whole = await page(mine);
    reading = false;
    root.dataset.whole = whole;
    if (mine !== round || more) return read();
    if (!whole) setTimeout(() => mine === round && read(), RETRY_MS);
  };
  // A part of the replay. What is refused, gone or not there does not come by asking again.
  const ask = async (parameters) => {
    const url = new URL(root.dataset.src, location.href);
    url.searchParams.set("states", "false");
    if (viewed) url.searchParams.set("seat", viewed);
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    const response = await fetch(url, { headers: { accept: "application/json" } });
    const data = await response.json().catch(() => ({}));
    if (response.ok) return data;
    const lasting = response.status >= 400 && response.status < 500;
    throw Object.assign(new Error(data.detail || response.statusText), { lasting });
  };
  const failed = (error) => {
    where.textContent = `It cannot be read: ${error.message}`;
    return Boolean(error.lasting);
  };
  const page = async (mine) => {
    const from = steps.length ? { cursor: steps[steps.length - 1].step } : {};
    const data = await ask({ limit: PAGE, ...from }).catch((error) => ({ error }));
    if (mine !== round) return false;
    if (data.error) return failed(data.error);
    if (!steps.length && data.seats.length > 1) listViews(data);
    take(data);
    return data.next === null || page(mine);
  };

  // The first step about the one that is shown whose picture is not here.
  const lacking = () => {
    const bare = (step) => step.picture === undefined;
    const begin = at - at % DRAWN;
    const near = steps.slice(begin, at + AHEAD);
    const first = near.findIndex(bare);
    const needed = steps[at] && bare(steps[at]) || near.slice(at - begin).some(bare);
    return needed ? begin + first : null;
  };
  let drawing = false;
  const draw = async () => {
    if (drawing) return;
    drawing = true;
    const mine = round;
    for (let from = lacking(); from !== null && mine === round; from = lacking()) {
      const data = await ask({ pictures: true, from, limit: DRAWN }).catch((error) => ({ error }));
      if (mine !== round) break;
      if (data.error && !failed(data.error)) {
        setTimeout(show, RETRY_MS);
        break;
      }
      dress(data.picture);
      for (const step of steps.slice(from, from + DRAWN)) step.picture ??= "";
      for (const item of data.items ?? []) {
        if (steps[item.step]) steps[item.step].picture = item.picture ?? "";
      }
      for (const step of steps) if (Math.abs(step.step - at) > KEPT) delete step.picture;
      if (!data.error) show();
    }
    drawing = false;
    if (mine !== round) draw();
  };
  const listViews = (data) => {
    const seats = data.seats.filter((seat) => seat !== null);
    if (view.options.length) return;
    view.append(...(data.everything || viewed ? [make("option", { value: "" }, "Everything")] : []),
      ...seats.map((seat) => make("option", { value: seat }, `Seen by ${named(seat)}`)));
    if (!data.everything && data.seat === null) view.prepend(make("option", { value: "" }, "Choose a seat"));
    view.value = data.seat === null ? "" : String(data.seat);
    viewRow.hidden = false;
  };
  view.addEventListener("change", () => {
    viewed = view.value;
    wanted = steps[at] ? { turn: steps[at].turn } : null;
    steps.length = 0;
    at = 0;
    round += 1;
    read();
  });
  root.addEventListener("replay-more", () => live && read());
  read();
})();
