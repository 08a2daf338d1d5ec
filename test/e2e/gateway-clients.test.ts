import {
  CLAUDE_CODE_HEADERS,
  CLAUDE_CODE_PATH,
  claudeCodeRequest,
} from '../clients/claude-code-request.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { CLIENT_MS } from './gateway-driver.ts';
import {
  CHAT,
  untilReceived,
  MESSAGES,
  open as openTo,
  openai,
  post as postTo,
  type Post,
} from './gateway-post.ts';
import { openGatewayHarness, type GatewayHarness } from './gateway-harness.ts';

let harness: GatewayHarness;
beforeAll(async () => {
  harness = await openGatewayHarness();
}, CLIENT_MS);
afterAll(() => harness?.close());

const post = (path: string, body: string | Buffer, more: Post = {}) =>
  postTo(harness.url + path, { body, ...more });

const open = (path: string, body: string) => openTo(harness.url + path, body);

describe('clients that are not kind', () => {
  verifies(
    'gateway:disconnect',
    'one that is gone before the first word takes its request along',
    async () => {
      harness.emulator.fault({ id: 'F5.headers', vendor: 'kimi' });
      const asked = askedOf('kimi');
      const socket = await open(CHAT, openai({ model: 'kimi-k2.6', stream: true }));
      await expect.poll(() => askedOf('kimi')).toBeGreaterThan(asked);
      socket.destroy();
      await expect.poll(() => lastLeft('kimi')).toBe(true);
    },
  );

  test.each([
    ['OpenAI', CHAT],
    ['Anthropic', MESSAGES],
  ])(
    'one that is gone in the middle of a stream leaves the vendor at once: %s',
    async (_, path) => {
      harness.emulator.fault({ id: 'slow', vendor: 'kimi', with: { chunkMs: 60 } });
      const body = { model: 'kimi-k2.6', max_tokens: 2_000, stream: true };
      const messages = [{ role: 'user', content: 'Go. [[tokens 900]]' }];
      const socket = await open(path, JSON.stringify({ ...body, messages }));
      await untilReceived(socket, /amber/);
      socket.destroy();
      await expect.poll(() => lastLeft('kimi')).toBe(true);
    },
  );

  verifies(
    'gateway:disconnect',
    'one that waits for a whole answer and hangs up is not answered for',
    async () => {
      harness.emulator.fault({ id: 'slow', vendor: 'kimi', with: { firstMs: 30_000 } });
      const asked = askedOf('kimi');
      const socket = await open(CHAT, openai({ model: 'kimi-k2.6' }));
      await expect.poll(() => askedOf('kimi')).toBeGreaterThan(asked);
      socket.destroy();
      await expect.poll(() => lastLeft('kimi')).toBe(true);
    },
  );

  verifies('gateway:slow-reader', 'one that reads slowly gets all of it', async () => {
    const messages = [{ role: 'user', content: 'Go. [[tokens 4000]]' }];
    const body = openai({ model: 'kimi-k2.6', messages, stream: true, max_tokens: 8_000 });
    const socket = await open(CHAT, body);
    let text = '';
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      text += chunk.toString();
      // Other things to do between two looks, which the daemon does not wait for.
      for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
      if (text.includes('data: [DONE]')) break;
    }
    const words = [...text.matchAll(/"content":"([^"]*)"/g)].map((match) => match[1]).join('');
    expect(words.trim().split(/\s+/)).toHaveLength(4_000);
  });

  verifies(
    'gateway:slow-reader',
    'one that reads nothing is left alone, with its vendor, and others go on',
    async () => {
      const messages = [{ role: 'user', content: 'Go. [[tokens 400000]]' }];
      // Several at once, so that it is more than is kept for anybody.
      const limit = { max_completion_tokens: 400_000 };
      const body = openai({ model: 'kimi-k3', messages, stream: true, n: 8, ...limit });
      const socket = await open(CHAT, body);
      await untilReceived(socket, /amber/);
      socket.pause();
      const other = await post(CHAT, openai());
      expect([other.status, other.text]).toEqual([200, expect.stringContaining('Hello')]);
      await expect.poll(() => lastLeft('kimi')).toBe(true);
      socket.destroy();
    },
  );
});

