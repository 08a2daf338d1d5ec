import { request, type Agent } from 'undici';

/** A daemon, and a stored conversation of about a megabyte. */
export interface StallTarget {
  readonly url: string;
  readonly agent: Agent;
}

export interface StallInput {
  readonly what: string;
  readonly run: (target: StallTarget) => Promise<void>;
}

const MCP_VERSION = '2026-07-28';
const MEGABYTE = 1_000_000;
const ENGLISH = 'The harbour master reads the tide tables twice a day. ';
const CHINESE = '港口的守夜人每天读两次潮汐表，然后点亮灯塔。';
const THAI = 'ผู้ดูแลท่าเรืออ่านตารางน้ำขึ้นน้ำลงวันละสองครั้ง ';

/** Of so many bytes in UTF-8; `seed` makes it new. */
function textOf(words: string, bytes: number, seed: number): string {
  return `${seed} ${words.repeat(Math.ceil(bytes / Buffer.byteLength(words)))}`;
}

let seed = 0;
const english = (megabytes: number) => textOf(ENGLISH, megabytes * MEGABYTE, ++seed);
const chinese = (megabytes: number) => textOf(CHINESE, megabytes * MEGABYTE, ++seed);
const thai = (megabytes: number) => textOf(THAI, megabytes * MEGABYTE, ++seed);

async function post(target: StallTarget, path: string, body: unknown, headers = {}) {
  const response = await request(`${target.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    dispatcher: target.agent,
    headersTimeout: 600_000,
    bodyTimeout: 600_000,
  });
  let text = '';
  for await (const chunk of response.body) if (text.length < 100_000) text += String(chunk);
  return text;
}

function chat(target: StallTarget, content: string, more = {}) {
  const messages = [{ role: 'user', content }];
  return post(target, '/v1/chat/completions', { model: 'kimi-k3', messages, ...more });
}

function call(target: StallTarget, name: string, args: object) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': MCP_VERSION,
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  };
  return post(
    target,
    '/mcp',
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: args, _meta },
    },
    {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': MCP_VERSION,
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
  );
}

const planner = (target: StallTarget, step: string) =>
  call(target, 'planner', { step, step_number: 1, total_steps: 2, next_step_required: true });

const times = (count: number, work: () => Promise<unknown>) =>
  Promise.all(Array.from({ length: count }, work));

async function manyOnOneConversation(target: StallTarget): Promise<void> {
  const answer = await planner(target, chinese(1));
  const id = /conv_[0-9a-z]+/.exec(answer)?.[0];
  if (id === undefined) throw new Error(`No conversation: ${answer.slice(0, 300)}`);
  await times(40, () => call(target, 'chat', { prompt: `Why? ${++seed}`, continuation_id: id }));
}

const manyMembers = () =>
  Object.fromEntries(Array.from({ length: 190_000 }, (_, at) => [`member_${++seed}_${at}`, at]));

/** Every kind of input that has blocked the event loop. */
export const STALL_INPUTS: readonly StallInput[] = [
  {
    what: 'a gateway chat of 30 MB, English',
    run: async (at) => void (await chat(at, english(30))),
  },
  {
    what: 'a gateway chat of 30 MB, Chinese',
    run: async (at) => void (await chat(at, chinese(30))),
  },
  {
    what: '10 gateway chats of 10 MB at once',
    run: async (at) => void (await times(10, () => chat(at, english(10)))),
  },
  {
    what: '20 MCP chats of 3.9 MB at once',
    run: async (at) => void (await times(20, () => call(at, 'chat', { prompt: english(3.9) }))),
  },
  {
    what: '60,000 messages in a gateway chat',
    run: async (at) =>
      void (await chat(at, '', {
        messages: Array.from({ length: 60_000 }, (_, n) => ({
          role: n % 2 === 0 ? 'user' : 'assistant',
          content: ENGLISH.repeat(4),
        })),
      })),
  },
  { what: '40 chats on a conversation of 1 MB, Chinese', run: manyOnOneConversation },
  { what: 'a turn of 2.5 MB, Thai', run: async (at) => void (await planner(at, thai(2.5))) },
  { what: 'a turn of 30 MB, Chinese', run: async (at) => void (await planner(at, chinese(30))) },
  {
    what: 'a result of 30 MB',
    run: async (at) => void (await call(at, 'challenge', { prompt: english(30) })),
  },
  {
    what: 'a stream of 64 MB at full speed',
    run: async (at) => void (await chat(at, 'stream 64', { stream: true })),
  },
  {
    what: 'a stream of 64 MB, as one answer',
    run: async (at) => void (await call(at, 'chat', { prompt: 'stream 64' })),
  },
  {
    what: 'an answer of a million objects as text',
    run: async (at) => void (await chat(at, 'nested')),
  },
  {
    what: 'arguments of 190,000 members',
    run: async (at) => void (await call(at, 'chat', { prompt: 'x', ...manyMembers() })),
  },
  {
    what: 'a tool name that does not exist, of 10,000 tools',
    run: async (at) => void (await times(20, () => call(at, `mcp__many__tol_${++seed}`, {}))),
  },
];
