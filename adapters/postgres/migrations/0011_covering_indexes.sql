-- Indexes by which a search reads the entries that it may show, and no table as a whole.

-- Words are counted and scored by the key alone.
CREATE UNIQUE INDEX posting_key ON hardwon.posting (tenant, term, number, passage)
    INCLUDE (owner, words, passage_words, times, own_times, passage_times);
ALTER TABLE hardwon.posting DROP CONSTRAINT posting_pkey, ADD CONSTRAINT posting_pkey PRIMARY KEY USING INDEX posting_key;

-- Entries and those without a vector are counted by two indexes.
CREATE INDEX entry_ranked ON hardwon.entry (tenant, number) INCLUDE (owner, kind, category, reach, project) WHERE NOT retired;
CREATE UNIQUE INDEX vector_key ON hardwon.vector (tenant, space, number) INCLUDE (owner);
ALTER TABLE hardwon.vector DROP CONSTRAINT vector_pkey, ADD CONSTRAINT vector_pkey PRIMARY KEY USING INDEX vector_key;

-- Every session start asks for both, and they are few.
CREATE INDEX entry_rules ON hardwon.entry (tenant, number) WHERE tier = 'constitutional' AND NOT retired;
CREATE INDEX entry_text_of_checkouts ON hardwon.entry_text (tenant, number) WHERE door = 'checkout';
