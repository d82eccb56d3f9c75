"""The tables of a hill: authors, tokens, bots, submissions, commands, host actions.

The tournament's database has what becomes of a bot once it is in. Times are seconds since 1970.
Tokens are stored as their SHA-256, so nobody who reads the database can use them.

A revision stays as it was when databases were made by it: `schema.sql` shows to what all of them
lead.
"""

from __future__ import annotations

from arena.tournament.store.database import Schema

TABLES = """
CREATE TABLE authors (
    id {serial} NOT NULL,
    name TEXT NOT NULL,
    folded TEXT NOT NULL, -- its name, whatever its case
    joined DOUBLE PRECISION NOT NULL,
    source TEXT NOT NULL, -- who answers: `invited`, or `oauth:` and an account
    banned BOOLEAN DEFAULT FALSE NOT NULL,
    public BOOLEAN DEFAULT FALSE NOT NULL, -- whether standings name it
    CONSTRAINT authors_pk PRIMARY KEY (id),
    CONSTRAINT authors_folded_key UNIQUE (folded)
);
CREATE TABLE invitations (
    hash TEXT NOT NULL,
    name TEXT NOT NULL, -- of the author it is for
    made DOUBLE PRECISION NOT NULL,
    used DOUBLE PRECISION,
    CONSTRAINT invitations_pk PRIMARY KEY (hash)
);
CREATE TABLE keys (
    id {serial} NOT NULL,
    hash TEXT NOT NULL,
    author INTEGER NOT NULL,
    scope TEXT NOT NULL, -- one of `TokenScope`
    label TEXT NOT NULL, -- by which its author knows it
    made DOUBLE PRECISION NOT NULL,
    used DOUBLE PRECISION,
    CONSTRAINT keys_pk PRIMARY KEY (id),
    CONSTRAINT keys_hash_key UNIQUE (hash),
    CONSTRAINT keys_author_fk FOREIGN KEY (author) REFERENCES authors (id)
);
CREATE TABLE bots (
    id {serial} NOT NULL,
    name TEXT NOT NULL,
    folded TEXT NOT NULL,
    author INTEGER NOT NULL,
    hidden BOOLEAN DEFAULT FALSE NOT NULL,
    public BOOLEAN DEFAULT FALSE NOT NULL, -- whether all see the version that takes part
    CONSTRAINT bots_pk PRIMARY KEY (id),
    CONSTRAINT bots_folded_key UNIQUE (folded),
    CONSTRAINT bots_author_fk FOREIGN KEY (author) REFERENCES authors (id)
);
CREATE INDEX bots_author ON bots (author);
CREATE TABLE submissions (
    id {serial} NOT NULL,
    bot INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    size INTEGER NOT NULL, -- bytes
    state TEXT NOT NULL, -- one of `SubmissionState`
    why TEXT NOT NULL,
    version TEXT NOT NULL, -- once it is known
    log TEXT NOT NULL, -- of its build
    report TEXT, -- JSON, of its check
    received DOUBLE PRECISION NOT NULL,
    moved DOUBLE PRECISION NOT NULL, -- when its state became what it is
    tries INTEGER NOT NULL, -- that failed by the host's fault
    forgotten BOOLEAN DEFAULT FALSE NOT NULL,
    -- whether all see it, also when another takes part
    opened BOOLEAN DEFAULT FALSE NOT NULL,
    CONSTRAINT submissions_pk PRIMARY KEY (id),
    CONSTRAINT submissions_bot_fk FOREIGN KEY (bot) REFERENCES bots (id)
);
CREATE INDEX submissions_state ON submissions (state, id);
CREATE INDEX submissions_bot ON submissions (bot, id);
-- commands to the coordinator, which stores the number of the last one that it ran
CREATE TABLE orders (
    number {serial} NOT NULL,
    bot TEXT NOT NULL,
    entry TEXT, -- JSON, of who is to be let in, none where it leaves
    state TEXT NOT NULL,
    why TEXT NOT NULL,
    alias TEXT NOT NULL, -- to be shown in place of its name, or nothing
    CONSTRAINT orders_pk PRIMARY KEY (number)
);
-- the actions of the host, with their objects and reasons
CREATE TABLE actions (
    id {serial} NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    what TEXT NOT NULL,
    whom TEXT NOT NULL,
    why TEXT NOT NULL,
    CONSTRAINT actions_pk PRIMARY KEY (id)
)
"""

GAVE_WAY = """
-- whether it waits again after it had a turn, so that others go first
ALTER TABLE submissions ADD COLUMN gave_way BOOLEAN DEFAULT FALSE NOT NULL;
-- until now, the sentence to its author said so
UPDATE submissions SET gave_way = TRUE
WHERE state = 'queued' AND substr(why, 1, 34) = 'this check takes longer than most,'
"""

RENAMES = """
ALTER TABLE authors RENAME COLUMN folded TO folded_name;
ALTER TABLE invitations RENAME COLUMN made TO created;
ALTER TABLE invitations RENAME COLUMN used TO accepted;
ALTER TABLE keys RENAME TO tokens;
ALTER TABLE tokens RENAME COLUMN made TO created;
ALTER TABLE tokens RENAME COLUMN used TO last_used;
ALTER TABLE bots RENAME COLUMN folded TO folded_name;
ALTER TABLE submissions RENAME COLUMN moved TO state_since;
ALTER TABLE submissions RENAME COLUMN opened TO public;
ALTER TABLE orders RENAME TO commands
"""
"""What the first tables called otherwise, by the names that the queries have."""

ACCEPTED_BEFORE = """
-- a withdrawal ended accepted submissions, too, of which the tournament tells by now. Each was
-- accepted soon after it was received
UPDATE submissions SET state = 'accepted', why = '', state_since = received
WHERE state = 'withdrawn' AND version <> '' AND EXISTS (
    SELECT 1 FROM commands JOIN bots ON bots.name = commands.bot WHERE bots.id = submissions.bot
    AND replace(entry, '"version":"' || version || '"', '') <> entry
)
"""

SCHEMA = Schema(
    "hill",
    {"0001": TABLES, "0002": GAVE_WAY, "0003": RENAMES, "0004": ACCEPTED_BEFORE},
    frozenset({"authors", "submissions"}),
)
"""The tables, with all their revisions."""
