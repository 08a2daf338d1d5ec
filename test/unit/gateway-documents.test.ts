/** Documents and uploaded files in chats of every API of the gateway. */
import { describe, expect } from 'vitest';
import type { GatewayRig } from '../cases/gateway-under-test.ts';
import { gatewaySuite } from '../cases/gateway-suite.ts';
import { png } from '../cases/provider-png.ts';
import { makePdf } from '../make-pdf.ts';
import { verifies } from '../verifies.ts';

const suite = gatewaySuite({ providers: ['kimi', 'glm'] });

const SECRET = 'The vault opens at nine';
const PDF = makePdf(SECRET, 'The second page');
const BASE64 = PDF.toString('base64');
const DATA_URL = `data:application/pdf;base64,${BASE64}`;
const QUESTION = 'When does the vault open?';

interface Reply {
  readonly status: number;
  readonly body: string;
}

async function post(rig: GatewayRig, path: string, body: object): Promise<Reply> {
  const isAnthropic = path === '/v1/messages';
  const response = await fetch(`${rig.url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${rig.key}`,
      ...(isAnthropic && { 'anthropic-version': '2023-06-01' }),
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.text() };
}

async function upload(rig: GatewayRig, bytes: Buffer, name: string): Promise<string> {
  const form = new FormData();
  form.append('purpose', 'user_data');
  form.append('file', new Blob([Buffer.from(bytes)]), name);
  const headers = { authorization: `Bearer ${rig.key}` };
  const response = await fetch(`${rig.url}/v1/files`, { method: 'POST', headers, body: form });
  return ((await response.json()) as { id: string }).id;
}

const chat = (model: string, ...parts: readonly object[]) => ({
  model,
  messages: [{ role: 'user', content: [...parts, { type: 'text', text: QUESTION }] }],
});
const responses = (model: string, ...parts: readonly object[]) => ({
  model,
  input: [{ role: 'user', content: [...parts, { type: 'input_text', text: QUESTION }] }],
});
const messages = (model: string, ...blocks: readonly object[]) => ({
  ...chat(model, ...blocks),
  max_tokens: 1000,
});

/** One document in every form that the three APIs have for it. */
const forms = (id: string, model: string): readonly (readonly [path: string, body: object])[] => {
  const source = { type: 'base64', media_type: 'application/pdf', data: BASE64 };
  const file = { filename: 'vault.pdf', file_data: DATA_URL };
  return [
    ['/v1/chat/completions', chat(model, { type: 'file', file })],
    ['/v1/chat/completions', chat(model, { type: 'file', file: { file_id: id } })],
    ['/v1/responses', responses(model, { type: 'input_file', ...file })],
    ['/v1/responses', responses(model, { type: 'input_file', file_id: id })],
    ['/v1/messages', messages(model, { type: 'document', source, title: 'vault.pdf' })],
    ['/v1/messages', messages(model, { type: 'document', source: { type: 'file', file_id: id } })],
  ];
};

