-- The tables of a hill as SQLite has them after all revisions; a test writes this file.

CREATE TABLE authors (
    id INTEGER NOT NULL,
    name TEXT NOT NULL,
    folded_name TEXT NOT NULL, -- its name, whatever its case
    joined DOUBLE PRECISION NOT NULL,
    source TEXT NOT NULL, -- who answers: `invited`, or `oauth:` and an account
    banned BOOLEAN DEFAULT FALSE NOT NULL,
    public BOOLEAN DEFAULT FALSE NOT NULL, -- whether standings name it
    CONSTRAINT authors_pk PRIMARY KEY (id),
    CONSTRAINT authors_folded_key UNIQUE (folded_name)
);

CREATE TABLE invitations (
    hash TEXT NOT NULL,
    name TEXT NOT NULL, -- of the author it is for
    created DOUBLE PRECISION NOT NULL,
    accepted DOUBLE PRECISION,
    CONSTRAINT invitations_pk PRIMARY KEY (hash)
);

CREATE TABLE tokens (
    id INTEGER NOT NULL,
    hash TEXT NOT NULL,
    author INTEGER NOT NULL,
    scope TEXT NOT NULL, -- one of `TokenScope`
    label TEXT NOT NULL, -- by which its author knows it
    created DOUBLE PRECISION NOT NULL,
    last_used DOUBLE PRECISION,
    CONSTRAINT keys_pk PRIMARY KEY (id),
    CONSTRAINT keys_hash_key UNIQUE (hash),
    CONSTRAINT keys_author_fk FOREIGN KEY (author) REFERENCES authors (id)
);

CREATE TABLE bots (
    id INTEGER NOT NULL,
    name TEXT NOT NULL,
    folded_name TEXT NOT NULL,
    author INTEGER NOT NULL,
    hidden BOOLEAN DEFAULT FALSE NOT NULL,
    public BOOLEAN DEFAULT FALSE NOT NULL, -- whether all see the version that takes part
    CONSTRAINT bots_pk PRIMARY KEY (id),
    CONSTRAINT bots_folded_key UNIQUE (folded_name),
    CONSTRAINT bots_author_fk FOREIGN KEY (author) REFERENCES authors (id)
);

CREATE INDEX bots_author ON bots (author);

CREATE TABLE submissions (
    id INTEGER NOT NULL,
    bot INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    size INTEGER NOT NULL, -- bytes
    state TEXT NOT NULL, -- one of `SubmissionState`
    why TEXT NOT NULL,
    version TEXT NOT NULL, -- once it is known
    log TEXT NOT NULL, -- of its build
    report TEXT, -- JSON, of its check
    received DOUBLE PRECISION NOT NULL,
    state_since DOUBLE PRECISION NOT NULL, -- when its state became what it is
    tries INTEGER NOT NULL, -- that failed by the host's fault
    forgotten BOOLEAN DEFAULT FALSE NOT NULL,
    -- whether all see it, also when another takes part
    public BOOLEAN DEFAULT FALSE NOT NULL,
    gave_way BOOLEAN DEFAULT FALSE NOT NULL,
    CONSTRAINT submissions_pk PRIMARY KEY (id),
    CONSTRAINT submissions_bot_fk FOREIGN KEY (bot) REFERENCES bots (id)
);

CREATE INDEX submissions_state ON submissions (state, id);

CREATE INDEX submissions_bot ON submissions (bot, id);

CREATE TABLE commands (
    number INTEGER NOT NULL,
    bot TEXT NOT NULL,
    entry TEXT, -- JSON, of who is to be let in, none where it leaves
    state TEXT NOT NULL,
    why TEXT NOT NULL,
    alias TEXT NOT NULL, -- to be shown in place of its name, or nothing
    CONSTRAINT orders_pk PRIMARY KEY (number)
);

CREATE TABLE actions (
    id INTEGER NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    what TEXT NOT NULL,
    whom TEXT NOT NULL,
    why TEXT NOT NULL,
    CONSTRAINT actions_pk PRIMARY KEY (id)
);

CREATE TABLE alembic_version (
    version_num VARCHAR(32) NOT NULL,
    CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
