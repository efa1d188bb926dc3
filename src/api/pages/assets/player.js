"use strict";
// Shows a match step by step. What is shown are fragments of SVG that each game has drawn itself, its sentences and its
// figures; this script knows no game. Its charts are charts.js. It fills the element #replay from the JSON in
// #replay-data, or, where that is absent, from the address in its data-src (a match's replay in the REST interface):
// what happened at each step, and the pictures around the step that is shown. It reads on whenever there is more (the
// event `replay-more`).
(() => {
  const root = document.getElementById("replay");
  if (!root) return;
  const RETRY_MS = 5000;
  // Steps read at a time; pictures read at a time, and before they are needed; pictures kept on either side; steps in
  // the list on either side.
  const PAGE = 250;
  const DRAWN = 25;
  const AHEAD = 8;
  const KEPT = 1000;
  const LISTED = 120;
  const SPEEDS = [0.5, 1, 2, 4, 8, 16];
  const COLOURS = 10;
  const steps = [];
  let [at, timer, total] = [0, 0, 0];
  let [playing, live] = [false, false];
  let shownStill = null;
  let [measures, turn, kinds] = [[], "turn", {}];

  const filled = (element, attributes, text) => {
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.textContent = text;
    return element;
  };
  const make = (name, attributes = {}, text = "") => filled(document.createElement(name), attributes, text);
  const shape = (name, attributes = {}, text = "") =>
    filled(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, text);
  const button = (label, name, act) => {
    const element = make("button", { type: "button", "aria-label": name, title: name }, label);
    element.addEventListener("click", act);
    return element;
  };
  const box = (name, ...children) => {
    const element = make("div", { class: name });
    element.append(...children);
    return element;
  };
  const row = (...children) => box("replay-row", ...children);

  // Who sits where, as the page says it.
  const listed = (seat) => document.querySelector(`.names [data-seat="${seat}"]`);
  const named = (seat) => listed(seat)?.querySelector("strong")?.textContent || `Seat ${seat + 1}`;
  const colour = (seat) => listed(seat)?.querySelector("circle")?.getAttribute("class") || `s-p${seat % COLOURS}`;
  const writer = (one) => one.seat === null ? "our program" : named(one.seat);
  const reasons = (step) => {
    const path = listed(step.seat)?.dataset.why || root.dataset.why;
    if (!path || step.entry === null) return "";
    const url = new URL(path, location.href);
    url.searchParams.set("entry", step.entry);
    return url.pathname + url.search;
  };
  const lasted = (ms) => {
    if (ms < 1) return ms < 0.0005 ? "< 1 µs" : `${Math.round(ms * 1000)} µs`;
    return ms < 1000 ? `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
  };

  // Some boards are laid out otherwise for phones. A page brings the first picture in each layout.
  const narrow = matchMedia("(max-width: 46rem)");
  const brought = root.querySelector(`.board:not(.${narrow.matches ? "wide" : "narrow"})`);
  const svg = shape("svg", { class: "board", role: "img", "aria-label": "The match at this step", viewBox: brought?.getAttribute("viewBox") ?? "0 0 400 400" });
  svg.innerHTML = brought?.innerHTML ?? "<g></g><g></g>";
  const [still, moving] = svg.children;
  const title = make("p", { class: "replay-title", role: "status", "aria-live": "polite" });
  const where = make("p", { class: "replay-where" });
  const scrub = make("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": "Step" });
  const play = button("Play", "Play or pause", () => toggle());
  const speed = make("select", { "aria-label": "Steps a second" });
  for (const value of SPEEDS) speed.append(make("option", { value }, `${value} steps/s`));
  speed.value = "2";
  const embedded = document.body.classList.contains("embed");
  const link = make("a", { href: "?step=1" }, "Link to this step");
  if (embedded) Object.assign(link, { target: "_blank", rel: "noopener" });
  const why = make("a", { hidden: "" }, "Why");
  const wrote = make("span");
  const doubt = make("p", { class: "replay-doubt", hidden: "" });
  const picture = button("Save picture", "Save picture: this step as a PNG file", () => save());
  const back = button("‹", "One step back", () => go(at - 1));
  const next = button("›", "One step on", () => go(at + 1));
  const first = button("«", "First step", () => go(0));
  const last = button("»", "Last step", () => go(steps.length - 1));
  const view = make("select", { "aria-label": "Whose view" });
  const kind = make("select", { "aria-label": "Which steps" });
  const whose = make("select", { "aria-label": "Whose steps" });
  view.hidden = true;
  const counted = make("p", { class: "replay-turn" });
  const list = make("ol", { class: "replay-list", "aria-label": "Steps" });
  const charts = box("replay-charts");
  root.replaceChildren(
    box("replay-main", svg, title, box("replay-bar", scrub, row(first, back, play, next, last, speed, where)),
      doubt, row(link, picture, why, wrote)),
    box("replay-side", row(kind, whose, view), counted, list),
    charts,
    make("p", { class: "replay-keys" }, "Keys: space plays and pauses, ← and → step, Home and End jump."));

  // The list of steps: those about the one that is shown, of the chosen kind and seat.
  const fits = (step) => {
    const facts = step.facts.filter((one) => !kind.value || one.kind === kind.value);
    if (kind.value === "late" ? !step.late : kind.value && !facts.length) return false;
    if (whose.value === "") return true;
    const seat = Number(whose.value);
    return step.seat === seat || facts.some((one) => one.seats.includes(seat));
  };
  const turning = (step) => step.facts.some((one) => one.turns);
  const details = (step) => {
    const facts = make("ul");
    for (const one of step.facts.filter((one) => kind.value || one.sentence !== step.title)) {
      const seats = one.seats.length ? `, seen by ${one.seats.map(named).join(" and ")}` : "";
      facts.append(make("li", {
        "data-kind": one.kind, class: one.turns ? "replay-turns" : "",
        title: kinds[one.kind] + seats,
      }, one.sentence));
    }
    return facts.firstChild ? [facts] : [];
  };
  // What was received and answered at the step that is shown, and why: of the page of the decision, or else of the
  // transcript. It is read once it is opened.
  const said = make("details", { class: "replay-said" });
  let about = null;
  const messages = (step) => {
    if (embedded || !root.dataset.src || step.entry === null) return [];
    if (about !== step) {
      about = step;
      said.open = false;
      said.replaceChildren(make("summary", {}, reasons(step) ? "Reason, time and messages" : "Message"));
    }
    return [said];
  };
  said.addEventListener("toggle", async () => {
    if (!said.open || said.children.length > 1) return;
    const [step, why] = [about, reasons(about)];
    said.append(make("p", {}, "Reading …"));
    const places = [[`/matches/${id()}?tab=transcript&entry=${step.entry}`, `#e${step.entry} .wire`]];
    if (why) places.unshift([why, "[data-reason]"]);
    let parts = [];
    for (const [from, wanted] of places) {
      const page = await fetch(from, { headers: { accept: "text/html" } }).then((answer) => answer.text()).catch(() => "");
      parts = [...new DOMParser().parseFromString(page, "text/html").querySelectorAll(wanted)];
      if (parts.length) break;
    }
    for (const part of parts) part.open = true;
    if (about !== step) return;
    said.lastChild.replaceWith(...(parts.length ? parts : [make("p", {}, "It cannot be shown.")]));
    // They scroll.
    for (const text of said.querySelectorAll("pre, .wire")) text.tabIndex = 0;
  });
  // A line of the list: a step, or a run of quiet ones. What was found at a step is listed where it is shown or was chosen.
  const item = ({ from, to }, shown) => {
    const step = steps[from];
    const run = to - from > 1;
    const press = make("button", { type: "button", "data-step": from, tabindex: -1,
      class: turning(step) ? "replay-turns" : step.quiet ? "replay-quiet" : "" });
    const [begin, end] = [from, to - 1].map((at) => steps[at].turn);
    // Nothing before the first turn has a number.
    const number = begin < end && end > 1 ? `${Math.max(1, begin)}–${end}` : end > 0 ? end : "";
    press.append(make("span", { class: "replay-turn", title: turn }, number));
    if (!run && step.subject !== undefined) {
      const dot = shape("svg", { class: "dot", viewBox: "0 0 10 10", "aria-hidden": "true" });
      dot.append(shape("circle", { class: colour(step.subject), cx: 5, cy: 5, r: 5 }));
      press.append(dot);
    }
    press.append(make("span", {}, run ? `${to - from} quiet steps` : step.title));
    if (!run && step.took_ms !== undefined) {
      // A sentence about another player may follow from this answer.
      const theirs = (step.seat ?? null) !== null && (step.subject ?? step.seat) !== step.seat;
      const took = lasted(step.took_ms);
      press.append(make("span", { class: "replay-took", title: "answer time" }, theirs ? `${named(step.seat)} ${took}` : took));
    }
    if (step.late) press.append(make("span", { class: "replay-late" }, "late"));
    const line = make("li");
    line.append(press);
    for (const one of step.stderr ?? []) {
      line.append(make("pre", { title: `standard error of ${writer(one)}` }, one.text + (one.cut ? "\n…" : "")));
    }
    if (shown || kind.value) line.append(...details(step));
    if (shown) line.append(...messages(step));
    return line;
  };
  const more = (label, to) => {
    const line = make("li");
    const on = button(label, label, () => go(to));
    on.tabIndex = -1;
    line.append(on);
    return line;
  };
  // The rows that are listed, and what they were made for; others are made where the step that is shown is not among them.
  let rows = [];
  let made = "";
  const calm = (step) => step.quiet && !turning(step) && !step.late && !step.stderr?.length && !kind.value && whose.value === "";
  const parted = (shown) => {
    const parts = [];
    for (const step of shown) {
      const last = parts.at(-1);
      if (last?.calm && calm(step) && last.to === step.step) last.to += 1;
      else parts.push({ from: step.step, to: step.step + 1, calm: calm(step) });
    }
    return parts;
  };
  const relist = () => {
    const all = parted(steps.filter(fits));
    const here = Math.max(0, all.findLastIndex((row) => row.from <= at));
    const from = Math.max(0, here - LISTED);
    rows = all.slice(from, here + LISTED);
    const end = from + rows.length;
    for (const row of rows) row.lines = [item(row)];
    list.replaceChildren(...(from > 0 ? [more("Earlier steps", all[from - 1].from)] : []),
      ...rows.flatMap((row) => row.lines),
      ...(end < all.length ? [more("Later steps", all[end].from)] : []));
    if (!rows.length) list.append(make("li", { class: "replay-none" }, "No such step."));
    [rows.begin, rows.end] = [from > 0 ? rows[0].from : 0, end < all.length ? rows.at(-1).from : Infinity];
  };
  let current = null;
  const enlist = () => {
    const key = `${kind.value}/${whose.value}/${steps.length}`;
    // New rows are not focused, so this is asked before they are made.
    const focused = list.contains(document.activeElement) && document.activeElement;
    const scrolled = [...said.querySelectorAll("pre, .wire")].map((text) => [text, text.scrollTop]);
    if (made !== key || at < rows.begin || at >= rows.end) {
      relist();
      [made, current] = [key, null];
    }
    const now = rows.findLast((one) => one.from <= at);
    // A run is parted by the step that is shown.
    const rewrite = (one, shown) => {
      const parts = shown === undefined ? [one] : [{ from: one.from, to: shown }, { from: shown, to: shown + 1 }, { from: shown + 1, to: one.to }];
      const lines = parts.filter(({ from, to }) => from < to).map((part) => item(part, part.from === shown));
      one.lines[0].before(...lines);
      for (const line of one.lines) line.remove();
      one.lines = lines;
    };
    if (current && current !== now) rewrite(current);
    current = now;
    if (!now) return;
    const shown = Math.min(at, now.to - 1);
    rewrite(now, shown);
    const line = now.lines[shown > now.from ? 1 : 0];
    const to = line.firstChild;
    to.setAttribute("aria-current", "step");
    to.tabIndex = 0;
    // What is read below the step stays where it is.
    if (focused) (said.isConnected && said.contains(focused) ? focused : to).focus({ preventScroll: true });
    for (const [text, top] of scrolled) text.scrollTop = top;
    // Only the list scrolls, not the page.
    const [top, height] = [line.offsetTop - list.offsetTop, line.offsetHeight];
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top + height > list.scrollTop + list.clientHeight) list.scrollTop = top + Math.min(height, list.clientHeight) - list.clientHeight;
  };
  list.addEventListener("click", (event) => {
    const to = event.target.closest("[data-step]");
    if (!to) return;
    toggle(false);
    go(Number(to.dataset.step));
  });
  list.addEventListener("keydown", (event) => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!by || !event.target.closest("[data-step]")) return;
    event.preventDefault();
    jump(by);
    list.querySelector("[aria-current]")?.focus({ preventScroll: true });
  });

  const draws = replayCharts(charts, { shape, make, named, colour, go: (to) => {
    toggle(false);
    go(to);
  } });
  const plot = () => steps.length && draws(steps, { measures, turn, at, view: viewed });
  new ResizeObserver(plot).observe(charts);

  // The step that is to be saved once its picture is here, unless another one is shown before.
  let awaited = null;
  const show = () => {
    const step = steps[at];
    if (!step) return;
    // Until its picture is here, the last one stays.
    svg.setAttribute("aria-busy", step.picture === undefined);
    if (step.picture !== undefined) moving.innerHTML = step.picture;
    if (awaited !== at) awaited = null;
    else if (step.picture !== undefined) save();
    if (root.dataset.src) draw();
    svg.setAttribute("aria-label", step.title);
    title.textContent = step.title;
    where.dataset.turn = step.turn;
    where.textContent = `Step ${at + 1} of ${Math.max(total, steps.length)}` +
      (step.turn ? `, ${turn} ${step.turn}` : "") + (live ? ", running" : "") +
      (step.took_ms === undefined ? "" : `, answered in ${lasted(step.took_ms)}`);
    where.title = step.at ? `${step.at.replace("T", " ").slice(0, 19)} UTC` : "";
    scrub.max = steps.length - 1;
    scrub.value = at;
    scrub.setAttribute("aria-valuetext", `Step ${at + 1}: ${step.title}`);
    const here = new URLSearchParams({ step: at + 1 });
    if (viewed) here.set("view", viewed);
    link.href = `${embedded ? `/matches/${id()}` : ""}?${here}`;
    why.href = reasons(step);
    why.hidden = !reasons(step);
    wrote.replaceChildren(...(step.stderr ?? []).map((one) => make("a",
      { href: `?tab=decisions&session=${one.session}#stderr-${one.session}-${one.number}` },
      `Standard error of ${writer(one)}`)));
    first.disabled = back.disabled = at === 0;
    next.disabled = last.disabled = at === steps.length - 1;
    enlist();
    plot();
  };
  const go = (to) => {
    at = Math.max(0, Math.min(steps.length - 1, to));
    show();
  };
  const tick = () => {
    clearTimeout(timer);
    if (!playing) return;
    if (at < steps.length - 1) go(at + 1);
    else if (!live && settings.loop === "1") go(0);
    else if (!live) return toggle(false);
    timer = setTimeout(tick, 1000 / Number(speed.value));
  };
  const toggle = (on = !playing) => {
    playing = on;
    // Nobody can listen to every step of it.
    title.setAttribute("aria-live", playing ? "off" : "polite");
    play.textContent = playing ? "Pause" : "Play";
    clearTimeout(timer);
    if (!playing) return;
    if (at === steps.length - 1 && !live) go(0);
    timer = setTimeout(tick, 1000 / Number(speed.value));
  };
  // The picture as a file. A copy of it brings the colours that the page's styles give it.
  const DRESS = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap",
    "stroke-linejoin", "opacity", "font-family", "font-size", "font-weight", "text-anchor", "visibility"];
  const SCALE = 2;
  const id = () => root.dataset.src?.match(/matches\/([^/]+)/)?.[1] ?? "match";
  const download = async () => {
    const name = `${id()}-step-${at + 1}.png`;
    const copy = svg.cloneNode(true);
    const [own, copied] = [svg, copy].map((one) => [one, ...one.querySelectorAll("*")]);
    own.forEach((element, index) => {
      const style = getComputedStyle(element);
      for (const name of DRESS) copied[index].setAttribute(name, style.getPropertyValue(name));
    });
    const { width, height } = svg.viewBox.baseVal;
    for (const [name, value] of Object.entries({ width: SCALE * width, height: SCALE * height })) copy.setAttribute(name, value);
    copy.prepend(shape("rect", { width, height, fill: getComputedStyle(document.body).backgroundColor }));
    const image = new Image();
    image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
    await image.decode();
    const canvas = make("canvas", { width: SCALE * width, height: SCALE * height });
    canvas.getContext("2d").drawImage(image, 0, 0);
    make("a", { href: canvas.toDataURL("image/png"), download: name }).click();
  };
  const save = () => {
    awaited = at;
    // Then it is saved when it is shown.
    if (svg.getAttribute("aria-busy") === "true") return;
    awaited = null;
    download().catch((error) => {
      where.textContent = `It cannot be saved: ${error.message}`;
    });
  };
  const jump = (by) => {
    for (let to = at + by; to >= 0 && to < steps.length; to += by) if (fits(steps[to])) return go(to);
  };
  // A choice keeps what is chosen while there is more to choose from.
  const choices = (select, options) => {
    const key = JSON.stringify(options);
    if (select.dataset.key === key) return;
    select.dataset.key = key;
    const chosen = select.value;
    select.replaceChildren(...options.map(([value, words]) => make("option", { value }, words)));
    select.value = options.some(([value]) => value === chosen) ? chosen : "";
    select.hidden = options.length < 2;
  };
  const choose = () => {
    const found = [...new Set(steps.flatMap((step) => step.facts.map((one) => one.kind)))].sort();
    choices(kind, [["", "All steps"], ...(steps.some((step) => step.late) ? [["late", "late answers"]] : []),
      ...found.map((one) => [one, kinds[one]])]);
    const seats = [...new Set(steps.flatMap((step) => [step.seat, ...step.facts.flatMap((one) => one.seats)]))];
    const known = seats.filter((seat) => seat !== null && seat !== undefined).sort((one, other) => one - other);
    choices(whose, [["", "All players"], ...known.map((seat) => [String(seat), named(seat)])]);
  };
  // The place that the address or else the page asks for: a step, a turn, or an entry in a seat's transcript.
  const asked = Object.fromEntries(new URLSearchParams(location.search));
  // What else it asks for in another site's frame, or our own page.
  const settings = embedded ? asked : root.dataset;
  if (SPEEDS.includes(Number(settings.speed))) speed.value = String(Number(settings.speed));
  if (["light", "dark"].includes(settings.theme)) document.documentElement.dataset.theme = settings.theme;
  let starts = settings.autoplay === "1" && (embedded || !matchMedia("(prefers-reduced-motion: reduce)").matches);
  let wanted = [asked, root.dataset].find((one) => ["step", "turn", "entry"].some((name) => name in one)) ?? null;
  // The seat whose view it is; empty: everything, or the only one.
  let viewed = asked.view || "";
  // Where that is; -1 if it may be yet to come. Entries are in order only within one seat's transcript, and not every
  // entry changes what is to be seen: then a fact of the wanted kind gives the step.
  const place = (whole) => {
    if ("step" in wanted) {
      const index = Math.max(1, Math.trunc(Number(wanted.step)) || 1) - 1;
      return index < steps.length ? index : -1;
    }
    if ("turn" in wanted) return steps.findIndex((step) => step.turn >= Number(wanted.turn));
    const entry = Number(wanted.entry);
    // A step after the answers of several is nobody's alone.
    const own = (step) => !wanted.seat || step.seat === null || step.seat === undefined || String(step.seat) === wanted.seat;
    const exact = steps.findIndex((step) => step.entry === entry);
    if (exact >= 0) return exact;
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
  // Why nothing is shown; the interface says it to programs.
  const withheld = (data) => data.seats?.length > 1
    ? "Each player has a view of its own: choose one."
    : "What a seat knows is its owner's while the match runs. Everybody can read it some time after the end.";
  const take = (data) => {
    // Of a match that runs, the newest is shown, until the reader goes back.
    const newest = steps.length ? live && at === steps.length - 1 : data.live && wanted === null;
    steps.push(...data.items);
    [measures, turn, kinds] = [data.measures ?? measures, data.turn || turn, { ...kinds, ...data.kinds }];
    counted.textContent = turn;
    [live, total] = [Boolean(data.live), data.steps ?? 0];
    // Until pictures have been asked for, the board keeps its place.
    if (data.picture || !root.dataset.src || !steps.length) dress(data.picture);
    const doubts = (data.differences ?? []).map((one) => `It may be wrong: ${one}.`);
    if (data.cut) doubts.push(`The match goes on, but a replay has no more than ${data.steps ?? steps.length} steps.`);
    doubt.textContent = doubts.join(" ");
    doubt.hidden = !doubts.length;
    if (!steps.length) title.textContent = data.withheld ? withheld(data) : "There is nothing to be seen yet.";
    if (wanted !== null) {
      const index = place(data.next === null);
      if (index >= 0) [at, wanted] = [index, null];
      else if (data.next === null) [at, wanted] = [steps.length - 1, null];
    } else if (newest) {
      at = steps.length - 1;
    }
    choose();
    show();
    if (starts && steps.length && wanted === null) {
      starts = false;
      toggle(true);
    }
  };

  speed.addEventListener("change", () => playing && tick());
  for (const select of [kind, whose]) select.addEventListener("change", enlist);
  scrub.addEventListener("input", () => go(Number(scrub.value)));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    // Elsewhere on the page these keys scroll what has the focus.
    if (event.target !== document.body && !root.contains(event.target)) return;
    // The start page is more than its match: there they are the page's own.
    if (event.target === document.body && root.closest(".start")) return;
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

  let reads = 0;
  let reading = false;
  let again = false;
  const read = async () => {
    again = reading;
    if (reading) return;
    reading = true;
    root.dataset.whole = "false";
    const mine = reads;
    const whole = await page(mine);
    reading = false;
    root.dataset.whole = whole;
    root.dataset.runs = live;
    if (mine !== reads || again) return read();
    // An embedded page receives no events: it asks again.
    if (!whole || live && embedded) setTimeout(() => mine === reads && read(), RETRY_MS);
  };
  // A part of the replay. What is refused, gone or not there does not come by asking again; what came too late or too
  // often does.
  const ask = async (parameters) => {
    const url = new URL(root.dataset.src, location.href);
    url.searchParams.set("states", "false");
    if (viewed) url.searchParams.set("seat", viewed);
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    const response = await fetch(url, { headers: { accept: "application/json" } });
    const data = await response.json().catch(() => ({}));
    if (response.ok) return data;
    const lasting = response.status >= 400 && response.status < 500 && ![408, 429].includes(response.status);
    throw Object.assign(new Error(data.detail || response.statusText), { lasting });
  };
  const failed = (error) => {
    awaited = null;
    where.textContent = `It cannot be read: ${error.message}`;
    return Boolean(error.lasting);
  };
  const page = async (mine) => {
    const from = steps.length ? { cursor: steps[steps.length - 1].step } : {};
    const data = await ask({ limit: PAGE, stderr: !embedded, ...from }).catch((error) => ({ error }));
    if (mine !== reads) return false;
    if (data.error) {
      if (data.error.lasting) live = false;
      return failed(data.error);
    }
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
    const mine = reads;
    for (let from = lacking(); from !== null && mine === reads; from = lacking()) {
      // Not those that are read meanwhile.
      const end = Math.min(steps.length, from + DRAWN);
      const data = await ask({ pictures: true, narrow: narrow.matches, from, limit: DRAWN }).catch((error) => ({ error }));
      if (mine !== reads) break;
      if (data.error && !failed(data.error)) {
        // Until then nothing is asked for.
        setTimeout(() => {
          drawing = false;
          show();
        }, RETRY_MS);
        return;
      }
      dress(data.picture);
      for (const step of steps.slice(from, end)) step.picture ??= "";
      for (const item of data.items ?? []) {
        if (steps[item.step]) steps[item.step].picture = item.picture ?? "";
      }
      for (const step of steps) if (Math.abs(step.step - at) > KEPT) delete step.picture;
      if (!data.error) show();
    }
    drawing = false;
    if (mine !== reads) draw();
  };
  const listViews = (data) => {
    const seats = data.seats.filter((seat) => seat !== null);
    if (view.options.length) return;
    view.append(...(data.everything || viewed ? [make("option", { value: "" }, "Show: all")] : []),
      ...seats.map((seat) => make("option", { value: seat }, `As ${named(seat)} sees it`)));
    if (!data.everything && data.seat === null) view.prepend(make("option", { value: "" }, "Choose a seat"));
    view.value = data.seat === null ? "" : String(data.seat);
    view.hidden = false;
  };
  narrow.addEventListener("change", () => {
    for (const step of steps) delete step.picture;
    reads += 1;
    read();
  });
  view.addEventListener("change", () => {
    viewed = view.value;
    wanted = steps[at] ? { turn: steps[at].turn } : null;
    steps.length = 0;
    at = 0;
    reads += 1;
    rows = [];
    made = "";
    read();
  });
  root.addEventListener("replay-more", () => live && read());
  read();
})();
