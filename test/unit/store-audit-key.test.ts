import { join } from 'node:path';
import { mkdirSync } from 'node:fs';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { linkHash, NO_LINK, toAuditValues } from '#store/audit/chain.ts';
import { rowProof, type AuditKey, type AuditKeys } from '#store/audit/keys.ts';
import {
  auditHeadSeq,
  backUpStore,
  restoreStore,
  verifyStoreAudit,
} from '#store/backup/maintenance.ts';
import { MIGRATIONS } from '#store/migrations/migrations.ts';
import { openStore } from '#store/open-store.ts';
import { keysInMemory } from '../audit-keys-in-memory.ts';
import { callRecord } from '../fixtures/store-content.ts';
import { meddle, prepareStore } from '../old-store.ts';
import { KINDS, makeStoreHome, type Kind, type StoreHome } from '../stores.ts';
import { verifies } from '../verifies.ts';

const kinds = KINDS.filter((kind) => kind === 'sqlite' || inject('postgresUrl') !== '');
const WRITER = 'writer_a';
const homes: StoreHome[] = [];

afterEach(async () => {
  for (const made of homes.splice(0)) await made.remove();
});

async function makeHome(kind: Kind): Promise<StoreHome> {
  const made = await makeStoreHome(kind);
  homes.push(made);
  return made;
}

const recordAt = (seq: number) => callRecord(`req_${seq}`, seq);

/** Rows of these numbers, each a commit of its own, as a daemon with these keys writes them. */
async function write(home: StoreHome, seqs: readonly number[], auditKeys?: AuditKeys) {
  const store = await openStore({ ...home, writerId: WRITER, auditKeys });
  for (const seq of seqs) await store.calls.record(recordAt(seq));
  await store.close();
}

async function verify(home: StoreHome, keys: readonly AuditKey[], ...heads: string[]) {
  const { chains, heads: found } = await verifyStoreAudit(home, { keys, heads });
  return { chain: chains[0], heads: found };
}

/**
 * What somebody runs who can write the database: rows with another tool from this one on, and every
 * hash computed anew.
 */
function forgery(last: number, forged: number, proof?: (hash: string) => string | null): string {
  let head = NO_LINK;
  return Array.from({ length: last }, (_, at) => {
    const seq = at + 1;
    const tool = seq >= forged ? 'other' : 'chat';
    const hash = linkHash(WRITER, head, toAuditValues({ ...recordAt(seq), tool }));
    head = { seq, hash };
    const set = proof ? `, proof = ${sqlText(proof(hash))}` : '';
    return `update calls set tool = '${tool}', hash = '${hash}'${set} where seq = ${seq};`;
  }).join('\n');
}

const sqlText = (text: string | null) => (text === null ? 'null' : `'${text}'`);
const WITHOUT_KEY = /without the key of this chain$/;

