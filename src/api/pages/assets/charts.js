"use strict";
// Charts below a replay: the figures of every measure over the steps, each player in its colour and named where its
// line ends, with the game's turns below. A click leads to a step. They know no game, and belong to player.js.
globalThis.replayCharts = (charts, { shape, make, named, colour, go }) => {
  const HEIGHT = 176;
  const EDGE = { left: 50, top: 26, bottom: 34 };
  const FLOOR = HEIGHT - EDGE.bottom;
  // From one name to the next; letters of one, and units of a letter.
  const APART = 14;
  const LETTERS = { wide: 16, narrow: 10 };
  const LETTER = 8.5;
  // From one number below the lines to the next, about.
  const TICKS = 46;
  // A dash of a line that lies on another.
  const DASH = 6;
  const SIZE = { "font-size": 12 };
  let drawn = "";

  const round = (number) => Number(number.toFixed(1));
  // A name in a number of letters, with its seat where that belongs to it.
  const short = (name, letters) => {
    if (name.length <= letters) return name;
    const [, bare, seat] = name.match(/^(.*) (\d{1,3}|\(seat \d{1,3}\))$/) ?? [null, name, ""];
    const room = letters - (seat ? seat.length + 1 : 0);
    return `${bare.length > room ? `${bare.slice(0, room - 1).trimEnd()}…` : bare}${seat && ` ${seat}`}`;
  };
  // Round numbers from one to another, about as many as are wanted.
  const ticks = (low, high, wanted) => {
    const rough = (high - low) / Math.max(1, wanted);
    const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
    const step = Math.max(1, [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough) ?? power);
    const numbers = [];
    for (let number = Math.ceil(low / step) * step; number <= high; number += step) numbers.push(number);
    return numbers;
  };
  // Where each step lies from 0 to 1: turns are equally wide, and a turn's steps share its width on both sides of its number.
  const spread = (steps) => {
    const begins = new Map();
    steps.forEach((step, index) => begins.has(step.turn) || begins.set(step.turn, index));
    const ends = new Map([...begins.values()].map((begin, index, all) => [begin, all[index + 1] ?? steps.length]));
    const places = steps.map(({ turn }, index) => {
      const begin = begins.get(turn);
      return turn + (index - begin + 0.5) / (ends.get(begin) - begin) - 0.5;
    });
    const [begin, end] = [places[0], places[places.length - 1]];
    return places.map((place) => (place - begin) / (end - begin || 1));
  };
  // The step at which a seat's first figure moved most against the others'.
  const swing = (all) => {
    let best = { step: -1, by: 0, seat: 0 };
    for (let step = 1; step < all.length; step += 1) {
      const [was, is] = [all[step - 1]?.[0], all[step]?.[0]];
      // A swing needs the figures of all, before and after.
      if (!was || !is || was === is || [...was, ...is].includes(null)) continue;
      const moved = is.map((figure, seat) => figure - was[seat]);
      const mean = moved.reduce((sum, one) => sum + one, 0) / moved.length;
      moved.forEach((one, seat) => {
        if (Math.abs(one - mean) > Math.abs(best.by)) best = { step, by: one - mean, seat };
      });
    }
    return best;
  };
  const marked = (steps, all) => {
    const marks = [];
    for (const { step, late, facts, title } of steps) {
      if (late) marks.push({ step, sign: "late", words: `Late: ${title}` });
      for (const one of facts) if (one.turns) marks.push({ step, sign: "turn", words: one.sentence });
    }
    const most = swing(all);
    if (most.step > 0) {
      const by = Math.round(most.by);
      marks.push({ step: most.step, sign: "swing", words: `Biggest swing: ${named(most.seat)} ${by > 0 ? "+" : ""}${by} against the others` });
    }
    return marks;
  };

  // Names next to the ends of their lines, moved apart where they would cover each other. Where there is no room for all,
  // those with the most have theirs.
  const label = (picture, ends, left, letters) => {
    const room = Math.floor((FLOOR - EDGE.top) / APART) + 1;
    const shown = [...ends].sort((one, other) => other.value - one.value).slice(0, room);
    shown.sort((one, other) => one.y - other.y);
    let free = EDGE.top;
    shown.forEach((end, index) => {
      const y = Math.max(free, Math.min(end.y, FLOOR - APART * (shown.length - 1 - index)));
      free = y + APART;
      picture.append(shape("circle", { class: colour(end.seat), cx: left, cy: end.y, r: 3 }),
        shape("text", { class: `s-text s-bold ${colour(end.seat)}`, x: left + 7, y: round(y + 4), ...SIZE }, short(named(end.seat), letters)));
    });
  };
  const scales = (picture, { low, high, x, y, right }, steps, turn) => {
    for (const value of ticks(low, high, 3)) {
      picture.append(shape("path", { class: "s-line s-faint", d: `M${EDGE.left} ${y(value)}H${right}` }),
        shape("text", { class: "s-muted", x: EDGE.left - 5, y: y(value) + 4, "text-anchor": "end", ...SIZE }, value));
    }
    const [first, last] = [steps[0].turn, steps[steps.length - 1].turn];
    let free = EDGE.left - 1;
    for (const value of ticks(Math.max(1, first), last, (right - EDGE.left) / TICKS)) {
      const begin = steps.findIndex((step) => step.turn >= value);
      const at = (x(begin) + x(steps.findLastIndex((step) => step.turn === steps[begin].turn))) / 2;
      if (at < free) continue;
      free = at + 0.65 * TICKS;
      const words = shape("text", { class: "s-muted", x: at, y: FLOOR + 17, "text-anchor": "middle", ...SIZE }, value);
      picture.append(shape("path", { class: "s-line s-muted", d: `M${at} ${FLOOR}v4` }), words);
      picture.ticks.push({ at, words });
    }
    picture.append(shape("text", { class: "s-muted", x: 2, y: FLOOR + 17, ...SIZE }, turn));
  };
  // Lines that lie on each other are all seen: the first is whole, the others are dashes over it, each in a place of its own.
  const dashes = (seat, alike) => ({
    "stroke-dasharray": `${DASH} ${DASH * (alike.length - 1)}`, "stroke-dashoffset": DASH * (1 - alike.indexOf(`${seat}`)),
  });
  const lines = (picture, known, x, y) => {
    const seats = [...Array(Math.max(0, ...known.map((one) => one.length))).keys()];
    const held = [];
    const levels = known.map((one) => seats.map((seat) => held[seat] = one[seat] ?? held[seat] ?? null));
    const ends = [];
    for (const seat of seats) {
      // Its parts by those that lie on each other there; those where it is whole without a name.
      const parts = new Map([["", ""]]);
      const extend = (part, path) => parts.set(part, (parts.get(part) ?? "") + path);
      let [part, level] = [null, null];
      levels.forEach((all, step) => {
        if (all[seat] === null) return;
        const alike = seats.filter((other) => all[other] === all[seat]);
        const now = alike[0] === seat ? "" : alike.join();
        if (now === part && all[seat] === level) return;
        const [left, to] = [x(step), y(all[seat])];
        if (part !== null) extend(part, `H${left}`);
        if (part === now) {
          extend(now, `V${to}`);
        } else {
          if (part !== null && all[seat] !== level) extend("", `M${left} ${y(level)}V${to}`);
          extend(now, `M${left} ${to}`);
        }
        [part, level] = [now, all[seat]];
      });
      if (part === null) continue;
      extend(part, `H${x(known.length - 1)}`);
      for (const [alike, d] of parts) {
        if (!d) continue;
        const line = shape("path", { class: `s-line ${colour(seat)}`, d, "stroke-width": 2, ...(alike ? dashes(seat, alike.split(",")) : {}) });
        line.append(shape("title", {}, `${named(seat)}: ${level} at the end`));
        picture.append(line);
      }
      ends.push({ seat, value: level, y: y(level) });
    }
    return ends;
  };
  const chart = ({ name, known, marks, steps, places, turn, width }) => {
    const letters = width < 420 ? LETTERS.narrow : LETTERS.wide;
    const seats = [...known[known.length - 1].keys()];
    const longest = Math.max(1, ...seats.map((seat) => short(named(seat), letters).length));
    const right = width - 14 - LETTER * longest;
    const values = [...new Set(known.flat())].filter((one) => one !== null);
    const [low, high] = [Math.min(0, ...values), Math.max(1, ...values)];
    const x = (step) => round(EDGE.left + (right - EDGE.left) * places[step]);
    const y = (value) => round(EDGE.top + (FLOOR - EDGE.top) * (high - value) / (high - low));
    const picture = shape("svg", { class: "replay-chart", viewBox: `0 0 ${width} ${HEIGHT}`, role: "img",
      "aria-label": `${name} over the match: ${seats.map((seat) => `${named(seat)} ${known[known.length - 1][seat] ?? "?"}`).join(", ")} at the end` });
    picture.ticks = [];
    picture.append(shape("rect", { class: "s-board", x: EDGE.left, y: EDGE.top, width: right - EDGE.left, height: FLOOR - EDGE.top }),
      shape("text", { class: "s-text s-bold", x: EDGE.left, y: 12, "font-size": 13 }, name));
    scales(picture, { low, high, x, y, right }, steps, turn);
    label(picture, lines(picture, known, x, y), right, letters);
    for (const { step, words, sign } of marks) {
      const [left, base] = [x(step), sign === "late" ? FLOOR - 5 : EDGE.top - 5];
      const mark = sign === "swing"
        ? shape("path", { class: "s-accent", d: `M${left - 5} ${base - 4}h10l-5 8z` })
        : shape("circle", { class: sign === "late" ? "s-warn" : "s-neutral", cx: left, cy: base, r: 3 });
      mark.append(shape("title", {}, words));
      picture.append(mark);
    }
    const now = shape("g", { class: "replay-now" });
    now.append(shape("path", { class: "s-line s-accent", d: `M0 ${EDGE.top}V${FLOOR}`, "stroke-width": 1.5 }),
      shape("rect", { class: "s-accent", y: FLOOR + 4, height: 17, rx: 3 }),
      shape("text", { class: "s-on s-bold", y: FLOOR + 17, "text-anchor": "middle", ...SIZE }));
    picture.append(now);
    picture.addEventListener("click", (event) => {
      const area = picture.getBoundingClientRect();
      const share = ((event.clientX - area.left) * width / area.width - EDGE.left) / (right - EDGE.left);
      const apart = places.map((place) => Math.abs(place - share));
      go(apart.indexOf(Math.min(...apart)));
    });
    picture.place = x;
    return picture;
  };
  const draw = (steps, measures, turn) => {
    let last = null;
    const all = steps.map((step) => last = step.figures ?? last);
    // Figures that change with the last step alone make no curve.
    charts.hidden = new Set(all.slice(0, -1).filter(Boolean)).size < 2;
    if (charts.hidden) return charts.replaceChildren();
    const marks = marked(steps, all);
    const signs = { turn: "● above: a moment that the match turns on", late: "● below: late", swing: "▼ the biggest swing" };
    const used = Object.keys(signs).filter((sign) => marks.some((mark) => mark.sign === sign));
    const columns = charts.clientWidth > 700 && measures.length > 1 ? 2 : 1;
    const width = Math.max(280, Math.round(charts.clientWidth / columns) - 8);
    const places = spread(steps);
    charts.replaceChildren(...measures.map((name, measure) => chart({
      name, steps, places, turn, width, marks: measure ? [] : marks, known: all.map((one) => one?.[measure] ?? []),
    })), make("p", { class: "replay-keys" }, ["Click to go there.", ...used.map((sign) => signs[sign])].join("  ")));
  };

  // Draws them where there are other steps or another width than before, and marks the step that is shown.
  return (steps, { measures, turn, at, view }) => {
    const key = `${steps.length}/${charts.clientWidth}/${view}`;
    if (drawn !== key) {
      drawn = key;
      draw(steps, measures, turn);
    }
    for (const picture of charts.querySelectorAll("svg")) {
      const [, pill, words] = picture.querySelector(".replay-now").children;
      const text = String(steps[at].turn || "");
      const wide = 8 * text.length + 8;
      picture.querySelector(".replay-now").setAttribute("transform", `translate(${picture.place(at)} 0)`);
      pill.setAttribute("x", -wide / 2);
      pill.setAttribute("width", text ? wide : 0);
      words.textContent = text;
      // It covers the numbers next to it.
      for (const tick of picture.ticks) {
        tick.words.setAttribute("visibility", Math.abs(tick.at - picture.place(at)) < wide / 2 + 10 ? "hidden" : "visible");
      }
    }
  };
};