describe('requests as other programs write them', () => {
  verifies(
    'gateway:old-clients',
    'aider, by way of LiteLLM and the OpenAI library of Python',
    async () => {
      // LiteLLM takes `openai/` from the name of the model before it sends it.
      const body = {
        model: 'auto',
        messages: [
          { role: 'system', content: 'Act as an expert software developer.' },
          { role: 'user', content: 'What is 1 + 1?' },
          { role: 'assistant', content: 'Ok.', tool_calls: null, function_call: null },
          { role: 'user', content: 'Say exactly: def one(): return 1' },
        ],
        stream: true,
        stream_options: { include_usage: true },
        temperature: 0,
        extra_body_of_a_plugin: { x: 1 },
      };
      const answer = await post(CHAT, JSON.stringify(body), {
        headers: {
          authorization: 'Bearer local',
          'user-agent': 'OpenAI/Python 1.99.1',
          'x-stainless-lang': 'python',
          'x-stainless-retry-count': '0',
          'x-stainless-read-timeout': '600',
          'editor-version': 'aider/0.86.1',
          accept: 'application/json',
        },
      });
      expect(answer.status).toBe(200);
      const events = answer.text.split('\n\n').filter((event) => event !== '');
      expect(events.at(-1)).toBe('data: [DONE]');
      const chunks = events
        .slice(0, -1)
        .filter((event) => event.startsWith('data: '))
        .map((event) => JSON.parse(event.slice('data: '.length)) as Chunk);
      const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
      expect(text).toBe('def one(): return 1');
      expect(chunks.at(-1)).toMatchObject({
        choices: [],
        usage: { prompt_tokens: expect.any(Number) },
      });
      expect(chunks.filter(({ usage }) => usage)).toHaveLength(1);
    },
  );

  verifies(
    'gateway:old-clients',
    'members that are null, as generated clients write them',
    async () => {
      const nulls = Object.fromEntries(
        [
          'audio',
          'frequency_penalty',
          'function_call',
          'functions',
          'logit_bias',
          'logprobs',
          'max_completion_tokens',
          'max_tokens',
          'metadata',
          'modalities',
          'n',
          'parallel_tool_calls',
          'prediction',
          'presence_penalty',
          'reasoning_effort',
          'response_format',
          'seed',
          'service_tier',
          'stop',
          'store',
          'stream',
          'stream_options',
          'temperature',
          'tool_choice',
          'tools',
          'top_logprobs',
          'top_p',
          'user',
        ].map((name) => [name, null]),
      );
      const answer = await post(CHAT, openai(nulls));
      expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('"Hello"')]);
    },
  );

  verifies(
    'gateway:old-clients',
    'the developer role, refusals and parts of text, as newer libraries write them',
    async () => {
      const messages = [
        { role: 'developer', content: [{ type: 'text', text: 'Be brief.' }] },
        { role: 'user', content: [{ type: 'text', text: 'Hi.' }], name: 'ann' },
        { role: 'assistant', content: [{ type: 'text', text: 'Hello.' }], refusal: null },
        { role: 'user', content: [{ type: 'text', text: 'Say exactly: Hello' }] },
      ];
      const answer = await post(CHAT, openai({ messages, store: true, metadata: { a: 'b' } }));
      expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('"Hello"')]);
    },
  );

  verifies(
    'gateway:old-clients',
    'a tool that is named as a prototype, and an id of 10,000 letters',
    async () => {
      const call = {
        id: 'x'.repeat(10_000),
        type: 'function',
        function: { name: '__proto__', arguments: '{"__proto__":1}' },
      };
      const messages = [
        { role: 'user', content: 'Say exactly: Hello' },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: call.id, content: '{"constructor":1}' },
      ];
      const answer = await post(CHAT, openai({ messages }));
      expect([200, 400]).toContain(answer.status);
      expect((await post(CHAT, openai())).status).toBe(200);
    },
  );

  test.each(['kimi-k2.6', 'glm-5.3', 'claude-sonnet-4-5-20250929'])(
    'a turn of Claude Code with a tool, as it was recorded, on %s',
    async (model) => {
      const headers = { ...CLAUDE_CODE_HEADERS, authorization: 'Bearer local' };
      const ask = async (after: readonly object[]) => {
        const prompt = 'Go. [[call Read {"file_path":"/word.txt"}]]';
        const body = JSON.stringify(claudeCodeRequest(model, prompt, after));
        const { status, text } = await post(CLAUDE_CODE_PATH, body, { headers });
        expect(status).toBe(200);
        return blocksOf(text);
      };
      const first = await ask([]);
      expect(first.stop).toBe('tool_use');
      expect(first.content.map(({ type }) => type)).toEqual(['thinking', 'tool_use']);
      const call = first.content.at(-1);
      expect(call).toMatchObject({ name: 'Read', input: { file_path: '/word.txt' } });
      const result = {
        tool_use_id: call?.id,
        type: 'tool_result',
        content: '1\tThe word is marzipan.\n2\t',
        cache_control: { type: 'ephemeral' },
      };
      const second = await ask([
        { role: 'assistant', content: first.content },
        { role: 'user', content: [result] },
      ]);
      expect(second.stop).toBe('end_turn');
      expect(second.content.at(-1)).toMatchObject({
        type: 'text',
        text: expect.stringContaining('marzipan') as string,
      });
    },
  );
});

interface Block {
  type: string;
  readonly id?: string;
  text?: string;
  thinking?: string;
  input?: unknown;
}

/** Puts the events of a message together, as its clients do. */
function blocksOf(events: string): { readonly content: readonly Block[]; readonly stop: string } {
  const content: Block[] = [];
  const inputs: string[] = [];
  let stop = '';
  for (const event of events.split('\n\n').filter((each) => each !== '')) {
    const data = event.split('\n').find((line) => line.startsWith('data: '));
    const told = JSON.parse((data ?? '').slice('data: '.length)) as Event;
    const { index = -1, delta = {} } = told;
    const block = content[index];
    if (told.content_block) content[index] = { ...told.content_block };
    if (block && delta.text !== undefined) block.text += delta.text;
    if (block && delta.thinking !== undefined) block.thinking += delta.thinking;
    if (delta.partial_json !== undefined)
      inputs[index] = (inputs[index] ?? '') + delta.partial_json;
    stop = delta.stop_reason ?? stop;
  }
  for (const [index, input] of inputs.entries()) {
    const block = content[index];
    if (block && input !== undefined) block.input = JSON.parse(input);
  }
  return { content, stop };
}

interface Event {
  readonly index?: number;
  readonly content_block?: Block;
  readonly delta?: {
    readonly text?: string;
    readonly thinking?: string;
    readonly partial_json?: string;
    readonly stop_reason?: string;
  };
}

interface Chunk {
  readonly choices: readonly { readonly delta: { readonly content?: string } }[];
  readonly usage?: object | null;
}

const askedOf = (vendor: string): number => harness.emulator.requests({ vendor }).length;

const lastLeft = (vendor: string): boolean =>
  harness.emulator.requests({ vendor, last: 1 })[0]?.left === true;
