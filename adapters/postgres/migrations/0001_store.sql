-- The store of hardwon: one database, many tenants. The tenant stands first in every key, so that the same tables can be
-- distributed by it. What a member may see is decided by current_user alone, by policies at the end of this file.
-- Texts are compared byte by byte (COLLATE "C"), as SQLite does it, so that orders are the same on both.

CREATE TABLE hardwon.tenant (
    tenant integer PRIMARY KEY,
    name text COLLATE "C" NOT NULL UNIQUE
);

-- The login roles that belong to a tenant. One role is in one tenant.
CREATE TABLE hardwon.member (
    role text COLLATE "C" PRIMARY KEY,
    tenant integer NOT NULL REFERENCES hardwon.tenant (tenant)
);

-- One row a tenant. Whoever changes entries locks it, so that nobody else does meanwhile.
CREATE TABLE hardwon.state (
    tenant integer PRIMARY KEY REFERENCES hardwon.tenant (tenant) ON DELETE CASCADE,
    last_number bigint NOT NULL DEFAULT 0,      -- of an entry; never used again
    version bigint NOT NULL DEFAULT 0           -- of the contents: the sequence of changes
);

CREATE TABLE hardwon.metadata (
    tenant integer NOT NULL,
    key text COLLATE "C" NOT NULL,
    value text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, key)
);

-- An entry whose owner is not empty is personal: its owner's alone.
CREATE TABLE hardwon.entry (
    tenant integer NOT NULL,
    number bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL DEFAULT '',
    author text COLLATE "C" NOT NULL DEFAULT current_user,
    kind text COLLATE "C" NOT NULL CHECK (kind IN
        ('learning', 'session', 'decision', 'gotcha', 'preference', 'conversation', 'document')),
    category text COLLATE "C" CHECK (category IN ('anti-patterns', 'heuristics', 'patterns')),
    observation_count bigint NOT NULL CHECK (observation_count >= 1),
    confidence text COLLATE "C" NOT NULL CHECK (confidence IN ('low', 'medium', 'high')),
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    project text COLLATE "C",
    reach text COLLATE "C" NOT NULL CHECK (reach IN ('everywhere', 'shared', 'home')),
    superseded_by text COLLATE "C",
    source_project text COLLATE "C",
    workspace text COLLATE "C",
    branch text COLLATE "C",
    permanent boolean NOT NULL,
    tier text COLLATE "C" NOT NULL CHECK (tier IN
        ('constitutional', 'critical', 'important', 'normal', 'temporary', 'deprecated')),
    importance_weight double precision NOT NULL CHECK (importance_weight BETWEEN 0 AND 1),
    context_type text COLLATE "C" NOT NULL CHECK (context_type IN
        ('research', 'implementation', 'decision', 'discovery', 'general')),
    spec_folder text COLLATE "C",
    content_hash text COLLATE "C" NOT NULL,
    words bigint NOT NULL,
    expires_at timestamptz,
    retired boolean NOT NULL,
    PRIMARY KEY (tenant, number),
    UNIQUE (tenant, owner, id),
    CHECK (kind != 'learning' OR category IS NOT NULL)
);
CREATE INDEX entry_by_id ON hardwon.entry (tenant, id);
CREATE INDEX entry_by_track_record ON hardwon.entry
    (tenant, kind, category, observation_count, confidence, updated_at DESC, id) WHERE NOT retired;
CREATE INDEX entry_newest ON hardwon.entry (tenant, kind, updated_at DESC, id);
CREATE INDEX entry_by_project ON hardwon.entry (tenant, project, kind);
CREATE INDEX entry_to_expire ON hardwon.entry (tenant, expires_at) WHERE NOT retired AND expires_at IS NOT NULL;
CREATE INDEX entry_by_successor ON hardwon.entry (tenant, superseded_by) WHERE superseded_by IS NOT NULL;

