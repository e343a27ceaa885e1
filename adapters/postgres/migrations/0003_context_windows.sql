-- Injections in the context windows of agents: whose window, whether the host dropped it, and the largest number of an entry then.
-- The default says that nothing is new since an earlier receipt: the largest number then is not known.
ALTER TABLE hardwon.receipt
    ADD COLUMN agent text COLLATE "C" NOT NULL DEFAULT '',
    ADD COLUMN dropped boolean NOT NULL DEFAULT false,
    ADD COLUMN latest bigint NOT NULL DEFAULT 9223372036854775807;
