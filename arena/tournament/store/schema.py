"""The tables of a tournament's database, the same in SQLite and in PostgreSQL.

A match is settled once it has a row in `matches`, whose primary key prevents duplicates. A planned
match that will not be played, because an entrant was set aside or withdrawn, is settled, too: its
end is `cancelled`, it has no seats, and a late result is refused since the key exists.

Standings and totals are computed and never stored. JSON is stored in text columns, in ASCII,
because both PostgreSQL's JSON type and UTF-8 refuse some output of strangers' programs.
"""

from __future__ import annotations

from arena.tournament.store.database import Schema

OF_MATCH = "WHERE deal = ? AND rotation = ?"
"""The rows of one match, in each table that has some."""

TABLES = """
CREATE TABLE facts (
    name TEXT NOT NULL,
    value TEXT NOT NULL, -- JSON
    CONSTRAINT facts_pk PRIMARY KEY (name)
);
CREATE TABLE entrants (
    id INTEGER NOT NULL, -- from 1, in order of entry
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    bot TEXT NOT NULL,
    keeps BOOLEAN NOT NULL,
    containment TEXT NOT NULL, -- JSON
    state TEXT NOT NULL,
    why TEXT NOT NULL,
    CONSTRAINT entrants_pk PRIMARY KEY (id),
    CONSTRAINT entrants_name_key UNIQUE (name, version)
);
CREATE TABLE deals (
    number INTEGER NOT NULL,
    seats TEXT NOT NULL, -- JSON: the entrants' ids in rotation 0
    rotations INTEGER NOT NULL,
    stage TEXT NOT NULL, -- for people
    state TEXT NOT NULL, -- JSON: what the format finds with the results
    begun INTEGER DEFAULT 0 NOT NULL,
    CONSTRAINT deals_pk PRIMARY KEY (number),
    CONSTRAINT deals_rotations CHECK (rotations > 0)
);
CREATE INDEX deals_stage ON deals (stage, number);
CREATE TABLE matches (
    deal INTEGER NOT NULL,
    rotation INTEGER NOT NULL,
    "end" TEXT NOT NULL, -- as `arena.rules.outcome.End` has it, or cancelled
    rounds INTEGER NOT NULL,
    detail TEXT NOT NULL, -- the reason why it is void or cancelled
    seconds DOUBLE PRECISION NOT NULL,
    stored TEXT NOT NULL, -- UTC, as 2026-01-31T23:59:59.999Z
    cause TEXT, -- of a void match, as `VoidCause` has it
    CONSTRAINT matches_pk PRIMARY KEY (deal, rotation),
    CONSTRAINT matches_deal_fk FOREIGN KEY (deal) REFERENCES deals (number)
) {without_rowid};
CREATE INDEX matches_end ON matches ("end", deal, rotation);
CREATE INDEX matches_stored ON matches (stored);
CREATE TABLE seats (
    deal INTEGER NOT NULL,
    rotation INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    entrant INTEGER NOT NULL,
    score DOUBLE PRECISION, -- none in a void match
    place INTEGER,
    used DOUBLE PRECISION NOT NULL, -- seconds
    sandbox TEXT, -- or `trusted`, NULL for bots in the worker
    kind TEXT, -- of its verdict
    verdict TEXT, -- JSON
    errors TEXT, -- the stderr of a failed program
    earlier INTEGER, -- matches of its process before, NULL if that plays one
    CONSTRAINT seats_pk PRIMARY KEY (deal, rotation, seat),
    CONSTRAINT seats_deal_fk FOREIGN KEY (deal, rotation) REFERENCES matches (deal, rotation),
    CONSTRAINT seats_entrant_fk FOREIGN KEY (entrant) REFERENCES entrants (id)
) {without_rowid};
CREATE INDEX seats_entrant ON seats (entrant, deal, rotation);
CREATE INDEX seats_kind ON seats (kind, deal, rotation) WHERE kind IS NOT NULL;
CREATE INDEX seats_entrant_kind ON seats (entrant, kind, deal, rotation) WHERE kind IS NOT NULL;
CREATE TABLE transcripts (
    deal INTEGER NOT NULL,
    rotation INTEGER NOT NULL,
    blob {bytes} NOT NULL, -- JSON lines, compressed by zlib
    CONSTRAINT transcripts_pk PRIMARY KEY (deal, rotation),
    CONSTRAINT transcripts_deal_fk FOREIGN KEY (deal, rotation) REFERENCES matches (deal, rotation)
);
-- results of matches that were played again, from which nothing is computed
CREATE TABLE replaced (
    deal INTEGER NOT NULL,
    rotation INTEGER NOT NULL,
    number INTEGER NOT NULL, -- from 1, the oldest first
    result TEXT NOT NULL, -- JSON
    CONSTRAINT replaced_pk PRIMARY KEY (deal, rotation, number),
    CONSTRAINT replaced_deal_fk FOREIGN KEY (deal) REFERENCES deals (number)
) {without_rowid}
"""

SCHEMA = Schema("tournament", {"0003": TABLES}, frozenset({"facts"}))
"""The tables, with all their revisions."""
