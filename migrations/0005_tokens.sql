-- Who may ask the REST interface. Only digests (SHA-256) of tokens are kept; scopes: a JSON list of texts.
-- Revoked rows stay, so that a number is never given twice.
CREATE TABLE tokens (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    scopes TEXT NOT NULL,
    digest BLOB NOT NULL,
    created_us INTEGER NOT NULL,
    used_us INTEGER,
    revoked_us INTEGER
);
CREATE UNIQUE INDEX tokens_live ON tokens (name) WHERE revoked_us IS NULL;
-- What ended lately may be under an embargo.
CREATE INDEX matches_by_end ON matches (ended_us) WHERE ended_us IS NOT NULL;
