import { afterEach, beforeEach, expect, test } from 'vitest';
import type { IntakeContext } from '#core/files/file-intake.ts';
import type { UploadExchanges } from '#core/files/uploads.ts';
import { createIds } from '#core/ids.ts';
import type { Provider } from '#core/llm/provider.ts';
import { createUploads } from '#files/uploads/create-uploads.ts';
import { openThreads } from '../../../test/open-threads.ts';
import { createReadUpload } from './read-upload.ts';

let opened: Awaited<ReturnType<typeof openThreads>>;
beforeEach(async () => {
  opened = await openThreads();
});
afterEach(() => opened.close());

/** Two files of `laptop` at Kimi: the text of the first is known, that of the second is not. */
async function setUp() {
  const { store, clock } = opened;
  const fetched: string[] = [];
  const kimi = {
    id: 'kimi',
    title: 'Kimi',
    capabilities: ['file_content'],
    async fileContent(id: string) {
      fetched.push(id);
      return `Text of ${id}.`;
    },
  } as unknown as Provider;
  for (const [providerFileId, text] of [
    ['k1', 'Known text.'],
    ['k2', null],
  ] as const) {
    const sha256 = providerFileId.padEnd(64, '0');
    const key = { sha256, provider: 'kimi', account: 'a', purpose: 'extract' };
    await store.files.saveProviderFile({ ...key, providerFileId, text });
    const about = { name: `${providerFileId}.pdf`, mime: 'application/pdf', bytes: 9 };
    await store.files.ownProviderFile(key, { principal: 'laptop', ...about });
  }
  const { signal } = new AbortController();
  const uploads = createUploads({
    providers: new Map([['kimi', kimi]]),
    store: store.files,
    accountOf: () => 'a',
    clock,
    stopped: signal,
  });
  const exchanges: UploadExchanges = {
    run: async (_provider, { deadline }, work) => ({
      result: await work(uploads, { signal, deadline }),
      report: {} as never,
    }),
  };
  const readUpload = createReadUpload({
    uploads: exchanges,
    modelDirectory: {
      providers: () =>
        [
          { id: 'glm', configured: true, can: ['upload'] },
          { id: 'kimi', configured: true, can: ['upload', 'file_content'] },
        ] as never,
    },
    newId: createIds(clock, (bytes) => new Uint8Array(bytes)),
  });
  const read = (id: string, principal: string) =>
    readUpload(id, {
      caller: { principal, scopes: ['*'], roots: [] },
      signal,
      deadline: { at: Infinity },
    } as unknown as IntakeContext);
  return { read, fetched };
}

test('a file at a provider is its known text, or the one that the provider has', async () => {
  const { read, fetched } = await setUp();
  expect(await read('k1', 'laptop')).toEqual({ name: 'k1.pdf', text: 'Known text.' });
  expect(fetched).toEqual([]);
  expect(await read('k2', 'laptop')).toEqual({ name: 'k2.pdf', text: 'Text of k2.' });
  expect(fetched).toEqual(['k2']);
});

test('a file of another principal is not found, also by the owner of the machine', async () => {
  const { read, fetched } = await setUp();
  for (const principal of ['phone', 'local']) {
    expect(await read('k1', principal)).toBeUndefined();
    expect(await read('k2', principal)).toBeUndefined();
  }
  expect(fetched).toEqual([]);
});
