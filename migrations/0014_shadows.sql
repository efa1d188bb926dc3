-- What shadows said in sessions: counts, times of both as histograms (JSON), and a report.
CREATE TABLE shadow_runs (
    session INTEGER NOT NULL,
    shadow TEXT NOT NULL,
    game TEXT NOT NULL,
    bot TEXT NOT NULL,
    whole INTEGER NOT NULL,
    agreed INTEGER NOT NULL,
    differed INTEGER NOT NULL,
    illegal INTEGER NOT NULL,
    late INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    skipped INTEGER NOT NULL,
    bot_times TEXT NOT NULL,
    shadow_times TEXT NOT NULL,
    report TEXT NOT NULL,
    PRIMARY KEY (session, shadow)
);
