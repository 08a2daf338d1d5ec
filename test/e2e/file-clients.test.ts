/** Files in every form, by every kind of client: what a provider receives is the same. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { contentForms, pathForms, type FileForm, type FormedFile } from '../cases/file-forms.ts';
import { openClient, TOOL_TRANSPORTS } from '../cases/tools-client.ts';
import { openToolsHarness, type ToolsHarness } from '../cases/tools-harness.ts';
import { makePdf } from '../make-pdf.ts';
import { envelopeOf } from '../read-envelope.ts';
import { verifies } from '../verifies.ts';
import { BIN } from './exai.ts';
import { overShim } from './matrix/shim-peer.ts';
import { createPeer } from './matrix/peer.ts';

const PROMPT = 'How many arches does the bridge have?';
const SAYS = 'The bridge has 13 arches';

interface Told {
  readonly status: string;
  readonly detail?: string | undefined;
  readonly content?: unknown;
}
/** Calls a tool by its plain name. */
type Call = (tool: string, args: Record<string, unknown>) => Promise<Told>;

let harness: ToolsHarness;
/** The PDF as content and by its place, and a text. */
let pdf: readonly FileForm[];
let places: readonly FileForm[];
let text: readonly FileForm[];
/** What Kimi received first for each tool and file: the same for all forms and clients. */
const received = new Map<string, string>();

beforeAll(async () => {
  harness = await openToolsHarness();
  const bytes = makePdf(SAYS);
  const path = join(harness.project, 'bridge.pdf');
  writeFileSync(path, bytes);
  places = pathForms(path);
  pdf = contentForms(await stored('bridge.pdf', bytes, 'application/pdf'));
  text = contentForms(await stored('bridge.md', Buffer.from(`${SAYS}.\n`), 'text/markdown'));
});
afterAll(() => harness.close());

async function stored(name: string, bytes: Buffer, contentType: string): Promise<FormedFile> {
  const form = new FormData();
  form.append('purpose', 'assistants');
  form.append('file', new Blob([new Uint8Array(bytes)], { type: contentType }), name);
  const headers = { authorization: `Bearer ${harness.ownerToken}` };
  const options = { method: 'POST', body: form, headers };
  const answer = await fetch(`${harness.url()}/v1/files`, options);
  const { id } = (await answer.json()) as { readonly id: string };
  return { name, bytes, contentType, storedId: id };
}

const seen = (ending: string) =>
  harness.emulator
    .requests({ vendor: 'kimi' })
    .filter(({ method, path }) => method === 'POST' && path.endsWith(ending));

/** Calls with each form and compares what Kimi received with the first call of all. */
async function checkForms(call: Call, tool: string, forms: readonly FileForm[], of: string) {
  for (const { form, entry } of forms) {
    const before = seen('/chat/completions').length;
    const told = await call(tool, { prompt: PROMPT, files: [entry], model: 'kimi-k2.6' });
    expect([form, told.status, told.detail]).toEqual([form, 'success', told.detail]);
    const chats = seen('/chat/completions').slice(before);
    const bodies = chats.map(({ body }) => JSON.stringify(body));
    expect([form, bodies.length]).toEqual([form, 1]);
    const key = `${tool} ${of}`;
    if (!received.has(key)) received.set(key, bodies[0] ?? '');
    expect([form, differenceOf(bodies[0] ?? '', received.get(key) ?? '')]).toEqual([form, '']);
    expect(bodies[0]).toContain(SAYS);
  }
}

/** Where a text begins to differ from another, for the message of a failure. */
function differenceOf(text: string, expected: string): string {
  if (text === expected) return '';
  let at = 0;
  while (text[at] === expected[at]) at += 1;
  const from = Math.max(0, at - 60);
  return `${text.slice(from, at + 60)} <> ${expected.slice(from, at + 60)}`;
}

async function sdkClient(
  mode: 'auto' | 'legacy',
  transport: StreamableHTTPClientTransport | StdioClientTransport,
): Promise<{ readonly call: Call; readonly close: () => Promise<void> }> {
  const client = new Client(
    { name: 'files', version: '1.0.0' },
    {
      capabilities: { roots: {} },
      ...(mode === 'auto' && { versionNegotiation: { mode } }),
    },
  );
  client.setRequestHandler('roots/list', () => ({
    roots: [{ uri: pathToFileURL(harness.project).href }],
  }));
  await client.connect(transport);
  expect(client.getNegotiatedProtocolVersion()).toBe(mode === 'auto' ? '2026-07-28' : '2025-11-25');
  return {
    async call(name, args) {
      return envelopeOf(await client.callTool({ name, arguments: args }, { timeout: 60_000 }));
    },
    close: () => client.close(),
  };
}

