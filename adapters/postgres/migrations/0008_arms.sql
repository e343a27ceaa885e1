-- A trial may have shown or withheld an injection.
ALTER TABLE hardwon.receipt
    ADD COLUMN arm text COLLATE "C" NOT NULL DEFAULT '' CHECK (arm IN ('', 'shown', 'withheld'));