CREATE TABLE hardwon.entry_text (
    tenant integer NOT NULL,
    number bigint NOT NULL,
    owner text COLLATE "C" NOT NULL DEFAULT '',
    author text COLLATE "C" NOT NULL DEFAULT current_user,
    name text COLLATE "C" NOT NULL,
    description text COLLATE "C" NOT NULL,
    reasoning text COLLATE "C" NOT NULL,
    notes text COLLATE "C" NOT NULL,
    keywords text[] NOT NULL,
    tags text[] NOT NULL,
    "references" text[] NOT NULL,
    trigger_phrases text[] NOT NULL,
    text_hash text COLLATE "C" NOT NULL,
    source text COLLATE "C" NOT NULL CHECK (source IN ('retro', 'session-capture', 'manual', 'import')),
    file_path text COLLATE "C",
    file_mtime bigint,
    file_hash text COLLATE "C",
    anchor_id text COLLATE "C" NOT NULL DEFAULT '',
    channel text COLLATE "C",
    session_id text COLLATE "C",
    own_tier boolean NOT NULL,
    door text COLLATE "C",
    PRIMARY KEY (tenant, number),
    FOREIGN KEY (tenant, number) REFERENCES hardwon.entry (tenant, number) ON DELETE CASCADE
);
-- A file is one of its member's machine: the same path is another file for another member.
CREATE UNIQUE INDEX entry_text_by_file ON hardwon.entry_text (tenant, author, file_path, anchor_id)
    WHERE file_path IS NOT NULL;
CREATE INDEX entry_text_by_session ON hardwon.entry_text (tenant, session_id) WHERE session_id IS NOT NULL;

-- Counters stand beside the entries, so that counting rewrites nothing else.
CREATE TABLE hardwon.recall (
    tenant integer NOT NULL,
    number bigint NOT NULL,
    recall_count bigint NOT NULL CHECK (recall_count >= 0),
    last_recalled_at timestamptz NOT NULL,
    PRIMARY KEY (tenant, number),
    FOREIGN KEY (tenant, number) REFERENCES hardwon.entry (tenant, number) ON DELETE CASCADE
);
CREATE TABLE hardwon.usage (
    tenant integer NOT NULL,
    number bigint NOT NULL,
    access_count bigint NOT NULL DEFAULT 0,
    last_accessed timestamptz,
    validation_count bigint NOT NULL DEFAULT 0,
    useful_count bigint NOT NULL DEFAULT 0 CHECK (useful_count BETWEEN 0 AND validation_count),
    PRIMARY KEY (tenant, number),
    FOREIGN KEY (tenant, number) REFERENCES hardwon.entry (tenant, number) ON DELETE CASCADE
);

CREATE TABLE hardwon.entry_alias (
    tenant integer NOT NULL,
    old_id text COLLATE "C" NOT NULL,
    number bigint NOT NULL,
    PRIMARY KEY (tenant, old_id),
    FOREIGN KEY (tenant, number) REFERENCES hardwon.entry (tenant, number) ON DELETE CASCADE
);
CREATE INDEX entry_alias_by_entry ON hardwon.entry_alias (tenant, number);

CREATE TABLE hardwon.entry_place (
    tenant integer NOT NULL,
    number bigint NOT NULL,
    project text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, number, project),
    FOREIGN KEY (tenant, number) REFERENCES hardwon.entry (tenant, number) ON DELETE CASCADE
);
CREATE INDEX entry_place_by_project ON hardwon.entry_place (tenant, project);

CREATE TABLE hardwon.proposal (
    tenant integer NOT NULL,
    older bigint NOT NULL,
    newer bigint NOT NULL,
    probability double precision NOT NULL CHECK (probability BETWEEN 0 AND 1),
    rejected boolean NOT NULL DEFAULT false,
    PRIMARY KEY (tenant, older, newer),
    FOREIGN KEY (tenant, older) REFERENCES hardwon.entry (tenant, number) ON DELETE CASCADE,
    FOREIGN KEY (tenant, newer) REFERENCES hardwon.entry (tenant, number) ON DELETE CASCADE,
    CHECK (older != newer)
);
CREATE INDEX proposal_by_newer ON hardwon.proposal (tenant, newer);