function sdkOverHttp(mode: 'auto' | 'legacy') {
  const requestInit = { headers: { authorization: `Bearer ${harness.ownerToken}` } };
  const url = new URL(`${harness.url()}/mcp`);
  return sdkClient(mode, new StreamableHTTPClientTransport(url, { requestInit }));
}

function sdkOverStdio(mode: 'auto' | 'legacy') {
  const env = { PATH: process.env['PATH'] ?? '', HOME: harness.home, EXAI_HOME: harness.home };
  const options = { command: process.execPath, args: [BIN, 'stdio'], cwd: harness.project, env };
  return sdkClient(mode, new StdioClientTransport(options));
}

/** The names and the revision of the seeds' client; Augment sends the names that it was shown. */
async function replayedAugment() {
  const wire = overShim(harness.home, harness.url(), undefined, harness.project);
  const peer = await createPeer('legacy', wire, { capabilities: {} });
  const call: Call = async (tool, args) => {
    const params = { name: `${tool}_EXAI-WS`, arguments: args };
    const { result, error } = await peer.start('tools/call', params).answer;
    if (!result) throw new Error(JSON.stringify(error));
    return envelopeOf(result);
  };
  return { call, close: () => peer.close() };
}

const CLIENTS = [
  ['the SDK of the new era over HTTP', () => sdkOverHttp('auto')],
  ['the SDK of the old era over HTTP', () => sdkOverHttp('legacy')],
  ['the SDK of the new era over stdio', () => sdkOverStdio('auto')],
  ['the SDK of the old era over stdio', () => sdkOverStdio('legacy')],
  ['a replay over stdio with the suffix of the seeds', replayedAugment],
] as const;

describe.each(CLIENTS)('%s', (_name, open) => {
  verifies('files:clients', 'gives every form, and each is one request to Kimi', async () => {
    const { call, close } = await open();
    try {
      await checkForms(call, 'chat', [...pdf, ...places], 'pdf');
      await checkForms(call, 'file_chat', text, 'text');
    } finally {
      await close();
    }
  });
});

verifies('files:forms', 'every transport and tool gives the same requests', async () => {
  let number = 0;
  for (const transport of TOOL_TRANSPORTS) {
    const client = await openClient(harness, transport);
    const call: Call = async (tool, args) => (await client.call(tool, args)).envelope;
    const [first, ...others] = pdf;
    const some = transport === 'http legacy' ? others : [others[(number += 1) % others.length]];
    for (const tool of ['chat', 'file_chat', 'kimi_multi_file_chat'])
      await checkForms(
        call,
        tool,
        [first, ...some].flatMap((each) => each ?? []),
        'pdf',
      );
    await client.close();
  }
});

verifies(
  'uploads:cache',
  'one content is uploaded once, by all of them and after a restart',
  async () => {
    expect(seen('/files')).toHaveLength(1);
    await harness.restart();
    const { call, close } = await sdkOverHttp('auto');
    await checkForms(call, 'file_chat', pdf.slice(0, 5), 'pdf');
    const told = await call('kimi_manage_files', { action: 'list' });
    const { files } = told.content as { readonly files: readonly { readonly file_id: string }[] };
    // The id that Kimi gave is a form, too, and `file_ids` takes both kinds.
    const [{ file_id }] = files as [{ readonly file_id: string }];
    for (const tool of ['chat', 'kimi_multi_file_chat'])
      await checkForms(call, tool, [{ form: 'id of Kimi', entry: { file_id } }], 'pdf');
    const [own] = pdf.flatMap(({ entry }) =>
      Object(entry) === entry && 'file_id' in (entry as object)
        ? [entry as { readonly file_id: string }]
        : [],
    );
    for (const id of [file_id, own?.file_id]) {
      const before = seen('/chat/completions').length;
      const args = { prompt: PROMPT, file_ids: [id], model: 'kimi-k2.6' };
      expect(await call('kimi_multi_file_chat', args)).toMatchObject({ status: 'success' });
      const [chat] = seen('/chat/completions').slice(before);
      expect(JSON.stringify(chat?.body)).toBe(received.get('kimi_multi_file_chat pdf'));
    }
    await close();
    expect(seen('/files')).toHaveLength(1);
  },
);
