// Plays smart-dog: each dog goes to the far side of a sheep, seen from its pen, and barks it home.
"use strict";
const { random } = require("./drover_bot");

const STEPS = { up: [0, -1], left: [-1, 0], down: [0, 1], right: [1, 0] };

// The one of these with the least of something.
const least = (list, measure) => list.reduce((one, other) => (measure(other) < measure(one) ? other : one));

module.exports = class {
  decide(ask, view) {
    const { torus, land, options } = view.ground;
    Object.assign(this, { cols: torus.cols, rows: torus.rows, land });
    const pen = String(view.seat + 1);
    // A place is the number of its cell.
    const home = [...land].map((cell, at) => (cell === pen ? at : -1)).filter((at) => at >= 0);
    const dogs = view.seen.filter((thing) => thing.dog).map((thing) => thing.dog);
    const sheep = view.seen.filter((thing) => thing.sheep).map((thing) => this.place(thing.sheep.spot));
    const strays = sheep.filter((place) => !home.includes(place));
    const taken = new Set([...sheep, ...dogs.map((dog) => this.place(dog.spot))]);
    const orders = [];
    for (const dog of dogs) {
      // A dog in panic neither moves nor barks.
      if (dog.owner !== view.seat || dog.action === "panic") continue;
      let here = this.place(dog.spot);
      const goal = strays.length && home.length ? this.goal(here, strays, home) : null;
      const to = (way) => this.moved(here, STEPS[way]);
      const free = Object.keys(STEPS).filter((way) => !taken.has(to(way)) && !"#^".includes(land[to(way)]));
      if (free.length && here !== goal) {
        const nearest = () => least(free, (way) => this.apart(to(way), goal));
        const way = goal === null ? this.wander(dog.id, view.turn, free) : nearest();
        orders.push({ move: [dog.id, way] });
        here = to(way);
        taken.add(here);
      }
      // An indignant one moves, but does not bark.
      const reached = sheep.filter((place) => this.apart(here, place) <= options.dogBarkingR ** 2);
      const astray = reached.filter((place) => strays.includes(place)).length;
      if (here === goal && dog.action === "move" && astray * 2 > reached.length) orders.push({ bark: dog.id });
    }
    return orders;
  }

  // Where a bark drives the nearest sheep towards the pen: sheep run straight away from it.
  goal(here, strays, home) {
    const prey = least(strays, (place) => this.apart(here, place));
    const [dx, dy] = this.way(prey, least(home, (place) => this.apart(prey, place)));
    return this.moved(prey, Math.abs(dx) > Math.abs(dy) ? [-Math.sign(dx), 0] : [0, -Math.sign(dy)]);
  }

  // Ten turns the same way, if that is possible.
  wander(dog, turn, free) {
    const way = Object.keys(STEPS)[(dog + Math.floor(turn / 10)) % 4];
    return free.includes(way) ? way : free[Math.floor(random() * free.length)];
  }

  place(spot) {
    return spot.y * this.cols + spot.x;
  }

  moved(place, [dx, dy]) {
    const { cols, rows } = this;
    const [x, y] = [place % cols, Math.floor(place / cols)];
    return ((y + dy + rows) % rows) * cols + ((x + dx + cols) % cols);
  }

  // How far it is in a straight line, squared.
  apart(one, other) {
    const [dx, dy] = this.way(one, other);
    return dx * dx + dy * dy;
  }

  // How far it is to the right and down, round the world's borders if that is shorter.
  way(one, other) {
    const short = (apart, size) => ((apart + size + (size >> 1)) % size) - (size >> 1);
    const { cols, rows } = this;
    const row = (place) => Math.floor(place / cols);
    return [short((other % cols) - (one % cols), cols), short(row(other) - row(one), rows)];
  }
};
