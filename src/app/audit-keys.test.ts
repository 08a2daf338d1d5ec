import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createListLog } from '../../test/list-log.ts';
import { verifies } from '../../test/verifies.ts';
import { openAuditKeys, readAuditKeys } from './audit-keys.ts';
import { systemRandom } from './system.ts';

const open = (file: string) => openAuditKeys(file, systemRandom);

verifies(
  'security:audit-key',
  'a key is stored readable only by its owner, and loaded again',
  () => {
    const file = tempFile();
    expect([open(file).list(), readAuditKeys(file), existsSync(file)]).toEqual([[], [], false]);
    const made = open(file).make('writer_a', 7);
    expect(made.key).toHaveLength(32);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const [found] = open(file).list();
    expect(found).toMatchObject({ writerId: 'writer_a', fromSeq: 7 });
    expect(Buffer.from(found?.key ?? []).equals(made.key)).toBe(true);
    expect(readAuditKeys(file)).toHaveLength(1);
  },
);

test('keys of a backup are added once, before those of the home', () => {
  const keys = open(tempFile());
  const own = keys.make('writer_a', 5);
  const other = { writerId: 'writer_b', fromSeq: 1, key: systemRandom(32) };
  keys.add([other, { ...own, fromSeq: 9 }]);
  keys.add([other]);
  expect(keys.list()).toEqual([other, own]);
});

test('after a restore a chain is keyed from its next row on, if it was not before', async () => {
  const keys = open(tempFile());
  keys.make('writer_a', 5);
  keys.make('writer_b', 2);
  await keys.lower(async (writerId) => (writerId === 'writer_a' ? 3 : 8));
  expect(keys.list().map(({ fromSeq }) => fromSeq)).toEqual([4, 2]);
});

test.each(['', 'half a {', '[]', '{"keys":[{"writer":"writer_a","from":0,"key":"x"}]}'])(
  'a file with %j is preserved under another name, and a reader gets an error',
  (text) => {
    const file = tempFile();
    writeFileSync(file, text);
    expect(() => readAuditKeys(file)).toThrow('is damaged');
    const log = createListLog();
    expect(openAuditKeys(file, systemRandom, log).list()).toEqual([]);
    expect(readFileSync(`${file}.damaged`, 'utf8')).toBe(text);
    expect(log.lines).toMatchObject([{ event: 'audit_keys_damaged' }]);
  },
);

function tempFile(): string {
  const dir = mkdtempSync(join(tmpdir(), 'exai-keys-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return join(dir, 'audit-keys.json');
}