CREATE TABLE hardwon.history (
    tenant integer NOT NULL,
    id bigint GENERATED ALWAYS AS IDENTITY,
    number bigint NOT NULL,
    owner text COLLATE "C" NOT NULL DEFAULT '',
    field_changed text COLLATE "C" NOT NULL,
    old_value text COLLATE "C",
    new_value text COLLATE "C",
    changed_at timestamptz NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX history_by_entry ON hardwon.history (tenant, number, id);

-- The embedding models, and the vectors of entries. Vectors of two spaces are never compared.
CREATE TABLE hardwon.space (
    tenant integer NOT NULL,
    space integer NOT NULL,
    provider text COLLATE "C" NOT NULL,
    model text COLLATE "C" NOT NULL,
    dimensions integer NOT NULL,
    task_scheme text COLLATE "C" NOT NULL,
    weights_hash text COLLATE "C" NOT NULL,
    stored bigint NOT NULL DEFAULT 0,           -- vectors ever stored in it
    PRIMARY KEY (tenant, space),
    UNIQUE (tenant, provider, model, dimensions, task_scheme, weights_hash)
);
CREATE TABLE hardwon.vector (
    tenant integer NOT NULL,
    space integer NOT NULL,
    number bigint NOT NULL,
    owner text COLLATE "C" NOT NULL DEFAULT '',
    text_hash text COLLATE "C" NOT NULL,
    vec vector NOT NULL,
    PRIMARY KEY (tenant, space, number),
    FOREIGN KEY (tenant, space) REFERENCES hardwon.space (tenant, space),
    FOREIGN KEY (tenant, number) REFERENCES hardwon.entry (tenant, number) ON DELETE CASCADE
);
-- Kept in line wherever it fits, as a scan then reads it at once.
ALTER TABLE hardwon.vector ALTER COLUMN vec SET STORAGE MAIN;
-- A mixed order, the same each time, in which the first ones are a sample.
CREATE INDEX vector_mixed ON hardwon.vector (tenant, space, ((number * 2654435761) % 4294967296));
CREATE INDEX vector_by_entry ON hardwon.vector (tenant, number);

-- How many words entries (passage 0) and their passages (from 1) have, as FTS5 would tokenize them.
CREATE TABLE hardwon.document (
    tenant integer NOT NULL,
    number bigint NOT NULL,
    passage integer NOT NULL,
    owner text COLLATE "C" NOT NULL DEFAULT '',
    words integer NOT NULL,
    PRIMARY KEY (tenant, number, passage),
    FOREIGN KEY (tenant, number) REFERENCES hardwon.entry (tenant, number) ON DELETE CASCADE
);
-- How many entries and passages of each owner are in the index, and how many words they have.
CREATE TABLE hardwon.corpus (
    tenant integer NOT NULL,
    owner text COLLATE "C" NOT NULL,
    entries bigint NOT NULL,
    entry_words bigint NOT NULL,
    passages bigint NOT NULL,
    passage_words bigint NOT NULL,
    PRIMARY KEY (tenant, owner)
);
-- A term in a passage of an entry. How often the entry as a whole has it is in one row: that of the first passage with it, of passage 0
-- where only labels or reasoning have it. This is most of the store: columns are in an order that wastes no bytes.
CREATE TABLE hardwon.posting (
    tenant integer NOT NULL,
    passage integer NOT NULL,
    number bigint NOT NULL,
    words integer NOT NULL,                     -- of the entry
    passage_words integer NOT NULL,
    times smallint NOT NULL,                    -- in all columns of the entry
    own_times smallint NOT NULL,                -- without those in keyword labels
    passage_times smallint NOT NULL,
    term text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL DEFAULT '',
    PRIMARY KEY (tenant, term, number, passage)
);
CREATE INDEX posting_by_entry ON hardwon.posting (tenant, number);

-- Injections are a member's own, and so are their numbers.
CREATE TABLE hardwon.receipt (
    tenant integer NOT NULL,
    number bigint NOT NULL,
    owner text COLLATE "C" NOT NULL DEFAULT current_user,
    session_id text COLLATE "C" NOT NULL,
    event text COLLATE "C" NOT NULL CHECK (event IN ('start', 'prompt')),
    at timestamptz NOT NULL,
    project text COLLATE "C" NOT NULL,
    query text COLLATE "C",
    keyword_text text COLLATE "C",
    space text COLLATE "C",
    policy text COLLATE "C" NOT NULL,
    digest text COLLATE "C" NOT NULL,
    frame text[] NOT NULL,
    missed jsonb NOT NULL,
    delivery text COLLATE "C" NOT NULL CHECK (delivery IN ('printed', 'awaited', 'missed', 'delivered')),
    PRIMARY KEY (tenant, owner, number)
);
CREATE INDEX receipt_by_session ON hardwon.receipt (tenant, owner, session_id);
CREATE TABLE hardwon.receipt_entry (
    tenant integer NOT NULL,
    receipt bigint NOT NULL,
    place integer NOT NULL,
    owner text COLLATE "C" NOT NULL DEFAULT current_user,
    entry_id text COLLATE "C" NOT NULL,
    form text COLLATE "C" NOT NULL CHECK (form IN ('lesson', 'note', 'conversation')),
    digest text COLLATE "C" NOT NULL,
    score double precision,
    parts jsonb NOT NULL,
    room integer NOT NULL,
    origin text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, owner, receipt, place),
    FOREIGN KEY (tenant, owner, receipt) REFERENCES hardwon.receipt (tenant, owner, number) ON DELETE CASCADE
);
CREATE INDEX receipt_entry_by_entry ON hardwon.receipt_entry (tenant, entry_id);
CREATE TABLE hardwon.influence (
    tenant integer NOT NULL,
    number bigint NOT NULL,
    session_id text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL DEFAULT current_user,
    how text COLLATE "C" NOT NULL CHECK (how IN ('answer', 'edit', 'validation')),
    phrase text COLLATE "C" NOT NULL,
    at timestamptz NOT NULL,
    PRIMARY KEY (tenant, number, owner, session_id),
    FOREIGN KEY (tenant, number) REFERENCES hardwon.entry (tenant, number) ON DELETE CASCADE
);
CREATE INDEX influence_by_session ON hardwon.influence (tenant, session_id);

