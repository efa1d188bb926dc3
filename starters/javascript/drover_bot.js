// The conversation with Drover: JSON, one object a line. docs/bot-protocol.md describes it.
//
// Each game is played by the class of the file that is named like it. What it may have besides decide(ask, view, acts):
// begin(match), seen(event), played(act) and end(result). A program that is restarted in a match is sent all of that
// again, but not asked again: what a bot keeps, it keeps in seen and played.
"use strict";
const fs = require("fs");

// Characters of a line at most.
const LINE_MAX = 64 << 20;
// How often the example of a game is played before the match, and for how long: what runs the first time is slow.
const WARM_UP = 20;
const WARM_UP_MS = 500;

let bot, state;
let isWarm = false;

// Sends a line.
function say(message) {
  if (isWarm) process.stdout.write(JSON.stringify(message) + "\n");
}

// Keeps something, any JSON, for the next match: it is the `note` of that match.
exports.note = (about) => say({ type: "note", note: about });

// A number from 0 to 1. It is seeded by the decision, so that one that is made once more is the same.
exports.random = () => {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
};

function begin(game) {
  const Bot = require("./" + game);
  const example = "./" + game + ".jsonl";
  if (!isWarm && fs.existsSync(example)) {
    const lines = fs.readFileSync(example, "utf8").trim().split("\n");
    const until = Date.now() + WARM_UP_MS;
    for (let round = 0; round < WARM_UP; round++) {
      bot = new Bot();
      for (const line of lines) if (Date.now() < until) receive(JSON.parse(line));
    }
  }
  isWarm = true;
  bot = new Bot();
  say({ type: "ready", protocol: 1 });
}

function receive(message) {
  const kind = message.type;
  if (kind === "match") bot.begin?.(message);
  if (kind === "seen") bot.seen?.(message.event);
  if (kind === "played") bot.played?.(message.act);
  if (kind === "ask" && !message.past) {
    state = message.number;
    const act = bot.decide(message.ask, message.view, message.acts);
    say({ type: "act", number: message.number, act });
  }
  if (kind === "refused") console.error("refused:", message.why);
  if (kind === "end") bot.end?.(message);
}

let rest = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop();
  if (rest.length > LINE_MAX) throw new Error("the line is too long");
  for (const line of lines) {
    const message = JSON.parse(line);
    if (message.type === "hello") begin(message.game);
    else receive(message);
  }
});
