// Plays Lighthouses: walks to the nearest lighthouse that it can take, takes it, and connects what it can.
"use strict";

module.exports = class {
  // Keeps the chart. A restarted program is sent it again.
  seen(event) {
    if (!event.begins) return;
    const [chart, seat] = event.begins;
    this.seat = seat;
    this.width = chart.width;
    this.island = chart.rows.join("");
    this.lighthouses = chart.lighthouses;
  }

  decide(ask, view, acts) {
    if (ask === "prepare") return "pass";
    const here = view.position;
    const connect = acts.find((act) => act.connect !== undefined);
    if (connect) return connect;
    const isGoal = (cell, at) => view.beacons[at].owner !== this.seat && view.beacons[at].energy < view.energy;
    const goals = new Set(this.lighthouses.filter(isGoal));
    if (goals.has(here)) {
      const attacks = acts.filter((act) => act.attack !== undefined);
      const attack = attacks.sort((one, other) => other.attack - one.attack)[0];
      if (attack && attack.attack > view.beacons[this.lighthouses.indexOf(here)].energy) return attack;
    }
    goals.delete(here);
    const step = this.step(here, goals);
    const there = new Map(view.seen);
    // A step on the way is best, then one to where energy lies.
    const goodness = ({ move }) => {
      const to = here + move.dy * this.width + move.dx;
      return to === step ? Infinity : there.get(to) || 0;
    };
    const moves = acts.filter((act) => act.move !== undefined);
    return moves.sort((one, other) => goodness(other) - goodness(one))[0] || "pass";
  }

  // The first step of a shortest way to one of these cells.
  step(here, goals) {
    const first = new Map([[here, null]]);
    const waiting = [here];
    for (const cell of waiting) {
      if (goals.has(cell)) return first.get(cell);
      for (const dy of [-1, 0, 1]) {
        for (const dx of [-1, 0, 1]) {
          const to = cell + dy * this.width + dx;
          // The island has water all around it.
          if (this.island[to] !== "#" || first.has(to)) continue;
          first.set(to, cell === here ? to : first.get(cell));
          waiting.push(to);
        }
      }
    }
    return null;
  }
};