describe.each(kinds)('on %s', (kind) => {
  verifies('security:audit-key', 'a chain that was computed anew is found by its key', async () => {
    const stranger = { key: new Uint8Array(32).fill(255) };
    const ways = {
      'proofs as they were': undefined,
      'no proofs': () => null,
      'proofs by another key': (hash: string) => rowProof(stranger, hash),
    };
    for (const [way, proof] of Object.entries(ways)) {
      const home = await makeHome(kind);
      const keys = keysInMemory();
      await write(home, [1, 2, 3, 4, 5], keys);
      expect((await verify(home, keys.list())).chain).toMatchObject({
        rows: 5,
        proof: { by: 'key', fromSeq: 1 },
      });
      await meddle(home, forgery(5, 3, proof));
      const { chain } = await verify(home, keys.list());
      expect({ way, what: chain?.fault?.what }).toEqual({
        way,
        what: expect.stringMatching(WITHOUT_KEY) as string,
      });
      // Who has no key sees links that fit.
      const byLinks = (await verify(home, [])).chain;
      expect({ way, fault: byLinks?.fault }).toEqual({ way, fault: undefined });
      expect(byLinks?.proof).toEqual({ by: 'links' });
    }
  });

  verifies('security:audit-key', 'a row that is taken out of the middle is found', async () => {
    const home = await makeHome(kind);
    const keys = keysInMemory();
    await write(home, [1, 2, 3], keys);
    const first = linkHash(WRITER, NO_LINK, toAuditValues(recordAt(1)));
    const third = linkHash(WRITER, { seq: 1, hash: first }, toAuditValues(recordAt(3)));
    await meddle(
      home,
      `delete from calls where seq = 2; update calls set seq = 2, hash = '${third}' where seq = 3;`,
    );
    expect((await verify(home, [])).chain).toMatchObject({ rows: 2, toSeq: 2 });
    expect((await verify(home, [])).chain?.fault).toBeUndefined();
    expect((await verify(home, keys.list())).chain?.fault).toMatchObject({ seq: 2 });
  });

  verifies('security:audit-key', 'rows from before the key stay as they were then', async () => {
    const home = await makeHome(kind);
    const keys = keysInMemory();
    await prepareStore(home, MIGRATIONS.slice(0, 4));
    await meddle(home, OLD_ROWS);
    await write(home, [4, 5], keys);
    const whole = await verify(home, keys.list());
    expect(whole.chain).toMatchObject({ rows: 5, proof: { by: 'key', fromSeq: 4 } });
    expect(whole.chain?.fault).toBeUndefined();
    await meddle(home, forgery(5, 1));
    expect((await verify(home, keys.list())).chain?.fault).toMatchObject({ seq: 4 });
    await meddle(
      home,
      forgery(5, 6, () => null),
    );
    expect((await verify(home, keys.list())).chain?.fault).toMatchObject({
      seq: 4,
      what: 'rows 4 to 5 were written without the key of this chain',
    });
    await meddle(home, 'delete from calls where seq > 2');
    expect((await verify(home, keys.list())).chain?.fault).toMatchObject({
      what: 'rows 3 to 5 are missing',
    });
    await meddle(home, 'delete from calls');
    expect((await verify(home, keys.list())).chain?.fault).toMatchObject({
      what: 'rows 1 to 5 are missing',
    });
  });

  test('rows without a proof after rows with one are found, with the key and without', async () => {
    const home = await makeHome(kind);
    const keys = keysInMemory();
    await write(home, [1, 2], keys);
    await write(home, [3]);
    for (const known of [keys.list(), []]) {
      expect((await verify(home, known)).chain?.fault).toEqual({
        seq: 3,
        what: 'row 3 was written without the key of this chain',
      });
    }
  });

  test('a writer whose key is lost goes on with a new one, and says from where on', async () => {
    const home = await makeHome(kind);
    const lost = keysInMemory();
    await write(home, [1, 2], lost);
    const keys = keysInMemory();
    await write(home, [3, 4], keys);
    const { chain } = await verify(home, keys.list());
    expect(chain).toMatchObject({ rows: 4, proof: { by: 'key', fromSeq: 3 } });
    expect(chain?.fault).toBeUndefined();
    const both = [...lost.list(), ...keys.list()];
    expect((await verify(home, both)).chain?.fault).toBeUndefined();
    expect((await verify(home, both)).chain?.proof).toEqual({ by: 'key', fromSeq: 1 });
  });

  verifies('security:audit-key', 'a head that was noted is found until it is cut off', async () => {
    const home = await makeHome(kind);
    const keys = keysInMemory();
    await write(home, [1, 2, 3], keys);
    const { chain } = await verify(home, keys.list());
    const head = chain?.head ?? '';
    await write(home, [4], keys);
    expect((await verify(home, keys.list(), head)).heads).toEqual([
      { head, is: 'found', writerId: WRITER, seq: 3 },
    ]);
    await meddle(home, 'delete from calls where seq > 2');
    const cut = await verify(home, keys.list(), head);
    // The home knows how far the chain had come when its daemon stopped.
    expect(cut.chain?.fault).toMatchObject({ what: 'rows 3 to 4 are missing' });
    expect(cut.heads).toEqual([{ head, is: 'missing' }]);
  });

  verifies(
    'security:audit-key',
    'what retention removes is told from what others remove',
    async () => {
      const home = await makeHome(kind);
      const keys = keysInMemory();
      await write(home, [1, 2, 3, 4], keys);
      const store = await openStore({ ...home, writerId: WRITER, auditKeys: keys });
      home.clock.advance(Date.UTC(2026, 0, 3) - home.clock.now());
      await store.calls.record(callRecord('req_5', home.clock.now()));
      const never = {
        turnsDays: 0,
        attemptsDays: 0,
        usageDays: 0,
        jobsDays: 0,
        responsesDays: 0,
        filesDays: 0,
      };
      expect(await store.prune({ ...never, auditDays: 1 })).toMatchObject({ calls: 4 });
      await store.close();
      const pruned = await verify(home, keys.list());
      expect(pruned.chain).toMatchObject({ rows: 1, fromSeq: 4, cut: { proof: 'key' } });
      expect(pruned.chain?.fault).toBeUndefined();
      await meddle(
        home,
        `update call_anchors set seq = 5, hash = (select hash from calls where seq = 5); delete from calls`,
      );
      const { chain } = await verify(home, keys.list());
      expect(chain?.cut?.proof).toBe('none');
      // Daemons that share a PostgreSQL cut each other's chains.
      expect(chain?.fault?.what).toBe(
        kind === 'sqlite' ? 'rows 1 to 5 were removed without the key of this chain' : undefined,
      );
    },
  );

  test('a backup has the keys only when asked for, and a restore gives them back', async () => {
    const home = await makeHome(kind);
    const keys = keysInMemory();
    await write(home, [1, 2], keys);
    mkdirSync(home.backupDir, { recursive: true });
    const place = (name: string) => join(home.backupDir, name);
    await backUpStore(home, { file: place('plain'), nowMs: 1 });
    await backUpStore(home, { file: place('keyed'), nowMs: 1, auditKeys: keys.list() });
    const restored = async (file: string) => {
      const target = await makeHome(kind);
      const { auditKeys } = await restoreStore(target, { file, nowMs: 2, existing: 'refuse' });
      expect(await auditHeadSeq(target, WRITER)).toBe(2);
      return (await verify(target, auditKeys)).chain;
    };
    expect(await restored(place('plain'))).toMatchObject({ rows: 2, proof: { by: 'links' } });
    expect(await restored(place('keyed'))).toMatchObject({ proof: { by: 'key', fromSeq: 1 } });
  });
});

/** A chain of three rows as version 0.1 wrote it. */
const OLD_ROWS = [1, 2, 3]
  .reduce<{ head: typeof NO_LINK; sql: string[] }>(
    ({ head, sql }, seq) => {
      const values = toAuditValues(recordAt(seq));
      const hash = linkHash(WRITER, head, values);
      const texts = values.map((value) => (typeof value === 'string' ? `'${value}'` : `${value}`));
      const row = `insert into calls (writer_id, seq, hash, req_id, at, principal, tool, status, detail)
        values ('${WRITER}', ${seq}, '${hash}', ${texts.join(', ')});`;
      return { head: { seq, hash }, sql: [...sql, row] };
    },
    { head: NO_LINK, sql: [] },
  )
  .sql.join('\n');
