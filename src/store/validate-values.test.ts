import { expect, test } from 'vitest';
import type { Database, Write } from './database.ts';
import { validateValues } from './validate-values.ts';

/** A database that records what it is asked to write. */
function recordWrites() {
  const written: Write[] = [];
  const db: Database = {
    dialect: 'sqlite',
    read: async () => [],
    scan: async () => [],
    write: async (write) => {
      written.push(write);
      return [];
    },
    writeLazily: (write) => void written.push(write),
    snapshot: (work) => work(async () => []),
    health: async () => ({ ok: true }),
    failure: () => undefined,
    damage: () => undefined,
    checkPages: async () => undefined,
    close: async () => undefined,
  };
  return { written, db: validateValues(db) };
}

test('a bulk write reaches the engine as one, with its own bytes', async () => {
  const { written, db } = recordWrites();
  const bytes = new Uint8Array(8);
  await db.write({ statements: [{ sql: 'insert', params: ['a', bytes] }], bulk: true });
  expect(written).toEqual([{ statements: [{ sql: 'insert', params: ['a', bytes] }], bulk: true }]);
  // Not a copy: shared memory reaches the writer thread as it is.
  expect(written[0]?.statements[0]?.params[1]).toBe(bytes);
});

test('rows of audit and usage reach the engine with the statements', async () => {
  const { written, db } = recordWrites();
  const usageRows = { attempts: [['b']], usage: [[1]] };
  await db.write({ statements: [{ sql: 'insert', params: [] }], audit: [['a\0']], usageRows });
  expect(written).toEqual([
    { statements: [{ sql: 'insert', params: [] }], audit: [['a\u2400']], usageRows },
  ]);
});

test('a view of a larger buffer is copied, and a value of another type is refused', async () => {
  const { written, db } = recordWrites();
  const view = new Uint8Array(16).subarray(0, 4);
  await db.write({ statements: [{ sql: 'insert', params: [view] }] });
  const given = written[0]?.statements[0]?.params[0] as Uint8Array;
  expect([given.length, given.buffer.byteLength]).toEqual([4, 4]);
  const half = { statements: [{ sql: 'insert', params: [1.5] }] };
  await expect(db.write(half)).rejects.toMatchObject({ class: 'validation' });
});