-- What is known of files is known of one member's machine.
CREATE TABLE hardwon.source (
    tenant integer NOT NULL,
    owner text COLLATE "C" NOT NULL DEFAULT current_user,
    path text COLLATE "C" NOT NULL,
    fingerprint text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, owner, path)
);
CREATE TABLE hardwon.source_heading (
    tenant integer NOT NULL,
    owner text COLLATE "C" NOT NULL DEFAULT current_user,
    path text COLLATE "C" NOT NULL,
    heading text COLLATE "C" NOT NULL,
    FOREIGN KEY (tenant, owner, path) REFERENCES hardwon.source (tenant, owner, path) ON DELETE CASCADE
);
CREATE UNIQUE INDEX source_heading_once ON hardwon.source_heading (tenant, owner, path, md5(heading));
CREATE TABLE hardwon.tombstone (
    tenant integer NOT NULL,
    owner text COLLATE "C" NOT NULL DEFAULT current_user,
    file_path text COLLATE "C" NOT NULL,
    anchor_id text COLLATE "C" NOT NULL,
    file_hash text COLLATE "C" NOT NULL,
    buried_at timestamptz NOT NULL,
    PRIMARY KEY (tenant, owner, file_path, anchor_id)
);
CREATE TABLE hardwon.departed (
    tenant integer NOT NULL,
    owner text COLLATE "C" NOT NULL DEFAULT current_user,
    file_path text COLLATE "C" NOT NULL,
    anchor_id text COLLATE "C" NOT NULL,
    file_hash text COLLATE "C",
    name text COLLATE "C" NOT NULL,
    tier text COLLATE "C" NOT NULL,
    own_tier boolean NOT NULL,
    importance_weight double precision NOT NULL,
    permanent boolean NOT NULL,
    trigger_phrases text[] NOT NULL,
    keywords text[] NOT NULL,
    tags text[] NOT NULL,
    created_at timestamptz NOT NULL,
    access_count bigint NOT NULL,
    last_accessed timestamptz,
    validation_count bigint NOT NULL,
    useful_count bigint NOT NULL,
    departed_at timestamptz NOT NULL,
    PRIMARY KEY (tenant, owner, file_path, anchor_id)
);
CREATE INDEX departed_by_hash ON hardwon.departed (tenant, owner, file_hash);

-- Keyed hashes of what was forgotten, and of whose it was.
CREATE TABLE hardwon.forgotten (
    tenant integer NOT NULL,
    tag bytea NOT NULL,
    of bytea NOT NULL,
    at timestamptz NOT NULL,
    PRIMARY KEY (tenant, tag, of)
);
CREATE INDEX forgotten_by_owner ON hardwon.forgotten (tenant, of);

