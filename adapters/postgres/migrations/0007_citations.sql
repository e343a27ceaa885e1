-- An entry keeps the state of the files that it cites, and a receipt what was printed of it.
ALTER TABLE hardwon.entry ADD COLUMN is_gone boolean NOT NULL DEFAULT false;
ALTER TABLE hardwon.entry_text ADD COLUMN citations text[] COLLATE "C" NOT NULL DEFAULT '{}';
ALTER TABLE hardwon.receipt_entry ADD COLUMN warning text COLLATE "C" NOT NULL DEFAULT '';