describe('a document', () => {
  verifies('gateway-files:documents', 'in any form is text for any model', async () => {
    const rig = await suite.rig();
    const id = await upload(rig, PDF, 'vault.pdf');
    for (const model of ['kimi-k2.6', 'glm-4.7']) {
      for (const [path, body] of forms(id, model)) {
        const before = rig.chats().length;
        const sent = await post(rig, path, body);
        expect(sent).toMatchObject({ status: 200 });
        const asked = rig.chats().slice(before);
        expect(asked).toHaveLength(1);
        const prompt = JSON.stringify(asked[0]?.body);
        expect(prompt).toContain(SECRET);
        expect(prompt).toContain('vault.pdf');
        expect(prompt).not.toContain(BASE64.slice(0, 100));
      }
    }
  });

  verifies('gateway-files:documents', 'that Claude Code reads reaches the model', async () => {
    const rig = await suite.rig();
    const source = { type: 'base64', media_type: 'application/pdf', data: BASE64 };
    const use = { type: 'tool_use', id: 'toolu_1', name: 'Read', input: { file_path: '/v.pdf' } };
    const result = { type: 'tool_result', tool_use_id: 'toolu_1' };
    const tools = [{ name: 'Read', description: 'Reads a file', input_schema: { type: 'object' } }];
    const conversation = (...content: readonly object[]) => ({
      model: 'claude-sonnet-4-5',
      max_tokens: 1000,
      tools,
      messages: [
        { role: 'user', content: QUESTION },
        { role: 'assistant', content: [use] },
        { role: 'user', content },
      ],
    });
    const text = [{ type: 'text', text: 'PDF file read: /v.pdf (1KB)' }];
    for (const content of [
      [
        { ...result, content: text },
        { type: 'document', source },
      ],
      [{ ...result, content: [...text, { type: 'document', source }] }],
    ]) {
      const sent = await post(rig, '/v1/messages?beta=true', conversation(...content));
      expect(sent).toMatchObject({ status: 200 });
      const prompt = JSON.stringify(rig.chats().at(-1)?.body);
      expect(prompt).toContain(SECRET);
      expect(prompt).not.toContain(BASE64.slice(0, 100));
    }
  });

  verifies('gateway-files:documents', 'is kept apart from another of its name', async () => {
    const rig = await suite.rig();
    const other = makePdf('Another text');
    const part = (bytes: Buffer) => ({
      type: 'file',
      file: {
        filename: 'a.pdf',
        file_data: `data:application/pdf;base64,${bytes.toString('base64')}`,
      },
    });
    const sent = await post(
      rig,
      '/v1/chat/completions',
      chat('kimi-k2.6', part(PDF), part(other), part(PDF)),
    );
    expect(sent).toMatchObject({ status: 200 });
    const prompt = JSON.stringify(rig.chats()[0]?.body);
    expect(prompt.split(SECRET)).toHaveLength(2);
    expect(prompt).toContain('Another text');
    expect(prompt).toContain('a (2).pdf');
  });

  verifies('gateway-files:documents', 'counts with its text', async () => {
    const rig = await suite.rig();
    const source = {
      type: 'base64',
      media_type: 'application/pdf',
      data: makePdf(
        ...Array.from({ length: 20 }, (_, at) => `Page ${at} has several words to count`),
      ).toString('base64'),
    };
    const body = {
      model: 'auto',
      messages: messages('auto', { type: 'document', source }).messages,
    };
    const sent = await post(rig, '/v1/messages/count_tokens', body);
    const { input_tokens: tokens } = JSON.parse(sent.body) as { input_tokens: number };
    expect(tokens).toBeGreaterThan(120);
    expect(rig.chats()).toEqual([]);
  });
});

describe('an uploaded file', () => {
  verifies('gateway-files:by-id', 'that is a picture is seen', async () => {
    const rig = await suite.rig();
    const picture = png(8, 8);
    const id = await upload(rig, picture, 'p.png');
    for (const [path, body] of [
      ['/v1/responses', responses('kimi-k2.6', { type: 'input_image', file_id: id })],
      [
        '/v1/messages',
        messages('kimi-k2.6', { type: 'image', source: { type: 'file', file_id: id } }),
      ],
    ] as const) {
      const sent = await post(rig, path, body);
      expect(sent).toMatchObject({ status: 200 });
      const prompt = JSON.stringify(rig.chats().at(-1)?.body);
      expect(prompt).toContain('image_url');
      expect(prompt).toContain(picture.toString('base64'));
    }
  });

  verifies('gateway-files:by-id', 'of another client is unknown', async () => {
    const id = await upload(await suite.rig(), PDF, 'vault.pdf');
    const rig = await suite.rig();
    for (const [path, body] of forms(id, 'auto').filter((_, at) => at % 2 === 1)) {
      const sent = await post(rig, path, body);
      expect([400, 404]).toContain(sent.status);
      expect(sent.body).not.toContain(SECRET);
    }
    expect(rig.chats()).toEqual([]);
  });

  verifies('gateway-files:documents', 'that came inline is stored nowhere', async () => {
    const rig = await suite.rig();
    const file = { filename: 'vault.pdf', file_data: DATA_URL };
    await post(rig, '/v1/chat/completions', chat('auto', { type: 'file', file }));
    const headers = { authorization: `Bearer ${rig.key}` };
    const listed = await fetch(`${rig.url}/v1/files`, { headers });
    expect(await listed.json()).toMatchObject({ data: [] });
  });
});
