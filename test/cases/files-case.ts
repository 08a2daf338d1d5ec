import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { LOCAL_TEXTS, type FileRange, type StoredFile } from '#core/stores/files.ts';
import { DAY_MS } from '#core/time/utc-day.ts';
import { verifies } from '../verifies.ts';
import type { StoreUnderTest } from './store-under-test.ts';

const KEEP_ALL = {
  auditDays: 0,
  turnsDays: 0,
  attemptsDays: 0,
  usageDays: 0,
  jobsDays: 0,
  responsesDays: 0,
  filesDays: 0,
};
/** As parts are cut. */
const PART = 1024 * 1024;
const HOUR_MS = 3_600_000;

/** Files with their bytes. */
export function filesCases(at: StoreUnderTest): void {
  let made = 0;
  const newFile = (principal = 'ann') => ({
    id: `file_case${String(++made).padStart(4, '0')}` as const,
    principal,
    name: `${made} "é\u202e.pdf`,
    mime: 'application/pdf',
  });
  /** Bytes that differ from part to part and from seed to seed. */
  const bytesOf = (length: number, seed = ++made) => {
    const bytes = Buffer.allocUnsafeSlow(length);
    for (let at = 0; at < length; at++) bytes[at] = at * 31 + (at >> 9) * 7 + seed * 13;
    return bytes;
  };
  const sha256Of = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

  async function keep(bytes: Uint8Array, principal = 'ann'): Promise<StoredFile> {
    return at.store.files.write(newFile(principal), [bytes]);
  }

  async function readAll(file: StoredFile, range?: FileRange): Promise<Buffer | undefined> {
    const content = await at.store.files.read(file.id, file.principal, range);
    if (!content) return undefined;
    const chunks: Uint8Array[] = [];
    for await (const chunk of content.chunks) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  const parts = () => at.countRows('content_parts');

  verifies('files:bytes', 'every length comes back with its size and digest', async () => {
    for (const length of [0, 1, 1000, PART - 1, PART, PART + 1, 3 * PART, 3 * PART + 17]) {
      const bytes = bytesOf(length);
      const file = await keep(bytes);
      expect(file).toMatchObject({ bytes: length, sha256: sha256Of(bytes) });
      expect(await at.store.files.get(file.id, 'ann')).toEqual(file);
      expect((await readAll(file))?.equals(bytes)).toBe(true);
    }
  });

  verifies(
    'files:bytes',
    'chunks of any size, from any offset and of any length, give the same bytes',
    async () => {
      const property = fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: PART + 100 }), { maxLength: 8 }),
        fc.nat(3 * PART),
        fc.nat(3 * PART),
        async (lengths, offset, length) => {
          const whole = bytesOf(lengths.reduce((sum, each) => sum + each, 0));
          async function* chunks() {
            let from = 0;
            // One buffer for all chunks, as a socket may use it.
            const reused = Buffer.alloc(PART + 100);
            for (const each of lengths) {
              whole.copy(reused, 0, from, from + each);
              from += each;
              yield reused.subarray(0, each);
            }
          }
          const file = await at.store.files.write(newFile(), chunks());
          expect(file.sha256).toBe(sha256Of(whole));
          const expected = whole.subarray(offset, offset + length);
          expect((await readAll(file, { offset, length }))?.equals(expected)).toBe(true);
        },
      );
      await fc.assert(property, { numRuns: 15 });
    },
  );

  test('a range that is no number of bytes is refused, and one behind the end is empty', async () => {
    const file = await keep(bytesOf(10));
    for (const range of [{ offset: -1 }, { offset: 0.5 }, { length: -1 }, { length: Number.NaN }]) {
      await expect(readAll(file, range)).rejects.toMatchObject({ class: 'validation' });
    }
    for (const range of [{ offset: 10 }, { offset: 99 }, { length: 0 }])
      expect(await readAll(file, range)).toHaveLength(0);
  });

  verifies('files:owner', 'another principal finds, reads and deletes nothing', async () => {
    const file = await keep(bytesOf(PART + 5));
    const { files } = at.store;
    expect(await files.get(file.id, 'bob')).toBeUndefined();
    expect(await files.read(file.id, 'bob')).toBeUndefined();
    await expect(files.delete(file.id, 'bob')).rejects.toMatchObject({ class: 'not_found' });
    await expect(files.list('bob', 5, file.id)).rejects.toMatchObject({ class: 'not_found' });
    at.clock.advance(2 * HOUR_MS);
    await files.touch([file.id], 'bob');
    expect(await files.get(file.id, 'ann')).toEqual(file);
    // A name that is taken stays with its file.
    const { id, name, mime } = file;
    const forged = files.write({ id, name, mime, principal: 'bob' }, [bytesOf(2 * PART)]);
    await expect(forged).rejects.toMatchObject({ class: 'conflict' });
    expect((await readAll(file))?.length).toBe(PART + 5);
  });

  verifies('files:once', 'equal contents are stored once, until the last file goes', async () => {
    const before = await parts();
    const bytes = bytesOf(3 * PART);
    const [first, second] = [await keep(bytes), await keep(bytes, 'bob')];
    const third = await keep(bytes);
    expect(await parts()).toBe(before + 3);
    await at.store.files.delete(first.id, 'ann');
    await at.store.files.delete(third.id, 'ann');
    expect((await readAll(second))?.equals(bytes)).toBe(true);
    await at.store.files.delete(second.id, 'bob');
    expect(await parts()).toBe(before);
    expect(await readAll(second)).toBeUndefined();
    const again = await keep(bytes);
    expect((await readAll(again))?.equals(bytes)).toBe(true);
  });

  verifies('files:once', 'files of one content that come and go at once stay whole', async () => {
    const bytes = bytesOf(2 * PART + 1);
    const twin = await at.openTwin();
    const stores = [at.store, twin];
    const left: StoredFile[] = [];
    await Promise.all(
      Array.from({ length: 12 }, async (_, n) => {
        const { files } = stores[n % 2] ?? at.store;
        const file = await files.write(newFile(), [bytes]);
        if (n % 3 !== 0) await files.delete(file.id, 'ann');
        else left.push(file);
      }),
    );
    await twin.close();
    expect(left).toHaveLength(4);
    for (const file of left) expect((await readAll(file))?.equals(bytes)).toBe(true);
    await at.store.prune(KEEP_ALL);
    for (const file of left) expect((await readAll(file))?.equals(bytes)).toBe(true);
  });

  verifies('files:whole', 'a source that fails, or is too long, leaves nothing', async () => {
    const [rows, before] = [await at.countRows('contents'), await parts()];
    const failing = async function* () {
      for (let n = 0; n < 5; n++) yield bytesOf(PART);
      throw new CallError('network', 'The client is gone.');
    };
    await expect(at.store.files.write(newFile(), failing())).rejects.toThrow('client is gone');
    for (const [length, maxBytes] of [
      [3 * PART, 2 * PART],
      [11, 10],
    ] as const) {
      const work = at.store.files.write(newFile(), [bytesOf(length)], { maxBytes });
      await expect(work).rejects.toMatchObject({ class: 'too_large' });
    }
    const aborting = new AbortController();
    const cancelled = async function* () {
      for (let n = 0; n < 3; n++) yield bytesOf(PART);
      aborting.abort(new CallError('cancelled', 'It was cancelled.'));
      yield bytesOf(PART);
    };
    const { signal } = aborting;
    await expect(at.store.files.write(newFile(), cancelled(), { signal })).rejects.toThrow(
      'cancelled',
    );
    // A source that does not respond does not hold what was aborted.
    const leaving = new AbortController();
    const silent = async function* () {
      for (let n = 0; n < 3; n++) yield bytesOf(PART);
      leaving.abort(new CallError('cancelled', 'It was cancelled.'));
      await new Promise(() => {});
    };
    const waiting = at.store.files.write(newFile(), silent(), { signal: leaving.signal });
    await expect(waiting).rejects.toThrow('cancelled');
    expect([await at.countRows('contents'), await parts()]).toEqual([rows, before]);
    expect((await keep(bytesOf(10))).bytes).toBe(10);
  });

  verifies('files:between-parts', 'other writes are committed between its parts', async () => {
    let done = 0;
    async function* chunks() {
      for (let n = 0; n < 8; n++) {
        yield bytesOf(PART);
        await at.store.settings.set('between', n);
        done += 1;
      }
    }
    const many = Array.from({ length: 4 }, () => at.store.files.write(newFile(), chunks()));
    const files = await Promise.all(many);
    expect(done).toBe(32);
    for (const file of files) expect((await readAll(file))?.length).toBe(8 * PART);
  });

  test('files are listed newest first, page by page', async () => {
    const kept: StoredFile[] = [];
    for (let n = 0; n < 5; n++) {
      kept.unshift(await keep(bytesOf(n), 'lister'));
      if (n % 2 === 0) at.clock.advance(1);
    }
    const { files } = at.store;
    expect(await files.list('lister', 3)).toEqual(kept.slice(0, 3));
    expect(await files.list('lister', 3, kept[2]?.id)).toEqual(kept.slice(3));
    expect(await files.list('lister', 3, kept[4]?.id)).toEqual([]);
  });

  test('files are listed oldest first, and by purpose', async () => {
    const kept: StoredFile[] = [];
    const { files } = at.store;
    for (const purpose of ['vision', 'batch', 'vision']) {
      const file = { ...newFile(), principal: 'sorter' };
      kept.push(await files.write(file, [bytesOf(1)], { purpose: () => purpose }));
    }
    const order = 'oldest_first';
    expect(await files.list('sorter', 2, undefined, { order })).toEqual(kept.slice(0, 2));
    expect(await files.list('sorter', 2, kept[1]?.id, { order })).toEqual(kept.slice(2));
    const visions = kept.filter(({ purpose }) => purpose === 'vision').reverse();
    expect(await files.list('sorter', 5, undefined, { purpose: 'vision' })).toEqual(visions);
  });

  verifies('files:retention', 'a file stays as long as it is used, then goes', async () => {
    const bytes = bytesOf(2 * PART);
    const [unused, read, touched] = [await keep(bytes), await keep(bytesOf(5)), await keep(bytes)];
    at.clock.advance(20 * DAY_MS);
    await readAll(read);
    await at.store.files.touch([touched.id, 'file_none'], 'ann');
    at.clock.advance(20 * DAY_MS);
    expect(await at.store.prune(KEEP_ALL)).toEqual({});
    const removed = await at.store.prune({ ...KEEP_ALL, filesDays: 30 });
    expect(removed['files']).toBeGreaterThanOrEqual(1);
    expect(await at.store.files.get(unused.id, 'ann')).toBeUndefined();
    expect((await readAll(read))?.length).toBe(5);
    expect((await readAll(touched))?.equals(bytes)).toBe(true);
    at.clock.advance(40 * DAY_MS);
    await at.store.prune({ ...KEEP_ALL, filesDays: 30 });
    expect([await parts(), await at.countRows('contents')]).toEqual([0, 0]);
  });

  verifies(
    'files:retention',
    'a text that was extracted here goes with its file, and after a time',
    async () => {
      const { files } = at.store;
      const key = { provider: LOCAL_TEXTS, account: 'pdf', purpose: 'text-1' };
      const extract = (sha256: string) =>
        files.saveProviderFile({ ...key, sha256, providerFileId: '{}', text: 'extracted' });
      const known = async (sha256: string) => (await files.providerFile({ ...key, sha256 }))?.text;
      const bytes = bytesOf(77);
      const [one, other] = [await keep(bytes), await keep(bytes, 'bob')];
      for (const sha256 of [one.sha256, 'of a path']) await extract(sha256);
      await files.delete(one.id, 'ann');
      expect(await known(one.sha256)).toBe('extracted');
      await files.delete(other.id, 'bob');
      expect([await known(one.sha256), await known('of a path')]).toEqual([undefined, 'extracted']);
      at.clock.advance(DAY_MS);
      await extract('later');
      expect(await files.pruneLocalTexts(at.clock.now())).toBeGreaterThanOrEqual(1);
      expect([await known('of a path'), await known('later')]).toEqual([undefined, 'extracted']);
      await files.pruneLocalTexts(at.clock.now() + 1);
    },
  );

  verifies('files:retention', 'a content whose writer is gone is removed', async () => {
    let release = () => {};
    const stalled = new Promise<void>((resolve) => {
      release = resolve;
    });
    let begun = () => {};
    const isBegun = new Promise<void>((resolve) => {
      begun = resolve;
    });
    async function* chunks() {
      for (let n = 0; n < 4; n++) yield bytesOf(PART);
      begun();
      await stalled;
      yield bytesOf(PART);
      yield bytesOf(PART);
    }
    const before = await parts();
    const work = at.store.files.write(newFile(), chunks()).catch((thrown: unknown) => thrown);
    await isBegun;
    at.clock.advance(HOUR_MS - 1);
    expect(await at.store.prune(KEEP_ALL)).toEqual({});
    expect(await parts()).toBeGreaterThan(before);
    at.clock.advance(1);
    await at.store.prune(KEEP_ALL);
    expect(await parts()).toBe(before);
    release();
    expect(await work).toMatchObject({ class: 'conflict' });
    expect(await parts()).toBe(before);
  });
}
