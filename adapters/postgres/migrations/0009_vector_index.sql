-- An index of vectors of one width, which finds the nearest of many. Members ask for it while the vectors are few, so that it is made in seconds: a
-- function can't do it beside writers. Beyond that the owner makes it, by `hardwon store migrate`. A function of the owner, as members may not do it.
CREATE FUNCTION hardwon.index_vectors(width integer) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET lock_timeout = '1s' AS $$
DECLARE
    name constant text := 'vector_near_' || width;
    stored numeric := (SELECT sum(s.stored) FROM hardwon.space s WHERE s.dimensions = width);
    extension text := (SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector');
BEGIN
    IF width > 4000 OR stored IS NULL OR stored NOT BETWEEN 2000 AND 6000 OR pg_relation_size('hardwon.vector') > 67108864
        OR NOT pg_try_advisory_xact_lock(hashtextextended('vector_near', width)) OR to_regclass('hardwon.' || name) IS NOT NULL
    THEN
        RETURN false;
    END IF;
    EXECUTE format('CREATE INDEX %1$I ON hardwon.vector USING hnsw ((vec::%2$I.halfvec(%3$s)) %2$I.halfvec_cosine_ops)'
        ' WHERE %2$I.vector_dims(vec) = %3$s', name, extension, width);
    RETURN true;
END $$;
REVOKE EXECUTE ON FUNCTION hardwon.index_vectors(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION hardwon.index_vectors(integer) TO hardwon_member;
