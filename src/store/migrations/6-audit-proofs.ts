import type { Migration } from './migrate.ts';

/** Proofs by a key that is not in the database. Rows and anchors from before have none. */
export const auditProofs: Migration = {
  version: 6,
  name: 'audit proofs',
  up: () => [
    'alter table calls add column proof text',
    'alter table call_anchors add column proof text',
  ],
};
