import { describe, expect, test } from 'vitest';
import { gatewaySuite } from '../cases/gateway-suite.ts';
import { png } from '../cases/provider-png.ts';

const suite = gatewaySuite({ providers: ['kimi', 'glm', 'openrouter'] });

const WEBP = Buffer.from(
  '524946461a000000574542505650384c0d0000002f00000010071011118888fe0700',
  'hex',
);
/** What follows the end of a picture is passed over. */
const LARGE = Buffer.concat([png(8, 8), Buffer.alloc(6 * 1024 * 1024)]);
const PDF = Buffer.from('%PDF-1.4\n%%EOF\n');

const asked = { type: 'text', text: 'Say exactly: seen' };
const dataUrl = (type: string, bytes: Buffer) => `data:${type};base64,${bytes.toString('base64')}`;

const openai = (part: object, more: object = {}) => ({
  shape: 'openai' as const,
  body: { model: 'auto', messages: [{ role: 'user', content: [asked, part] }], ...more },
});
const anthropic = (block: object) => ({
  shape: 'anthropic' as const,
  body: {
    model: 'auto',
    max_tokens: 1000,
    messages: [{ role: 'user', content: [asked, block] }],
  },
});
const source = (type: string, bytes: Buffer) => ({
  type: 'base64',
  media_type: type,
  data: bytes.toString('base64'),
});
const picture = (type: string, bytes: Buffer) => ({
  type: 'image_url',
  image_url: { url: dataUrl(type, bytes) },
});
const file = (type: string, bytes: Buffer, filename: string) => ({
  type: 'file',
  file: { filename, file_data: dataUrl(type, bytes) },
});

describe('a picture that GLM does not take', () => {
  test.each([
    ['a WebP', 'image/webp', WEBP],
    ['a PNG of 6 MB', 'image/png', LARGE],
  ])('%s: auto finds somebody who does, at once', async (_, type, bytes) => {
    for (const asking of [
      openai(picture(type, bytes)),
      anthropic({ type: 'image', source: source(type, bytes) }),
    ]) {
      const rig = await suite.rig();
      const sent = await rig.send(asking);
      expect(sent).toMatchObject({ status: 200, read: { choices: [{ text: 'seen' }] } });
      expect(rig.chats('glm')).toEqual([]);
      expect(rig.chats('kimi')).toHaveLength(1);
    }
  });

  test('is refused by its place where there is nobody else', async () => {
    const harness = await suite.another({ providers: ['glm'] });
    const rig = await harness.rig();
    const sent = await rig.send(openai(picture('image/webp', WEBP)));
    expect(sent.status).toBe(400);
    expect(JSON.parse(sent.body)).toMatchObject({
      error: {
        type: 'invalid_request_error',
        param: 'messages[0].content[1]',
        class: 'validation',
        message: expect.stringContaining('JPEG or PNG'),
      },
    });
    expect(rig.chats()).toEqual([]);
    await rig.close();
  });
});

describe('a document', () => {
  test.each(['kimi', 'glm', 'custom'] as const)('of text is read by %s', async (provider) => {
    const harness = await suite.another({ providers: [provider] });
    const rig = await harness.rig();
    const notes = Buffer.from('Buy milk.');
    const sent = await rig.send(openai(file('text/plain', notes, 'notes.txt')));
    expect(sent.status).toBe(200);
    const titled = { type: 'document', title: 'Notes', source: source('text/markdown', notes) };
    expect((await rig.send(anthropic(titled))).status).toBe(200);
    const bodies = rig.chats().map(({ body }) => JSON.stringify(body));
    expect(bodies[0]).toContain('notes.txt\\n\\nBuy milk.');
    expect(bodies[1]).toContain('Notes\\n\\nBuy milk.');
    await rig.close();
  });

  test('such as a PDF that nobody can read is refused by its place', async () => {
    const rig = await suite.rig();
    for (const asking of [
      openai(file('application/pdf', PDF, 'a.pdf')),
      anthropic({ type: 'document', source: source('application/pdf', PDF) }),
    ]) {
      const sent = await rig.send(asking);
      expect(sent.status).toBe(400);
      expect(sent.body).toContain('messages[0].content[1]');
    }
    expect(rig.chats()).toEqual([]);
  });
});

describe('what one vendor alone refuses', () => {
  const content = 'Say exactly: seen';
  const tools = [{ type: 'function', function: { name: '7zip', parameters: { type: 'object' } } }];
  const body = { model: 'kimi-k2.6', messages: [{ role: 'user', content }], tools };

  test('is asked of the next', async () => {
    const rig = await suite.rig();
    const sent = await rig.send({ shape: 'openai', body });
    expect(sent).toMatchObject({ status: 200, read: { choices: [{ text: 'seen' }] } });
    expect(rig.chats('kimi')).toEqual([]);
  });

  test('is refused by its field where there is no next', async () => {
    const harness = await suite.another({ providers: ['kimi'] });
    const rig = await harness.rig();
    const sent = await rig.send({ shape: 'openai', body });
    expect(sent.status).toBe(400);
    expect(JSON.parse(sent.body)).toMatchObject({
      error: {
        type: 'invalid_request_error',
        param: 'tools[0].name',
        message: expect.stringContaining('Call it something else.'),
      },
    });
    expect(rig.chats()).toEqual([]);
    await rig.close();
  });
});