-- A working copy of a project on a member's machine. All members see it; only its owner changes it.
CREATE TABLE hardwon.project (
    tenant integer NOT NULL,
    id text COLLATE "C" NOT NULL,
    added bigint GENERATED ALWAYS AS IDENTITY,
    owner text COLLATE "C" NOT NULL DEFAULT current_user,
    machine text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    label text COLLATE "C" NOT NULL,
    root text COLLATE "C" NOT NULL,
    is_repository boolean NOT NULL,
    device numeric NOT NULL,
    inode numeric NOT NULL,
    remote text COLLATE "C" NOT NULL,
    first_commit text COLLATE "C",
    authorship text COLLATE "C" NOT NULL CHECK (authorship IN ('unknown', 'own', 'foreign')),
    trust text COLLATE "C" NOT NULL CHECK (trust IN ('unsaid', 'trusted', 'revoked')),
    joined text COLLATE "C",
    conversations text COLLATE "C" CHECK (conversations IN ('shared', 'private', 'off')),
    PRIMARY KEY (tenant, id),
    UNIQUE (tenant, owner, machine, key)
);
-- What a member says of another member's working copy.
CREATE TABLE hardwon.opinion (
    tenant integer NOT NULL,
    owner text COLLATE "C" NOT NULL DEFAULT current_user,
    project text COLLATE "C" NOT NULL,
    trust text COLLATE "C" NOT NULL CHECK (trust IN ('trusted', 'revoked')),
    PRIMARY KEY (tenant, owner, project)
);
CREATE TABLE hardwon.trusted_folder (
    tenant integer NOT NULL,
    owner text COLLATE "C" NOT NULL DEFAULT current_user,
    machine text COLLATE "C" NOT NULL,
    path text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, owner, machine, path)
);

-- Saved states of the store: the rows of its tables as they were. A member restores only what that member saved.
CREATE TABLE hardwon.checkpoint (
    tenant integer NOT NULL,
    owner text COLLATE "C" NOT NULL DEFAULT current_user,
    id bigint GENERATED ALWAYS AS IDENTITY,
    name text COLLATE "C" NOT NULL,
    description text COLLATE "C",
    created_at timestamptz NOT NULL,
    memory_count bigint NOT NULL,
    snapshot text COLLATE "C" NOT NULL,
    metadata jsonb NOT NULL,
    PRIMARY KEY (tenant, id),
    UNIQUE (tenant, owner, name)
);
CREATE TABLE hardwon.saved_row (
    tenant integer NOT NULL,
    owner text COLLATE "C" NOT NULL DEFAULT current_user,
    snapshot text COLLATE "C" NOT NULL,
    relation text COLLATE "C" NOT NULL,
    place bigint NOT NULL,
    number bigint,
    content jsonb NOT NULL,
    PRIMARY KEY (tenant, snapshot, relation, place)
);

-- Statistics, without which the server searches slowly, of the tables that have doubled since the last ones. The server does it within
-- minutes; a program that stored much does it at once. A function of the owner, as members may not do it themselves.
CREATE FUNCTION hardwon.renew_statistics() RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    relation regclass;
BEGIN
    FOR relation IN SELECT c.oid FROM pg_class c WHERE c.relnamespace = 'hardwon'::regnamespace AND c.relkind = 'r'
        AND pg_relation_size(c.oid) > 2 * c.relpages * current_setting('block_size')::bigint
    LOOP
        EXECUTE format('ANALYZE %s', relation);
    END LOOP;
END $$;
REVOKE EXECUTE ON FUNCTION hardwon.renew_statistics() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION hardwon.renew_statistics() TO hardwon_member;

-- Who sees what: a member's tenant alone, and of it nothing that is another member's own.
GRANT SELECT ON hardwon.tenant, hardwon.member TO hardwon_member;
GRANT SELECT, UPDATE ON hardwon.state TO hardwon_member;
GRANT SELECT, INSERT, UPDATE, DELETE ON
    hardwon.metadata, hardwon.entry, hardwon.entry_text, hardwon.recall, hardwon.usage, hardwon.entry_alias,
    hardwon.entry_place, hardwon.proposal, hardwon.history, hardwon.space, hardwon.vector, hardwon.document,
    hardwon.corpus, hardwon.posting, hardwon.receipt, hardwon.receipt_entry, hardwon.influence, hardwon.source,
    hardwon.source_heading, hardwon.tombstone, hardwon.departed, hardwon.forgotten, hardwon.project,
    hardwon.opinion, hardwon.trusted_folder, hardwon.checkpoint, hardwon.saved_row
