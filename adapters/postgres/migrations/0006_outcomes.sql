-- The outcome of a moment is kept with its receipt, and that somebody rejected a shown entry.
ALTER TABLE hardwon.receipt ADD COLUMN outcome jsonb NOT NULL DEFAULT '[]';
ALTER TABLE hardwon.receipt_entry ADD COLUMN is_rejected boolean NOT NULL DEFAULT false;
