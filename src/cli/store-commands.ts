import type { CommandRow } from './command-table.ts';

/** The rows of the commands that keep, restore, remove and verify what is stored. */
export const STORE_COMMANDS: readonly CommandRow[] = [
  {
    name: 'backup',
    summary: 'Back up the store to one file',
    load: () => import('./commands/backup.ts'),
  },
  {
    name: 'restore',
    summary: 'Restore the store from a backup',
    effect: 'destructive',
    load: () => import('./commands/restore.ts'),
  },
  {
    name: 'retention run',
    summary: 'Remove what is older than retention.* allows, now and by the clock as it is',
    effect: 'destructive',
    load: () => import('./commands/retention-run.ts'),
  },
  {
    name: 'audit verify',
    summary: 'Verify the audit log (modified, missing or inserted entries)',
    load: () => import('./commands/audit-verify.ts'),
  },
];
