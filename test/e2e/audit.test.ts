import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { expect } from 'vitest';
import { AUDIT_COLUMNS, linkHash, NO_LINK } from '#store/audit/chain.ts';
import { openSqlite } from '#store/sqlite/connection.ts';
import { verifies } from '../verifies.ts';
import { createHome } from './exai.ts';

/** A home whose daemon has written some rows and has stopped. */
async function audited(calls: number) {
  const home = createHome();
  const run = async () => {
    const daemon = await home.serve();
    for (let n = 0; n < calls; n++) {
      expect((await home.exai(['call', 'version'])).code).toBe(0);
    }
    daemon.kill('SIGTERM');
    await daemon.ended;
  };
  await run();
  return { ...home, run };
}

/**
 * Somebody who can write the database changes a row, or removes one, and computes the whole chain
 * anew.
 */
function forge(file: string, change: string): void {
  const db = openSqlite(file, 'write');
  db.exec(change);
  let head = NO_LINK;
  for (const row of db.all('select * from calls order by seq')) {
    const values = AUDIT_COLUMNS.map((column) => row[column] ?? null);
    const hash = linkHash(String(row['writer_id']), head, values);
    head = { seq: head.seq + 1, hash };
    db.run('update calls set seq = ?, hash = ? where seq = ?', [head.seq, hash, row['seq'] ?? 0]);
  }
  db.close();
}

verifies(
  'security:audit-key',
  'an audit that was changed and computed anew is told from a whole one',
  async () => {
    for (const change of [
      `update calls set principal = 'somebody else' where seq = 2`,
      'delete from calls where seq = 2',
    ]) {
      const { exai, path } = await audited(3);
      const whole = await exai(['audit', 'verify']);
      expect([whole.code, whole.stdout]).toEqual([
        0,
        expect.stringMatching(
          /^writer_\w+: 3 rows, up to 3; proven by the key of this home [0-9a-f]{64}\nNo fault found: /,
        ),
      ]);
      expect(statSync(path('data', 'audit-keys.json')).mode & 0o777).toBe(0o600);
      forge(path('data', 'exai.db'), change);
      const broken = await exai(['audit', 'verify']);
      expect([broken.code, broken.stdout]).toEqual([
        1,
        expect.stringMatching(/^Broken: .*without the key of this chain\nThe audit has faults/),
      ]);
    }
  },
);

verifies(
  'security:audit-key',
  'a noted head says later whether the end was cut off, and a lost key what is still proven',
  async () => {
    const { exai, path, run } = await audited(2);
    const [head = ''] = /[0-9a-f]{64}/.exec((await exai(['audit', 'verify'])).stdout) ?? [];
    rmSync(path('data', 'audit-keys.json'));
    await run();
    const later = await exai(['audit', 'verify', '--head', head]);
    expect([later.code, later.stdout]).toEqual([0, expect.stringContaining('is row 2 of writer_')]);
    expect(later.stdout).toContain('from row 3 on, before that by links');
    const db = openSqlite(path('data', 'exai.db'), 'write');
    db.exec('delete from calls where seq > 1');
    db.close();
    const cut = await exai(['audit', 'verify', '--head', head.toUpperCase(), '--json']);
    expect(cut.code).toBe(1);
    expect(JSON.parse(cut.stdout)).toMatchObject({ ok: false, heads: [{ head, is: 'missing' }] });
    expect((await exai(['audit', 'verify', '--head', 'abc'])).code).toBe(3);
  },
);

verifies(
  'security:audit-key',
  'a backup carries the key only when asked for, and is restored beside the keys of a home',
  async () => {
    const { exai, path, run } = await audited(1);
    const key = (JSON.parse(readFileSync(path('data', 'audit-keys.json'), 'utf8')) as KeysFile)
      .keys[0]?.key;
    await exai(['backup', path('plain.gz')]);
    await exai(['backup', path('keyed.gz'), '--include-audit-key']);
    const seen = async (file: string) => {
      const other = createHome();
      const { stdout, stderr, code } = await other.exai(['restore', path(file), '--json']);
      expect([code, `${stdout}${stderr}`]).toEqual([0, expect.not.stringContaining(key ?? 'x')]);
      return (await other.exai(['audit', 'verify'])).stdout;
    };
    expect(await seen('plain.gz')).toContain('checked by links alone');
    expect(await seen('keyed.gz')).toContain('1 row, up to 1; proven by the key of this home');

    // The home goes on from the backup with its own key.
    await run();
    expect((await exai(['restore', path('plain.gz')])).code).toBe(0);
    await run();
    expect((await exai(['audit', 'verify'])).stdout).toContain(
      // One of the first run, one of the restore, one of the run after it.
      '3 rows, up to 3; proven by the key',
    );
    expect(readdirSync(path('data')).filter((name) => name.startsWith('audit-keys'))).toEqual([
      'audit-keys.json',
    ]);
  },
);

interface KeysFile {
  readonly keys: readonly { readonly key: string }[];
}
