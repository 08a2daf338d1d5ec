import { createHash } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import type { UploadRequest, Uploads } from '#core/files/uploads.ts';
import type { Provider } from '#core/llm/provider.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import { createUploads } from '#files/uploads/create-uploads.ts';
import { createFakeClock, type FakeClock } from '../../../test/fake-clock.ts';
import { openThreads } from '../../../test/open-threads.ts';
import { verifies } from '../../../test/verifies.ts';
import type { UploadRun } from '../files/upload-run.ts';
import { createRetentionClock } from './retention-clock.ts';
import { startUploadRetention } from './upload-retention.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let opened: Awaited<ReturnType<typeof openThreads>>;
let clock: FakeClock;
let atProvider: Set<string>;
let isFailing: boolean;
let deletions: number;
let uploads: Uploads;
let lines: { readonly event: string; readonly fields: unknown }[];
const signal = new AbortController().signal;

beforeEach(async () => {
  clock = createFakeClock();
  opened = await openThreads({ clock });
  atProvider = new Set();
  isFailing = false;
  deletions = 0;
  lines = [];
  const provider: Partial<Provider> = {
    id: 'kimi',
    title: 'Kimi',
    capabilities: ['upload', 'list_files', 'delete_file'],
    async upload({ name, size, purpose }) {
      const id = `k-${name}`;
      atProvider.add(id);
      return { id, name, size, purpose, createdAtMs: 0, state: 'ready' };
    },
    async deleteFile(id) {
      deletions += 1;
      if (isFailing)
        throw new CallError('bad_response', `Kimi fails at ${id}.`, { provider: 'kimi' });
      return atProvider.delete(id) ? 'deleted' : 'absent';
    },
  };
  uploads = createUploads({
    providers: new Map([['kimi', provider as Provider]]),
    store: opened.store.files,
    accountOf: () => 'account',
    clock,
    stopped: signal,
  });
});
afterEach(() => opened.close());

async function upload(name: string, principal = 'ann'): Promise<void> {
  const bytes = Buffer.from(name);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const request: UploadRequest = {
    provider: 'kimi',
    principal,
    name,
    mediaType: 'text/plain',
    purpose: 'extract',
    sha256,
    size: bytes.length,
    async *bytes() {
      yield bytes;
    },
  };
  await uploads.upload(request, { signal, deadline: deadlineIn(clock, HOUR_MS) });
}

function start(days = 30) {
  const run: UploadRun = {
    providers: () => ['kimi'],
    run: (_provider, _principal, work) =>
      work(uploads, { signal, deadline: deadlineIn(clock, HOUR_MS) }),
  };
  const line = (event: string, fields?: unknown) => void lines.push({ event, fields });
  const log = { info: line, warn: line, error: line, with: () => log };
  const { store } = opened;
  return startUploadRetention({
    uploads: run,
    files: store.files,
    days: () => days,
    retentionClock: createRetentionClock({ store, clock, log }),
    clock,
    log,
  });
}

verifies(
  'uploads:retention',
  'uploads that no client has used for the configured days are deleted at the provider',
  async () => {
    await upload('old.txt');
    clock.advance(20 * DAY_MS);
    await upload('new.txt');
    clock.advance(11 * DAY_MS);
    const retention = start();
    await expect.poll(() => lines).toHaveLength(1);
    await retention.stop();
    expect([...atProvider]).toEqual(['k-new.txt']);
    expect(lines).toEqual([
      { event: 'upload_retention', fields: { provider: 'kimi', deleted: 1 } },
    ]);
    const owner = { provider: 'kimi', principal: 'ann', scope: 'own' } as const;
    const left = await uploads.list(owner, { signal, deadline: deadlineIn(clock, HOUR_MS) });
    expect(left).toMatchObject([{ fileId: 'k-new.txt' }]);
  },
);

verifies(
  'uploads:retention',
  'what a failing provider does not delete is kept, and tried again after an hour',
  async () => {
    for (const name of ['secret-1', 'secret-2', 'secret-3', 'secret-4', 'secret-5'])
      await upload(name);
    clock.advance(31 * DAY_MS);
    isFailing = true;
    const retention = start();
    await expect.poll(() => lines).toHaveLength(1);
    expect(deletions).toBe(3);
    expect(lines).toEqual([
      {
        event: 'upload_retention_failed',
        fields: { provider: 'kimi', kept: 3, class: 'bad_response' },
      },
    ]);
    isFailing = false;
    const nextHour = () => {
      clock.advance(HOUR_MS);
      return atProvider.size;
    };
    await expect.poll(nextHour).toBe(0);
    await retention.stop();
    expect(JSON.stringify(lines)).not.toContain('secret');
  },
);

test('a file that another principal still uses stays at the provider', async () => {
  await upload('shared.txt', 'ann');
  clock.advance(31 * DAY_MS);
  // The provider lists nothing here, so the use is recorded as that of a known file.
  const [row] = await opened.store.files.ownedProviderFiles(
    { provider: 'kimi', account: 'account' },
    { limit: 1 },
  );
  if (!row) throw new Error('It is not known.');
  await opened.store.files.ownProviderFile(row, { ...row, principal: 'bob' });
  const retention = start();
  await expect.poll(() => lines).toHaveLength(1);
  await retention.stop();
  expect(atProvider.size).toBe(1);
  expect(await uploads.unused('kimi', clock.now())).toEqual([]);
});

test('nothing is deleted where files are kept forever', async () => {
  await upload('old.txt');
  clock.advance(1_000 * DAY_MS);
  await start(0).stop();
  expect(atProvider.size).toBe(1);
});

verifies(
  'uploads:retention',
  'recognised texts that nobody has used for the configured days are deleted',
  async () => {
    const { files } = opened.store;
    const key = { provider: 'glm', account: 'account', purpose: 'ocr' };
    const owner = { principal: 'ann', name: 'scan.pdf', mime: 'application/pdf', bytes: 1 };
    const recognise = async (sha256: string) => {
      await files.saveProviderFile({ ...key, sha256, providerFileId: '', text: 'page' });
      await files.ownProviderFile({ ...key, sha256 }, owner);
    };
    const known = async (sha256: string) => (await files.providerFile({ ...key, sha256 }))?.text;
    await recognise('old');
    await recognise('used');
    clock.advance(20 * DAY_MS);
    await files.ownProviderFile({ ...key, sha256: 'used' }, owner);
    await recognise('new');
    clock.advance(11 * DAY_MS);
    await start(0).stop();
    expect(await known('old')).toBe('page');
    const retention = start();
    await expect.poll(() => lines).toHaveLength(1);
    await retention.stop();
    expect(lines).toEqual([{ event: 'text_retention', fields: { deleted: 1 } }]);
    expect([await known('old'), await known('used'), await known('new')]).toEqual([
      undefined,
      'page',
      'page',
    ]);
    expect(await files.ownedProviderFiles(key, { limit: 9 })).toHaveLength(2);
  },
);
