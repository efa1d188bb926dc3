// What axe-core finds serious or critical on this page, each with its first places.
const done = arguments[arguments.length - 1];
const serious = (found) => ["serious", "critical"].includes(found.impact);
const place = (node) => `${node.target.join(" ")}: ${node.failureSummary}`;
const words = (found) => `${found.id}: ${found.nodes.slice(0, 3).map(place).join(" | ")}`;
axe.run(document, { resultTypes: ["violations"] }).then(
  (results) => done(results.violations.filter(serious).map(words)),
  (error) => done([String(error)]),
);
