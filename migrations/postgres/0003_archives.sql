-- The tables of SQLite's (migrations/0003_archives.sql), which says what their columns are.
CREATE TABLE archives (
    digest TEXT COLLATE "C" NOT NULL,
    platform TEXT COLLATE "C" NOT NULL,
    upload TEXT COLLATE "C" NOT NULL,
    parts BIGINT,
    used_us BIGINT NOT NULL,
    PRIMARY KEY (digest, platform)
);
CREATE TABLE archive_parts (
    upload TEXT COLLATE "C" NOT NULL,
    part BIGINT NOT NULL,
    content BYTEA NOT NULL,
    PRIMARY KEY (upload, part)
);
-- Compressed already.
ALTER TABLE archive_parts ALTER COLUMN content SET STORAGE EXTERNAL;
