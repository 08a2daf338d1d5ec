/** Promises about what is stored, and about damage and failures of the store. */
export const STORE_REQUIREMENTS = {
  'store:families': 'Every table family behaves the same on SQLite and on PostgreSQL.',
  'store:search':
    'Full-text search finds words in any script, on both stores, within one principal.',
  'store:group-commit':
    'Writes that arrive while a commit runs share the next one; a failing write harms no other.',
  'store:kill':
    'After kill -9 under load, every acknowledged row is there and every audit chain verifies.',
  'store:migrations':
    'Migrations run once, after a backup, and a newer database is refused with words.',
  'store:old-homes':
    'A home made by version 0.1 opens with its conversations, jobs, results, usage, audit, clients, keys and settings.',
  'store:corrupt': 'A damaged database is refused with the command that restores it.',
  'store:disk-full':
    'On a full disk a write fails with a clear class, and what was acknowledged stays.',
  'store:postgres-down':
    'PostgreSQL down at start is refused with words; down later, the daemon says so and recovers by itself.',
  'store:restart-unseen':
    'A restart of PostgreSQL and a deadlock are not seen by calls: what had no effect is sent again.',
  'jobs:store-clock':
    'Leases of jobs go by the clock of the store, or by running time: clocks of daemons that differ or jump move no job.',
  'jobs:claimed-late':
    'A job whose claim is stored late, after the daemon heard that it failed, runs as soon as that lease has expired.',
  'store:list-order':
    'Lists of conversations, jobs and calls begin with what happened last, also after the clock went back.',
  'store:frozen':
    'A PostgreSQL server that stands still holds no operation longer than its limit, and a call no longer than its deadline.',
  'store:refused-before':
    'While nothing can be stored, calls that would have to be recorded are refused before a model is asked.',
  'store:usage-kept': 'Usage that could not be stored is stored when the store works again, once.',
  'store:held-file':
    'While another program holds the SQLite file, or its disk does not answer, writes are refused within seconds as retryable; nothing paid is forgotten',
  'store:deleted-database':
    'A database file that is deleted or replaced while the daemon runs is noticed before a write is acknowledged.',
  'store:cut-audit':
    'Audit rows that a crash acknowledged and that are gone at the next start are reported with their numbers, without false alarms.',
  'store:retention':
    'Retention removes what is older than configured and leaves the audit chain verifiable.',
  'store:retention-clock':
    'A clock that jumps ahead removes nothing until the owner or days of running confirm it, in a store of an older version, too; the jump is reported.',
  'store:killed-restore':
    'A restore, backup, upgrade or retention that is killed loses nothing; the next start completes it, or says what to do.',
  'store:backup':
    'A backup restores to the same content on either store, and a cut or altered one is refused.',
  'store:backup-engine':
    'A backup with SQLite is a copy by the engine, made beside a running daemon, checked, private, complete or absent; it restores into either store.',
  'store:upgrade-progress':
    'While a daemon upgrades its store, programs that need it wait and say how far it is.',
  'store:damage-found':
    'Damaged pages of a large database are found by a check beside the calls, named with the command that helps, and what can be read is saved.',
} as const;
