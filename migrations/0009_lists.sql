-- What lists are filtered by: every combination that occurs of a match's game, referee and cause with the side,
-- bot and outcome of one of its sessions (or seats, where there are no sessions), and the same of a session with
-- its own cause. outcome: won, tied, lost, or empty.
CREATE TABLE facets (
    id INTEGER PRIMARY KEY,
    game TEXT NOT NULL,
    referee TEXT NOT NULL,
    cause TEXT NOT NULL,
    side TEXT NOT NULL,
    bot TEXT NOT NULL,
    outcome TEXT NOT NULL,
    UNIQUE (game, referee, cause, side, bot, outcome)
);

-- Where a match or session that has ended may be found: at least there. It need not fit any more, its own row
-- decides. Filled from the other tables when empty (src/store/listing.rs).
CREATE TABLE listed (
    facet INTEGER NOT NULL,
    match_id TEXT NOT NULL,
    PRIMARY KEY (facet, match_id)
) WITHOUT ROWID;
CREATE TABLE listed_sessions (
    facet INTEGER NOT NULL,
    session INTEGER NOT NULL,
    PRIMARY KEY (facet, session)
) WITHOUT ROWID;

CREATE INDEX matches_by_market ON matches (market) WHERE market <> 0;
CREATE INDEX sessions_by_start ON sessions (opened_us);
CREATE INDEX ledger_by_session ON ledger (session);
CREATE INDEX tournament_matches_by_id ON tournament_matches (tournament, match_id);
