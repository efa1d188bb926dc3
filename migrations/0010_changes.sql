-- Matches are listed by their seats too where only some of these have sessions: all are listed anew at the next
-- start (src/store/listing.rs).
DELETE FROM listed;
DELETE FROM listed_sessions;
DELETE FROM facets;

-- What has begun or ended, in the order of commits: a match, or one of its sessions. The oldest are forgotten
-- (src/store/changes.rs).
CREATE TABLE changes (
    id INTEGER PRIMARY KEY,
    match_id TEXT NOT NULL,
    session INTEGER
);
