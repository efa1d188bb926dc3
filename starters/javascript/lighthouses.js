// Plays Lighthouses: connects what it can, takes the lighthouses that it can, and walks to the nearest other one.
// The conversation is JSON, one object a line; docs/bot-protocol.md describes it.
"use strict";

const say = (message) => process.stdout.write(JSON.stringify(message) + "\n");

let seat, width, island, lighthouses;

function begins([chart, own]) {
  seat = own;
  width = chart.width;
  island = chart.rows.join("");
  lighthouses = chart.lighthouses;
}

// The first step of a shortest way to one of these cells.
function step(here, goals) {
  const first = new Map([[here, null]]);
  const waiting = [here];
  for (const cell of waiting) {
    if (goals.has(cell)) return first.get(cell);
    for (const dx of [-1, 0, 1]) {
      for (const dy of [-1, 0, 1]) {
        const column = (cell % width) + dx;
        const next = cell + dy * width + dx;
        if (column < 0 || column >= width || island[next] !== "#" || first.has(next)) continue;
        first.set(next, cell === here ? next : first.get(cell));
        waiting.push(next);
      }
    }
  }
  return null;
}

function decide(ask, view, acts) {
  if (ask === "prepare") return "pass";
  const of = (kind) => acts.filter((act) => act[kind] !== undefined);
  if (of("connect").length) return of("connect")[0];
  const here = view.position;
  const at = lighthouses.indexOf(here);
  const attack = of("attack").sort((one, other) => other.attack - one.attack)[0];
  const mine = (beacon) => beacon.owner === seat;
  if (attack && at >= 0 && !mine(view.beacons[at]) && attack.attack > view.beacons[at].energy) return attack;
  const wanted = (cell, index) => !mine(view.beacons[index]) && view.beacons[index].energy < view.energy && cell !== here;
  const goal = step(here, new Set(lighthouses.filter(wanted)));
  const moves = of("move");
  const to = ({ move }) => here + move.dy * width + move.dx;
  const energy = new Map(view.seen);
  const richest = (one, other) => (energy.get(to(other)) || 0) - (energy.get(to(one)) || 0);
  return moves.find((act) => to(act) === goal) || moves.sort(richest)[0] || "pass";
}

function receive(message) {
  if (message.type === "hello") say({ type: "ready", protocol: 1 });
  if (message.type === "seen" && message.event.begins) begins(message.event.begins);
  if (message.type === "ask" && !message.past) {
    say({ type: "act", number: message.number, act: decide(message.ask, message.view, message.acts) });
  }
  if (message.type === "refused") console.error("refused:", message.why);
}

require("readline")
  .createInterface({ input: process.stdin })
  .on("line", (line) => receive(JSON.parse(line)));
