import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import type { UploadRequest, Uploads } from '#core/files/uploads.ts';
import type { Provider, ProviderFile } from '#core/llm/provider.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import { createFakeClock, type FakeClock } from '../../../test/fake-clock.ts';
import { openThreads } from '../../../test/open-threads.ts';
import { verifies } from '../../../test/verifies.ts';
import { createUploads } from './create-uploads.ts';

const HOUR_MS = 3_600_000;

/** A vendor that keeps files in memory, and forgets them when it is told to. */
function createVendor() {
  const files = new Map<string, { readonly text: string; readonly name: string }>();
  let uploads = 0;
  let finish: (() => void) | undefined;
  const vendor = {
    files,
    uploads: () => uploads,
    /** Uploads wait until the returned function is called. */
    hold() {
      const held = new Promise<void>((resolve) => (finish = resolve));
      vendor.waiting = held;
      return () => finish?.();
    },
    waiting: Promise.resolve(),
  };
  const provider = {
    id: 'kimi',
    title: 'Kimi',
    capabilities: ['upload', 'file_content', 'list_files', 'delete_file'],
    async upload(file, { signal }) {
      const { name, size, purpose } = file;
      uploads += 1;
      let text = '';
      for await (const piece of file.bytes()) text += Buffer.from(piece).toString('utf8');
      await Promise.race([
        vendor.waiting,
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      ]);
      const id = `k${uploads}`;
      files.set(id, { text, name });
      return { id, name, size, purpose, createdAtMs: 0, state: 'ready' };
    },
    async fileContent(id) {
      const file = files.get(id);
      if (!file) throw new CallError('not_found', 'No such file.', { provider: 'kimi' });
      return file.text;
    },
    async listFiles() {
      return [...files].map(([id, { name }]): ProviderFile => {
        return { id, name, size: 1, purpose: '', createdAtMs: 0, state: 'ready' };
      });
    },
    async deleteFile(id) {
      return files.delete(id) ? 'deleted' : 'absent';
    },
  } satisfies Partial<Provider>;
  return { files, vendor, provider: provider as unknown as Provider };
}

let opened: Awaited<ReturnType<typeof openThreads>>;
let clock: FakeClock;
beforeEach(async () => {
  clock = createFakeClock();
  opened = await openThreads({ clock });
});
afterEach(() => opened.close());

function set(): { readonly uploads: Uploads } & ReturnType<typeof createVendor> {
  const made = createVendor();
  const uploads = createUploads({
    providers: new Map([['kimi', made.provider]]),
    store: opened.store.files,
    accountOf: () => 'account',
    clock,
    stopped: new AbortController().signal,
  });
  return { ...made, uploads };
}

function file(text: string, change: Partial<UploadRequest> = {}): UploadRequest {
  const content = Buffer.from(text);
  return {
    provider: 'kimi',
    principal: 'ann',
    name: 'docs/a b.pdf',
    mediaType: 'application/pdf',
    size: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
    purpose: 'extract',
    async *bytes() {
      yield content;
    },
    ...change,
  };
}

const context = (signal: AbortSignal = new AbortController().signal) => ({
  signal,
  deadline: deadlineIn(clock, 60_000),
});

describe('a file that the provider forgot', () => {
  verifies('uploads:forgotten', 'is uploaded again, once, when its id is needed', async () => {
    const { uploads, files, vendor } = set();
    const first = await uploads.extract(file('one'), 'id', context());
    files.clear();
    // Its text is known, and stays known.
    expect(await uploads.extract(file('one'), 'text', context())).toMatchObject({
      text: 'one',
      isCached: true,
    });
    clock.advance(HOUR_MS);
    const again = await uploads.extract(file('one'), 'id', context());
    expect(again).toMatchObject({ text: 'one', isCached: false });
    expect(again.fileId).not.toBe(first.fileId);
    expect(vendor.uploads()).toBe(2);
    expect(await uploads.extract(file('one'), 'id', context())).toMatchObject({ isCached: true });
  });

  test('is noticed by the list of files, where there is no text', async () => {
    const { uploads, files, vendor } = set();
    const wanted = file('two', { purpose: 'agent' });
    await uploads.upload(wanted, context());
    clock.advance(HOUR_MS);
    expect(await uploads.upload(wanted, context())).toMatchObject({ isCached: true });
    clock.advance(HOUR_MS);
    files.clear();
    expect(await uploads.upload(wanted, context())).toMatchObject({ isCached: false });
    expect(vendor.uploads()).toBe(2);
  });
});

describe('uploads of one content at once', () => {
  test('continue for the others when the first caller leaves', async () => {
    const { uploads, vendor } = set();
    const release = vendor.hold();
    const leaving = new AbortController();
    const first = uploads.extract(file('three'), 'text', context(leaving.signal));
    const second = uploads.extract(file('three', { principal: 'bob' }), 'text', context());
    await expect.poll(() => vendor.uploads()).toBe(1);
    leaving.abort(new CallError('cancelled', 'It left.'));
    await expect(first).rejects.toMatchObject({ class: 'cancelled' });
    release();
    expect(await second).toMatchObject({ text: 'three' });
    expect(vendor.uploads()).toBe(1);
  });

  test('end when the last caller leaves, and the next one starts again', async () => {
    const { uploads, vendor } = set();
    const release = vendor.hold();
    const leaving = new AbortController();
    const only = uploads.extract(file('four'), 'text', context(leaving.signal));
    await expect.poll(() => vendor.uploads()).toBe(1);
    leaving.abort(new CallError('cancelled', 'It left.'));
    await expect(only).rejects.toMatchObject({ class: 'cancelled' });
    release();
    expect(await uploads.extract(file('four'), 'text', context())).toMatchObject({ text: 'four' });
    expect(vendor.uploads()).toBe(2);
  });

  test('are at most three for different contents', async () => {
    const { uploads, vendor } = set();
    const release = vendor.hold();
    const all = ['a', 'b', 'c', 'd', 'e'].map((text) =>
      uploads.extract(file(text), 'text', context()),
    );
    await expect.poll(() => vendor.uploads()).toBe(3);
    release();
    expect(await Promise.all(all)).toHaveLength(5);
  });
});

test('the path of a file is not sent, and its name ends as its type', async () => {
  const { uploads, files } = set();
  await uploads.extract(file('five', { name: '/home/ann/secret/plan' }), 'text', context());
  expect([...files.values()].map(({ name }) => name)).toEqual(['plan.pdf']);
});

test('a file over the limit is refused before it is read', async () => {
  const { uploads, vendor } = set();
  const big = file('six', { size: 100 * 1024 * 1024 + 1 });
  await expect(uploads.upload(big, context())).rejects.toMatchObject({ class: 'too_large' });
  await expect(uploads.upload(file(''), context())).rejects.toMatchObject({ class: 'validation' });
  expect(vendor.uploads()).toBe(0);
});

test('what cannot be recorded is deleted again', async () => {
  const { provider, files } = createVendor();
  const uploads = createUploads({
    providers: new Map([['kimi', provider]]),
    store: {
      ...opened.store.files,
      saveProviderFile: () => Promise.reject(new CallError('over_capacity', 'The disk is full.')),
    },
    accountOf: () => 'account',
    clock,
    stopped: new AbortController().signal,
  });
  await expect(uploads.upload(file('seven'), context())).rejects.toMatchObject({
    class: 'over_capacity',
  });
  expect(files.size).toBe(0);
});