TO hardwon_member;

ALTER TABLE hardwon.member ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_row ON hardwon.member USING (role = current_user);
ALTER TABLE hardwon.tenant ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON hardwon.tenant
    USING (tenant = (SELECT m.tenant FROM hardwon.member m WHERE m.role = current_user));

DO $$
DECLARE
    own_tenant constant text := 'tenant = (SELECT m.tenant FROM hardwon.member m WHERE m.role = current_user)';
    relation text;
BEGIN
    FOREACH relation IN ARRAY ARRAY['state', 'metadata', 'space', 'forgotten']
    LOOP
        EXECUTE format('CREATE POLICY own_tenant ON hardwon.%I USING (%s)', relation, own_tenant);
    END LOOP;
    FOREACH relation IN ARRAY ARRAY['recall', 'usage', 'entry_alias', 'entry_place']
    LOOP
        EXECUTE format('CREATE POLICY of_entry ON hardwon.%I USING (%s AND EXISTS (SELECT 1 FROM hardwon.entry e'
            ' WHERE e.tenant = %1$I.tenant AND e.number = %1$I.number))', relation, own_tenant);
    END LOOP;
    EXECUTE format('CREATE POLICY of_entries ON hardwon.proposal USING (%s AND 2 = (SELECT count(*) FROM hardwon.entry e'
        ' WHERE e.tenant = proposal.tenant AND e.number IN (older, newer)))', own_tenant);
    -- What stands for a file is put among the files of its author by the author alone.
    EXECUTE format('CREATE POLICY shared_or_own ON hardwon.entry_text USING (%1$s AND owner IN ('''', current_user))'
        ' WITH CHECK (%1$s AND owner IN ('''', current_user) AND (file_path IS NULL OR author = current_user))', own_tenant);
    FOREACH relation IN ARRAY ARRAY['entry', 'corpus', 'history']
    LOOP
        EXECUTE format('CREATE POLICY shared_or_own ON hardwon.%I USING (%s AND owner IN ('''', current_user))',
            relation, own_tenant);
    END LOOP;
    -- Nothing is added to an entry that is another member's alone.
    FOREACH relation IN ARRAY ARRAY['vector', 'document', 'posting']
    LOOP
        EXECUTE format('CREATE POLICY shared_or_own ON hardwon.%1$I USING (%2$s AND owner IN ('''', current_user))'
            ' WITH CHECK (%2$s AND owner IN ('''', current_user) AND EXISTS (SELECT 1 FROM hardwon.entry e'
            ' WHERE e.tenant = %1$I.tenant AND e.number = %1$I.number))', relation, own_tenant);
    END LOOP;
    FOREACH relation IN ARRAY ARRAY['receipt', 'receipt_entry', 'influence', 'source', 'source_heading', 'tombstone',
        'departed', 'opinion', 'trusted_folder', 'checkpoint', 'saved_row']
    LOOP
        EXECUTE format('CREATE POLICY own ON hardwon.%I USING (%s AND owner = current_user)', relation, own_tenant);
    END LOOP;
    EXECUTE format('CREATE POLICY seen ON hardwon.project FOR SELECT USING (%s)', own_tenant);
    FOREACH relation IN ARRAY ARRAY['INSERT', 'UPDATE', 'DELETE']
    LOOP
        EXECUTE format('CREATE POLICY own_%s ON hardwon.project FOR %s %s (%s AND owner = current_user)', lower(relation),
            relation, CASE relation WHEN 'INSERT' THEN 'WITH CHECK' ELSE 'USING' END, own_tenant);
    END LOOP;
    FOR relation IN SELECT c.relname FROM pg_class c WHERE c.relnamespace = 'hardwon'::regnamespace AND c.relkind = 'r'
        AND c.relname NOT IN ('tenant', 'member', 'migration')
    LOOP
        EXECUTE format('ALTER TABLE hardwon.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', relation);
    END LOOP;
    -- The owner adds tenants, and makes indexes of large spaces; these tables hold nobody's texts.
    ALTER TABLE hardwon.state NO FORCE ROW LEVEL SECURITY;
    ALTER TABLE hardwon.space NO FORCE ROW LEVEL SECURITY;
END $$;
