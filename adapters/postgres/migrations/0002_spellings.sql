-- The id of a lesson is that of its composed text (Unicode's form C). The program computes it: `migrate_spellings.py`, in the same transaction.
SELECT 1;
