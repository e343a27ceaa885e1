-- Spread the tables over the workers of a Citus cluster by tenant. Untried with this schema: read citus.md first.
-- Run as the owner on the coordinator, after `hardwon store migrate` and before the first entry.
-- The policies read hardwon.member, a copy of which is on each node, within queries on shards.
SELECT run_command_on_all_nodes(format('ALTER DATABASE %I SET citus.allow_nested_distributed_execution = on', current_database()));
SELECT create_reference_table('hardwon.migration');
SELECT create_reference_table('hardwon.tenant');
SELECT create_reference_table('hardwon.member');
SELECT create_distributed_table('hardwon.state', 'tenant');
SELECT create_distributed_table(relation::regclass, 'tenant', colocate_with => 'hardwon.state')
FROM unnest(ARRAY[
    -- what others refer to comes first
    'hardwon.metadata', 'hardwon.entry', 'hardwon.entry_text', 'hardwon.recall', 'hardwon.usage', 'hardwon.entry_alias',
    'hardwon.entry_place', 'hardwon.proposal', 'hardwon.history', 'hardwon.space', 'hardwon.vector',
    'hardwon.document', 'hardwon.corpus', 'hardwon.posting', 'hardwon.receipt', 'hardwon.receipt_entry', 'hardwon.influence',
    'hardwon.source', 'hardwon.source_heading', 'hardwon.tombstone', 'hardwon.departed', 'hardwon.forgotten',
    'hardwon.project', 'hardwon.opinion', 'hardwon.trusted_folder', 'hardwon.checkpoint', 'hardwon.saved_row'
]) AS relation;
