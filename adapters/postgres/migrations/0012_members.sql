-- What a colleague can't do to another member's lesson: write it as another, give it another tier, make it private, or delete it.

-- The login. The functions below are their owner's, and act for the login of the session.
DO $$
BEGIN
    EXECUTE format('CREATE FUNCTION hardwon.login() RETURNS text LANGUAGE sql STABLE PARALLEL SAFE'
        ' BEGIN ATOMIC SELECT CASE WHEN current_user = %L THEN session_user ELSE current_user END; END', current_user);
END $$;
CREATE OR REPLACE FUNCTION hardwon.own_tenant() RETURNS integer LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT m.tenant FROM hardwon.member m WHERE m.role = hardwon.login();
END;
CREATE FUNCTION hardwon.owns_store() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT pg_has_role(hardwon.login(), c.relowner, 'USAGE') FROM pg_class c
    WHERE c.relnamespace = 'hardwon'::regnamespace AND c.relname = 'entry';
END;
REVOKE EXECUTE ON FUNCTION hardwon.login(), hardwon.owns_store() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION hardwon.login(), hardwon.owns_store() TO hardwon_member;

DROP POLICY shared_or_own ON hardwon.entry;
CREATE POLICY shared_or_own ON hardwon.entry USING (tenant = hardwon.own_tenant() AND owner IN ('', hardwon.login()));
DROP POLICY shared_or_own ON hardwon.entry_text;
CREATE POLICY shared_or_own ON hardwon.entry_text USING (tenant = hardwon.own_tenant() AND owner IN ('', hardwon.login()))
    WITH CHECK (tenant = hardwon.own_tenant() AND owner IN ('', hardwon.login()) AND (file_path IS NULL OR author = hardwon.login()));

DO $$
DECLARE
    relation text;
    columns text;
BEGIN
    FOREACH relation IN ARRAY ARRAY['entry', 'entry_text']
    LOOP
        EXECUTE format('CREATE POLICY by_author ON hardwon.%I AS RESTRICTIVE FOR INSERT WITH CHECK (author = hardwon.login())', relation);
        EXECUTE format('CREATE POLICY private_by_author ON hardwon.%I AS RESTRICTIVE FOR UPDATE USING (true)'
            ' WITH CHECK (owner = %L OR author = hardwon.login())', relation, '');
        EXECUTE format('CREATE POLICY deleted_by_author ON hardwon.%I AS RESTRICTIVE FOR DELETE'
            ' USING (author = hardwon.login() OR owner = hardwon.login() OR hardwon.owns_store())', relation);
        -- Author and tier are changed by functions only.
        SELECT string_agg(quote_ident(a.attname), ', ') INTO columns FROM pg_attribute a
        WHERE a.attrelid = ('hardwon.' || relation)::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attname NOT IN ('author', 'tier');
        EXECUTE format('REVOKE UPDATE ON hardwon.%I FROM hardwon_member', relation);
        EXECUTE format('GRANT UPDATE (%s) ON hardwon.%I TO hardwon_member', columns, relation);
    END LOOP;
END $$;

-- The tier of an own entry.
CREATE FUNCTION hardwon.change_tier(of_entry bigint, wanted text) RETURNS void LANGUAGE sql SECURITY DEFINER
BEGIN ATOMIC
    UPDATE hardwon.entry SET tier = wanted
    WHERE tenant = hardwon.own_tenant() AND number = of_entry AND author = hardwon.login() AND owner IN ('', hardwon.login());
END;
-- The author of what is read from a file that members share is who stored it last. A lesson is read from no file.
CREATE FUNCTION hardwon.take_over(of_entry bigint, path text) RETURNS void LANGUAGE sql SECURITY DEFINER
BEGIN ATOMIC
    UPDATE hardwon.entry e SET author = hardwon.login() FROM hardwon.entry_text t
    WHERE e.tenant = hardwon.own_tenant() AND e.number = of_entry AND e.owner = ''
        AND t.tenant = e.tenant AND t.number = e.number AND t.file_path IS NOT NULL;
    UPDATE hardwon.entry_text SET author = hardwon.login(), file_path = path
    WHERE tenant = hardwon.own_tenant() AND number = of_entry AND owner = '' AND file_path IS NOT NULL;
END;
REVOKE EXECUTE ON FUNCTION hardwon.change_tier(bigint, text), hardwon.take_over(bigint, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION hardwon.change_tier(bigint, text), hardwon.take_over(bigint, text) TO hardwon_member;
