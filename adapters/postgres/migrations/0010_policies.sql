-- Policies without a subquery, as Citus distributes no table whose policy has one (deploy/citus.md).

-- The tenant of the login. In standard SQL, so that it reads the same table whatever the search_path of a member.
CREATE FUNCTION hardwon.own_tenant() RETURNS integer LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT m.tenant FROM hardwon.member m WHERE m.role = current_user;
END;
REVOKE EXECUTE ON FUNCTION hardwon.own_tenant() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION hardwon.own_tenant() TO hardwon_member;

-- The owner sees all rows in this transaction.
DO $$
DECLARE
    old record;
BEGIN
    FOR old IN SELECT p.polname, c.relname FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid
        WHERE c.relnamespace = 'hardwon'::regnamespace AND c.relname != 'member' ORDER BY c.relname, p.polname
    LOOP
        EXECUTE format('DROP POLICY %I ON hardwon.%I', old.polname, old.relname);
        EXECUTE format('ALTER TABLE hardwon.%I NO FORCE ROW LEVEL SECURITY', old.relname);
    END LOOP;
END $$;

-- Each row about an entry has the entry's owner. A key ensures it, so nothing is added to an entry that is another member's alone.
ALTER TABLE hardwon.entry ADD UNIQUE (tenant, number, owner);
DO $$
DECLARE
    added constant text[] := ARRAY['recall', 'usage', 'entry_alias', 'entry_place'];
    relation text;
BEGIN
    FOREACH relation IN ARRAY added
    LOOP
        EXECUTE format('ALTER TABLE hardwon.%I ADD COLUMN entry_owner text COLLATE "C" NOT NULL DEFAULT %L', relation, '');
        EXECUTE format('UPDATE hardwon.%I r SET entry_owner = e.owner FROM hardwon.entry e'
            ' WHERE e.tenant = r.tenant AND e.number = r.number AND e.owner != %L', relation, '');
    END LOOP;
    FOREACH relation IN ARRAY added || ARRAY['entry_text', 'vector', 'document', 'posting']
    LOOP
        EXECUTE format('ALTER TABLE hardwon.%I DROP CONSTRAINT IF EXISTS %I, ADD FOREIGN KEY (tenant, number, %I)'
            ' REFERENCES hardwon.entry (tenant, number, owner) ON DELETE CASCADE', relation, relation || '_tenant_number_fkey',
            CASE WHEN relation = ANY(added) THEN 'entry_owner' ELSE 'owner' END);
    END LOOP;
    -- A checkpoint has such rows as they were.
    UPDATE hardwon.saved_row s SET content = s.content || jsonb_build_object('entry_owner', e.content -> 'owner')
    FROM hardwon.saved_row e WHERE s.relation = ANY(added) AND e.tenant = s.tenant AND e.snapshot = s.snapshot
        AND e.relation = 'entry' AND e.number = s.number;
END $$;

-- A pair with an entry that is a member's own is that member's own. Another member may propose the same two numbers.
ALTER TABLE hardwon.proposal ADD COLUMN entry_owner text COLLATE "C" NOT NULL DEFAULT '';
UPDATE hardwon.proposal p SET entry_owner = greatest(older.owner, newer.owner) FROM hardwon.entry older, hardwon.entry newer
WHERE older.tenant = p.tenant AND older.number = p.older AND newer.tenant = p.tenant AND newer.number = p.newer;
ALTER TABLE hardwon.proposal DROP CONSTRAINT proposal_pkey, ADD PRIMARY KEY (tenant, older, newer, entry_owner);

-- Who sees what, as before: a member's tenant alone, and of it nothing that is another member's own.
CREATE POLICY own_tenant ON hardwon.tenant USING (tenant = hardwon.own_tenant());
DO $$
DECLARE
    own_tenant constant text := 'tenant = hardwon.own_tenant()';
    of_all constant text := own_tenant || ' AND %I IN ('''', current_user)';
    own constant text := own_tenant || ' AND owner = current_user';
    relation text;
BEGIN
    FOREACH relation IN ARRAY ARRAY['state', 'metadata', 'space', 'forgotten']
    LOOP
        EXECUTE format('CREATE POLICY own_tenant ON hardwon.%I USING (' || own_tenant || ')', relation);
    END LOOP;
    FOREACH relation IN ARRAY ARRAY['entry', 'corpus', 'history', 'vector', 'document', 'posting']
    LOOP
        EXECUTE format('CREATE POLICY shared_or_own ON hardwon.%I USING (' || of_all || ')', relation, 'owner');
    END LOOP;
    FOREACH relation IN ARRAY ARRAY['recall', 'usage', 'entry_alias', 'entry_place', 'proposal']
    LOOP
        EXECUTE format('CREATE POLICY shared_or_own ON hardwon.%I USING (' || of_all || ')', relation, 'entry_owner');
    END LOOP;
    -- What stands for a file is put among the files of its author by the author alone.
    EXECUTE format('CREATE POLICY shared_or_own ON hardwon.entry_text USING (' || of_all || ')'
        ' WITH CHECK (' || of_all || ' AND (file_path IS NULL OR author = current_user))', 'owner', 'owner');
    FOREACH relation IN ARRAY ARRAY['receipt', 'receipt_entry', 'influence', 'source', 'source_heading', 'tombstone',
        'departed', 'opinion', 'trusted_folder', 'checkpoint', 'saved_row']
    LOOP
        EXECUTE format('CREATE POLICY own ON hardwon.%I USING (' || own || ')', relation);
    END LOOP;
    EXECUTE 'CREATE POLICY seen ON hardwon.project FOR SELECT USING (' || own_tenant || ')';
    EXECUTE 'CREATE POLICY own_insert ON hardwon.project FOR INSERT WITH CHECK (' || own || ')';
    EXECUTE 'CREATE POLICY own_update ON hardwon.project FOR UPDATE USING (' || own || ')';
    EXECUTE 'CREATE POLICY own_delete ON hardwon.project FOR DELETE USING (' || own || ')';
    FOR relation IN SELECT c.relname FROM pg_class c WHERE c.relnamespace = 'hardwon'::regnamespace AND c.relkind = 'r'
        AND c.relname NOT IN ('tenant', 'member', 'migration', 'state', 'space')
    LOOP
        EXECUTE format('ALTER TABLE hardwon.%I FORCE ROW LEVEL SECURITY', relation);
    END LOOP;
END $$;
