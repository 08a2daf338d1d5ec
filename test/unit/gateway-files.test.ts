/** `/v1/files` as clients use it, and as attackers do. */
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { openStore } from '#store/open-store.ts';
import { systemClock } from '#app/system.ts';
import { openGatewayHarness, type GatewayHarness } from '../cases/gateway-under-test.ts';
import { countRows } from '../count-rows.ts';
import { createListLog } from '../list-log.ts';
import { eventually } from '../eventually.ts';
import { verifies } from '../verifies.ts';

const MAX_FILE_BYTES = 3_000_000;

let folder: string;
let store: Awaited<ReturnType<typeof openStore>>;
let harness: GatewayHarness;
let url = '';

interface Client {
  readonly key: string;
  send(path: string, init?: RequestInit): Promise<Response>;
  upload(bytes: Uint8Array, options?: UploadOptions): Promise<Response>;
}

interface UploadOptions {
  readonly name?: string;
  readonly type?: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

type Json = Readonly<Record<string, unknown>>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'exai-gateway-files-'));
  store = await openStore({
    database: '',
    dataDir: folder,
    backupDir: join(folder, 'backups'),
    writerId: 'writer_files',
    clock: systemClock,
    log: createListLog(),
  });
  harness = await openGatewayHarness({
    store,
    providers: ['kimi'],
    settings: { gateway: { maxFileBytes: MAX_FILE_BYTES } },
  });
});
afterAll(async () => {
  await harness.close();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

async function openClient(): Promise<Client> {
  const rig = await harness.rig();
  await rig.close();
  url = rig.url;
  const { key } = rig;
  const send = (path: string, init: RequestInit = {}) =>
    fetch(`${url}/v1/files${path}`, {
      ...init,
      headers: { authorization: `Bearer ${key}`, ...(init.headers as Record<string, string>) },
    });
  return {
    key,
    send,
    upload(bytes, { name = 'a.txt', type = 'text/plain', fields, headers = {} } = {}) {
      const form = new FormData();
      form.append('file', new Blob([Buffer.from(bytes)], { type }), name);
      for (const [field, value] of Object.entries(fields ?? { purpose: 'user_data' })) {
        form.append(field, value);
      }
      return send('', { method: 'POST', body: form, headers });
    },
  };
}

const ANTHROPIC = { 'anthropic-version': '2023-06-01' };
const json = async (response: Response) => (await response.json()) as Json;
const idOf = async (response: Response) => String((await json(response))['id']);
const bytesOf = (length: number) => Uint8Array.from({ length }, (_, at) => (at * 31) % 251);
const HELLO = new TextEncoder().encode('Hello');

describe('the files of a client', () => {
  verifies('gateway-files:api', 'are objects of OpenAI’s API', async () => {
    const client = await openClient();
    const created = await client.upload(bytesOf(2_500_000), { name: 'data.bin', type: 'x/y' });
    expect(created.status).toBe(200);
    const file = await json(created);
    expect(file).toMatchObject({
      id: expect.stringMatching(/^file_/),
      object: 'file',
      bytes: 2_500_000,
      filename: 'data.bin',
      purpose: 'user_data',
      status: 'processed',
    });
    const id = String(file['id']);
    expect(await json(await client.send(`/${id}`))).toEqual(file);
    const content = await client.send(`/${id}/content`);
    expect(content.headers.get('content-length')).toBe('2500000');
    expect(content.headers.get('content-disposition')).toContain('attachment');
    expect(Buffer.from(await content.arrayBuffer()).equals(bytesOf(2_500_000))).toBe(true);
    const head = await client.send(`/${id}/content`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    const deleted = await client.send(`/${id}`, { method: 'DELETE' });
    expect(await json(deleted)).toEqual({ id, object: 'file', deleted: true });
    expect((await client.send(`/${id}`)).status).toBe(404);
  });

  verifies('gateway-files:api', 'are objects of Anthropic’s API for its clients', async () => {
    const client = await openClient();
    const created = await client.upload(HELLO, { fields: {}, headers: ANTHROPIC });
    const file = await json(created);
    expect(file).toMatchObject({
      type: 'file',
      filename: 'a.txt',
      mime_type: 'text/plain',
      size_bytes: 5,
      downloadable: true,
    });
    const id = String(file['id']);
    const page = await json(await client.send('', { headers: ANTHROPIC }));
    expect(page).toEqual({ data: [file], first_id: id, last_id: id, has_more: false });
    const missing = await client.send('/file_0', { headers: ANTHROPIC });
    expect(await json(missing)).toMatchObject({ error: { type: 'not_found_error' } });
    const deleted = await client.send(`/${id}`, { method: 'DELETE', headers: ANTHROPIC });
    expect(await json(deleted)).toEqual({ id, type: 'file_deleted' });
  });

  verifies('gateway-files:api', 'are listed in pages, in both orders and by purpose', async () => {
    const client = await openClient();
    const ids: string[] = [];
    for (const purpose of ['vision', 'assistants', 'vision', 'user_data', 'vision']) {
      ids.push(await idOf(await client.upload(HELLO, { fields: { purpose } })));
    }
    const list = async (query: string, headers = {}) => {
      const { data, has_more: hasMore } = await json(await client.send(query, { headers }));
      return [(data as { id: string }[]).map(({ id }) => ids.indexOf(id)), hasMore];
    };
    expect(await list('')).toEqual([[4, 3, 2, 1, 0], false]);
    expect(await list('?limit=2')).toEqual([[4, 3], true]);
    expect(await list(`?limit=2&after=${ids[3]}`)).toEqual([[2, 1], true]);
    expect(await list(`?order=asc&after=${ids[1]}`)).toEqual([[2, 3, 4], false]);
    expect(await list('?purpose=vision&order=asc')).toEqual([[0, 2, 4], false]);
    expect(await list(`?limit=2&after_id=${ids[3]}`, ANTHROPIC)).toEqual([[2, 1], true]);
    expect(await list(`?limit=2&before_id=${ids[1]}`, ANTHROPIC)).toEqual([[3, 2], true]);
    for (const query of ['?limit=0', '?limit=x', '?order=up', '?purpose=fun']) {
      expect([query, (await client.send(query)).status]).toEqual([query, 400]);
    }
  });

  verifies('gateway-files:owner', 'are unknown to other clients', async () => {
    const [ann, bob] = [await openClient(), await openClient()];
    const id = await idOf(await ann.upload(HELLO));
    const refusals = [
      await bob.send(`/${id}`),
      await bob.send(`/${id}/content`),
      await bob.send(`/${id}`, { method: 'DELETE' }),
      await bob.send(`?after=${id}`),
      await bob.send('/file_nowhere'),
    ];
    for (const refusal of refusals) {
      expect(refusal.status).toBe(404);
      expect(await json(refusal)).toMatchObject({ error: { type: 'invalid_request_error' } });
    }
    expect(await json(await bob.send(''))).toMatchObject({ data: [] });
    expect(await (await ann.send(`/${id}/content`)).text()).toBe('Hello');
  });

  verifies('gateway-files:api', 'may be empty, and as large as the limit', async () => {
    const client = await openClient();
    const empty = await client.upload(new Uint8Array());
    expect(await json(empty)).toMatchObject({ bytes: 0 });
    const full = await client.upload(bytesOf(MAX_FILE_BYTES));
    expect(await json(full)).toMatchObject({ bytes: MAX_FILE_BYTES });
  });
});

const BOUNDARY = 'edge';
const part = (disposition: string, body: string, more = '') =>
  `--${BOUNDARY}\r\nContent-Disposition: ${disposition}\r\n${more}\r\n${body}\r\n`;
const FILE = part('form-data; name="file"; filename="a.txt"', 'Hello');
const PURPOSE = part('form-data; name="purpose"', 'user_data');
const END = `--${BOUNDARY}--\r\n`;

/** Forms that no library sends, with the status and what the error names. */
const BAD_FORMS: readonly (readonly [name: string, body: string, type?: string])[] = [
  ['no boundary', FILE + PURPOSE + END, 'multipart/form-data'],
  ['an empty boundary', FILE + PURPOSE + END, 'multipart/form-data; boundary='],
  ['another boundary', FILE + PURPOSE + END, 'multipart/form-data; boundary=other'],
  ['no form', '{"file": "x"}', 'application/json'],
  ['no bytes', ''],
  ['no end', FILE + PURPOSE],
  ['an end within the file', FILE.slice(0, -4)],
  ['an end within the headers', FILE.slice(0, 40)],
  ['no file', PURPOSE + END],
  ['a file that is a text', part('form-data; name="file"', 'Hello') + PURPOSE + END],
  ['a file by another name', FILE.replace('"file"', '"data"') + PURPOSE + END],
  ['two files', FILE + FILE + PURPOSE + END],
  ['no purpose', FILE + END],
  ['an unknown purpose', FILE + PURPOSE.replace('user_data', 'fun') + END],
  ['an expiry', FILE + PURPOSE + part('form-data; name="expires_after[seconds]"', '60') + END],
  ['10,000 parts', FILE + PURPOSE.repeat(10_000) + END],
  ['10,000 other parts', part('form-data; name="x"', 'y').repeat(10_000) + FILE + END],
  [
    'huge headers',
    part('form-data; name="file"; filename="a"', 'x', `x-a: ${'a'.repeat(200_000)}\r\n`).slice(
      0,
      -6,
    ),
  ],
  [
    'a form within the form',
    part(
      'form-data; name="file"',
      `--in\r\n${FILE}--in--`,
      'Content-Type: multipart/mixed; boundary=in\r\n',
    ) + PURPOSE,
  ],
  ['nothing but boundaries', `--${BOUNDARY}\r\n`.repeat(5000) + END],
];

describe('an upload that fails', () => {
  verifies('gateway-files:hostile-forms', 'names what is wrong with the form', async () => {
    const client = await openClient();
    for (const [name, body, type = `multipart/form-data; boundary=${BOUNDARY}`] of BAD_FORMS) {
      const refused = await client.send('', {
        method: 'POST',
        body,
        headers: { 'content-type': type },
      });
      const answer = await json(refused);
      expect([name, refused.status, answer['error']]).toMatchObject([
        name,
        400,
        { type: 'invalid_request_error', message: expect.stringMatching(/\w/) },
      ]);
    }
    expect(await json(await client.send(''))).toMatchObject({ data: [] });
    expect(await unfinished()).toBe(0);
  });

  verifies('gateway-files:hostile-forms', 'is refused as compressed, not as broken', async () => {
    const client = await openClient();
    const refused = await client.send('', {
      method: 'POST',
      body: gzipSync(FILE + PURPOSE + END),
      headers: {
        'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
        'content-encoding': 'gzip',
      },
    });
    expect([refused.status, await json(refused)]).toMatchObject([
      400,
      { error: { param: 'content-encoding' } },
    ]);
  });

  verifies('gateway-files:hostile-forms', 'is never due to its name', async () => {
    const client = await openClient();
    const names: readonly (readonly [sent: string, kept: string])[] = [
      ['../../etc/passwd', 'passwd'],
      ['C:\\Users\\a\\b.pdf', 'b.pdf'],
      ['a%22b.txt', 'a%22b.txt'],
      ['..', 'upload'],
      ['', 'upload'],
      ['tfx\u202etxt.exe', 'tfxtxt.exe'],
      ['Résumé 例.pdf', 'Résumé 例.pdf'],
      ['x'.repeat(5000), `${'x'.repeat(254)}…`],
    ];
    for (const [sent, kept] of names) {
      const body = part(`form-data; name="file"; filename="${sent}"`, 'Hello') + PURPOSE + END;
      const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
      const created = await client.send('', { method: 'POST', body, headers });
      const file = await json(created);
      expect([sent, created.status, file['filename']]).toEqual([sent, 200, kept]);
      const content = await client.send(`/${String(file['id'])}/content`);
      expect(await content.text()).toBe('Hello');
    }
  });

  verifies('gateway-files:nothing-left', 'for one byte too many stores nothing', async () => {
    const client = await openClient();
    const refused = await client.upload(bytesOf(MAX_FILE_BYTES + 1));
    expect([refused.status, await json(refused)]).toMatchObject([
      413,
      { error: { message: expect.stringContaining('gateway.maxFileBytes') } },
    ]);
    expect(await json(await client.send(''))).toMatchObject({ data: [] });
    expect(await unfinished()).toBe(0);
  });

  verifies('gateway-files:api', 'may come without a length', async () => {
    const client = await openClient();
    async function* pieces() {
      for (const piece of [FILE.slice(0, -2), 'x'.repeat(300_000), '\r\n', PURPOSE, END])
        yield Buffer.from(piece);
    }
    const created = await client.send('', {
      method: 'POST',
      body: ReadableStream.from(pieces()),
      duplex: 'half',
      headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    });
    expect(await json(created)).toMatchObject({ bytes: 300_005 });
    const more = async function* () {
      yield Buffer.from(FILE.slice(0, -2));
      for (let left = MAX_FILE_BYTES; left > 0; left -= 100_000) yield Buffer.alloc(100_000, 'x');
      yield Buffer.from(`\r\n${PURPOSE}${END}`);
    };
    const refused = await client.send('', {
      method: 'POST',
      body: ReadableStream.from(more()),
      duplex: 'half',
      headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    });
    expect(refused.status).toBe(413);
    expect(await unfinished()).toBe(0);
  });

  verifies('gateway-files:nothing-left', 'by 200 broken connections leaves nothing', async () => {
    const client = await openClient();
    const half = FILE.slice(0, -2) + 'x'.repeat(1_500_000);
    const head = [
      'POST /v1/files HTTP/1.1',
      `host: ${new URL(url).host}`,
      `authorization: Bearer ${client.key}`,
      `content-type: multipart/form-data; boundary=${BOUNDARY}`,
      'content-length: 2900000',
    ];
    const breakOff = () =>
      new Promise<void>((resolve) => {
        const socket = connect(Number(new URL(url).port), '127.0.0.1');
        socket.on('error', () => undefined);
        socket.on('close', () => resolve());
        socket.write(`${head.join('\r\n')}\r\n\r\n${half}`, () => socket.destroy());
      });
    for (let round = 0; round < 10; round++) {
      await Promise.all(Array.from({ length: 20 }, breakOff));
    }
    expect(await eventually(async () => (await unfinished()) === 0)).toBe(true);
    expect(await json(await client.send(''))).toMatchObject({ data: [] });
    expect((await client.upload(HELLO)).status).toBe(200);
  });

  verifies('gateway-files:hostile-forms', 'is refused before a key is known', async () => {
    await openClient();
    const form = new FormData();
    form.append('file', new Blob(['x']), 'x');
    const refused = await fetch(`${url}/v1/files`, {
      method: 'POST',
      body: form,
      headers: { authorization: 'Bearer exai_wrong' },
    });
    expect(refused.status).toBe(401);
  });
});

/** Contents of uploads that have not ended well. */
async function unfinished(): Promise<number> {
  return countRows({ database: '', dataDir: folder }, 'contents where sha256 is null');
}
