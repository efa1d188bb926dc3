// What axe-core finds serious or critical on this page, each with its first places.
const done = arguments[arguments.length - 1];
const serious = (found) => ["serious", "critical"].includes(found.impact);
const place = (node) => `${node.target.join(" ")}: ${node.failureSummary}`;
const words = (found) => `${found.id}: ${found.nodes.slice(0, 3).map(place).join(" | ")}`;
// Half of its time is contrast, which the audit measures in every dress: here that is left to the light ones. Style sheets
// are not fetched again: only an experimental rule reads them.
const rules = { "color-contrast": { enabled: matchMedia("(prefers-color-scheme: light)").matches } };
axe.run(document, { resultTypes: ["violations"], preload: false, rules }).then(
  (results) => done(results.violations.filter(serious).map(words)),
  (error) => done([String(error)]),
);
