-- A receipt may be of a moment of action: a command failed, a file was opened or edited, a subagent started.
ALTER TABLE hardwon.receipt
    DROP CONSTRAINT receipt_event_check,
    ADD CONSTRAINT receipt_event_check CHECK (event IN ('start', 'prompt', 'failure', 'file', 'edit', 'subagent')),
    ADD COLUMN signature text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE hardwon.receipt_entry
    DROP CONSTRAINT receipt_entry_form_check,
    ADD CONSTRAINT receipt_entry_form_check CHECK (form IN ('lesson', 'note', 'conversation', 'memory'));
