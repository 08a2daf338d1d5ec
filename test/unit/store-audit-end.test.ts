import { copyFileSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { readHeadFile } from '#store/audit/head-file.ts';
import { verifyStoreAudit } from '#store/backup/maintenance.ts';
import { openStore } from '#store/open-store.ts';
import { sqliteFile } from '#store/sqlite/file.ts';
import { keysInMemory } from '../audit-keys-in-memory.ts';
import { callRecord } from '../fixtures/store-content.ts';
import { meddle } from '../old-store.ts';
import { KINDS, makeStoreHome, type Kind, type StoreHome } from '../stores.ts';
import { verifies } from '../verifies.ts';

const kinds = KINDS.filter((kind) => kind === 'sqlite' || inject('postgresUrl') !== '');
const homes: StoreHome[] = [];

afterEach(async () => {
  for (const made of homes.splice(0)) await made.remove();
});

async function setUp(kind: Kind) {
  const home = await makeStoreHome(kind);
  homes.push(home);
  mkdirSync(home.dataDir, { recursive: true });
  const auditHeadFile = join(home.dataDir, '..', 'audit-head');
  const auditKeys = keysInMemory();
  const open = () => openStore({ ...home, writerId: 'writer_a', auditHeadFile, auditKeys });
  const record = async (from: number, to: number) => {
    const store = await open();
    for (let seq = from; seq <= to; seq++)
      await store.calls.record(callRecord(`req_${seq}`, home.clock.now()));
    const losses = store.auditLosses();
    await store.close();
    return losses;
  };
  const verify = async () => {
    const recorded = readHeadFile(auditHeadFile);
    const { chains } = await verifyStoreAudit(home, { keys: auditKeys.list(), recorded });
    return chains[0]?.fault?.what;
  };
  return { home, open, record, verify, auditHeadFile };
}

const CUT = 'delete from calls where seq > 6';

describe.each(kinds)('on %s', (kind) => {
  verifies(
    'store:cut-audit',
    'rows cut from the end are found without and with a start',
    async () => {
      const { home, record, verify } = await setUp(kind);
      expect(await record(1, 10)).toEqual([]);
      expect(await verify()).toBeUndefined();
      await meddle(home, CUT);
      expect(await verify()).toBe('rows 7 to 10 are missing');
      const [loss] = await record(11, 12);
      expect(loss).toMatchObject({ fromSeq: 7, toSeq: 10, what: 'missing' });
      expect(home.log.lines).toContainEqual(expect.objectContaining({ event: 'audit_rows_lost' }));
      // The chain went on after the gap, which stays visible.
      expect(await verify()).toBe('rows 7 to 10 are missing');
      expect(await record(13, 13)).toEqual([loss]);
      expect(home.log.lines.filter(({ event }) => event === 'audit_rows_lost')).toHaveLength(1);
    },
  );

  verifies('store:cut-audit', 'a head that is behind the database is no loss', async () => {
    const { record, verify, auditHeadFile } = await setUp(kind);
    await record(1, 3);
    copyFileSync(auditHeadFile, `${auditHeadFile}.old`);
    await record(4, 9);
    renameSync(`${auditHeadFile}.old`, auditHeadFile);
    expect(await verify()).toBeUndefined();
    expect(await record(10, 10)).toEqual([]);
    rmSync(auditHeadFile);
    expect(await record(11, 11)).toEqual([]);
    expect(await verify()).toBeUndefined();
  });

  test('what retention removed is no loss', async () => {
    const { home, open, record, verify } = await setUp(kind);
    await record(1, 5);
    const store = await open();
    const none = { turnsDays: 0, attemptsDays: 0, usageDays: 0, jobsDays: 0 };
    const laterMs = home.clock.now() + 10 * 86_400_000;
    await store.prune({ ...none, responsesDays: 0, filesDays: 0, auditDays: 1 }, laterMs);
    await store.close();
    expect(await record(6, 6)).toEqual([]);
    expect(await verify()).toBeUndefined();
  });

  test('a last row with other content is found', async () => {
    const { home, record, verify } = await setUp(kind);
    await record(1, 3);
    await meddle(home, `update calls set hash = 'other' where seq = 3`);
    expect(await record(4, 4)).toMatchObject([{ fromSeq: 3, toSeq: 3, what: 'replaced' }]);
    expect(await verify()).toContain('row 3');
  });
});

verifies(
  'store:cut-audit',
  'a log that was removed after a kill is found, as the record is there before the acknowledgement',
  async () => {
    const { home, open, record, verify } = await setUp('sqlite');
    await record(1, 4);
    const file = sqliteFile(home.dataDir);
    copyFileSync(file, `${file}.at-checkpoint`);
    const store = await open();
    for (let seq = 5; seq <= 44; seq++) await store.calls.record(callRecord(`req_${seq}`, seq));
    // As after a kill and the removal of the log: the file as of the last checkpoint.
    const head = join(home.dataDir, '..', 'audit-head');
    copyFileSync(head, `${head}.at-kill`);
    await store.close();
    renameSync(`${file}.at-checkpoint`, file);
    renameSync(`${head}.at-kill`, head);
    expect(await verify()).toBe('rows 5 to 44 are missing');
    expect(await record(45, 45)).toMatchObject([{ fromSeq: 5, toSeq: 44 }]);
  },
);
