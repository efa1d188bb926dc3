// Plays Planet Wars: every strong planet takes the planet near it that pays best.
"use strict";

module.exports = class {
  decide(ask, view) {
    const { planets, you } = view;
    const own = (view.fleets || []).filter((fleet) => fleet.owner === you);
    const aimed = new Set(own.map((fleet) => fleet.to));
    const launches = [];
    for (const planet of planets.filter((planet) => planet.owner === you)) {
      let best = null;
      for (const other of planets) {
        const turns = Math.ceil(Math.hypot(planet.x - other.x, planet.y - other.y));
        const grows = other.owner ? other.growth * turns : 0;
        const ships = other.ships + grows + 1;
        const pays = (other.growth + 0.1) / (ships + turns);
        const fits = other.owner !== you && !aimed.has(other.id) && ships < planet.ships;
        if (fits && (!best || pays > best.pays)) best = { pays, to: other.id, ships };
      }
      if (!best) continue;
      aimed.add(best.to);
      launches.push({ from: planet.id, to: best.to, ships: best.ships });
    }
    return { launches, upgrades: [], message: null };
  }
};
