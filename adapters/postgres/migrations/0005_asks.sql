-- A receipt may be of a question to the agent: what repaired the command that passes now?
ALTER TABLE hardwon.receipt
    DROP CONSTRAINT receipt_event_check,
    ADD CONSTRAINT receipt_event_check CHECK (event IN ('start', 'prompt', 'failure', 'file', 'edit', 'subagent', 'ask'));
