import {
  call,
  callOverWs,
  chat,
  openWebSockets,
  post,
  readResource,
  times,
  type StallTarget,
} from './ask.ts';

export interface StallInput {
  readonly what: string;
  /** Of a prepared state; `prepare` is not measured. */
  readonly run: (target: StallTarget, prepared: string) => Promise<unknown>;
  readonly prepare?: (target: StallTarget) => Promise<string>;
}

const MEGABYTE = 1_000_000;
const ENGLISH = 'The harbour master reads the tide tables twice a day. ';
const CHINESE = '港口的守夜人每天读两次潮汐表，然后点亮灯塔。';
const JAPANESE = '灯台守は一日に二度潮見表を読み、それから灯台に火をともします。';
const THAI = 'ผู้ดูแลท่าเรืออ่านตารางน้ำขึ้นน้ำลงวันละสองครั้ง ';
const EMOJI = '🌊⚓🚢🗼👩‍🚀';

/** Of so many bytes in UTF-8; `seed` makes it new. */
function textOf(words: string, megabytes: number): string {
  const count = Math.ceil((megabytes * MEGABYTE) / Buffer.byteLength(words));
  return `${++seed} ${words.repeat(count)}`;
}

let seed = 0;
const english = (megabytes: number) => textOf(ENGLISH, megabytes);
const chinese = (megabytes: number) => textOf(CHINESE, megabytes);
const planner = (at: StallTarget, step: string) =>
  call(at, 'planner', { step, step_number: 1, total_steps: 2, next_step_required: true });

function letters(megabytes: number): string {
  let state = 42;
  const word = () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state.toString(36);
  };
  const part = Array.from({ length: 20_000 }, word).join('');
  return textOf(part, megabytes);
}

function idIn(answer: string, pattern: RegExp): string {
  const id = pattern.exec(answer)?.[0];
  if (id === undefined) throw new Error(`No id in: ${answer.slice(0, 300)}`);
  return id;
}

const conversation = async (at: StallTarget, text: string) =>
  idIn(await planner(at, text), /conv_[0-9a-z]+/);

/** A conversation of many turns, of some MB. */
async function longConversation(at: StallTarget): Promise<string> {
  const id = await conversation(at, english(0.4));
  for (let turn = 0; turn < 12; turn += 1) {
    await call(at, 'chat', { prompt: `${turn} ${english(0.4)}`, continuation_id: id });
  }
  return id;
}

const members = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`member_${++seed}_${at}`, at]));

const toolWith = (count: number) => {
  const properties = Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`m${++seed}_${at}`, { type: 'string' }]),
  );
  const parameters = { type: 'object', properties };
  return [{ type: 'function', function: { name: 'wide', parameters } }];
};

const many = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    role: n % 2 === 0 ? 'user' : 'assistant',
    content: ENGLISH.repeat(4),
  }));

const resource = async (at: StallTarget) =>
  idIn(await call(at, 'challenge', { prompt: english(9) }), /exai:\/\/results\/[0-9a-z_]+/);

/** Every kind of input that has blocked the event loop. */
export const STALL_INPUTS: readonly StallInput[] = [
  { what: 'a gateway chat of 10 MB', run: (at) => chat(at, english(10)) },
  { what: 'a gateway chat of 30 MB, English', run: (at) => chat(at, english(30)) },
  { what: 'a gateway chat of 30 MB, Chinese', run: (at) => chat(at, chinese(30)) },
  { what: 'a gateway chat of 30 MB, letters', run: (at) => chat(at, letters(30)) },
  { what: 'a gateway chat of 30 MB, emoji', run: (at) => chat(at, textOf(EMOJI, 30)) },
  {
    what: '10 gateway chats of 10 MB at once',
    run: (at) => times(10, () => chat(at, english(10))),
  },
  {
    what: '10 gateway chats of 30 MB at once',
    run: (at) => times(10, () => chat(at, english(30))),
  },
  {
    what: '5 chats of 30 MB at once over WebSockets',
    run: (at) => times(5, () => callOverWs(at, 'chat', { prompt: english(30) })),
  },
  {
    what: '20 MCP chats of 3.9 MB at once',
    run: (at) => times(20, () => call(at, 'chat', { prompt: english(3.9) })),
  },
  {
    what: '1,000 chats of 100 KB at once',
    run: (at) => times(1000, () => call(at, 'chat', { prompt: english(0.1) })),
  },
  {
    what: '1,000 gateway chats of 100 KB at once',
    run: (at) => times(1000, () => chat(at, english(0.1))),
  },
  {
    what: 'consensus of 3 models about 3.8 MB',
    run: (at) =>
      call(at, 'consensus', {
        prompt: english(3.8),
        models: [
          { model: 'kimi-k3', stance: 'for' },
          { model: 'kimi-k2.6', stance: 'against' },
          { model: 'kimi-k2.6', stance: 'neutral' },
        ],
      }),
  },
  {
    what: '60,000 messages of 12 MB in a gateway chat',
    run: (at) => chat(at, '', { messages: many(60_000) }),
  },
  {
    what: '40 chats at once on a conversation of 1 MB, Chinese',
    prepare: (at) => conversation(at, chinese(1)),
    run: (at, id) =>
      times(40, () => call(at, 'chat', { prompt: `Why? ${++seed}`, continuation_id: id })),
  },
  {
    what: '40 chats at once on a conversation of 5 MB',
    prepare: longConversation,
    run: (at, id) =>
      times(40, () => call(at, 'chat', { prompt: `Why? ${++seed}`, continuation_id: id })),
  },
  {
    what: 'a fork of a conversation of 5 MB',
    prepare: longConversation,
    run: (at, id) => call(at, 'threads', { action: 'fork', id }),
  },
  { what: 'a kept turn of 2.5 MB, Thai', run: (at) => planner(at, textOf(THAI, 2.5)) },
  { what: 'a kept turn of 2.5 MB, Japanese', run: (at) => planner(at, textOf(JAPANESE, 2.5)) },
  { what: 'a planner step of 30 MB, English', run: (at) => planner(at, english(30)) },
  { what: 'a planner step of 30 MB, Chinese', run: (at) => planner(at, chinese(30)) },
  {
    what: 'challenge of 9 MB, whose answer is kept',
    run: (at) => call(at, 'challenge', { prompt: english(9) }),
  },
  { what: 'challenge of 30 MB', run: (at) => call(at, 'challenge', { prompt: english(30) }) },
  {
    what: 'challenge of 30 MB, Chinese',
    run: (at) => call(at, 'challenge', { prompt: chinese(30) }),
  },
  {
    what: 'the resource of a long result',
    prepare: resource,
    run: (at, uri) => readResource(at, uri),
  },
  {
    what: '3 resources of long results at once',
    prepare: resource,
    run: (at, uri) => times(3, () => readResource(at, uri)),
  },
  {
    what: 'count_tokens of 30 MB',
    run: (at) =>
      post(at, '/v1/messages/count_tokens', {
        model: 'kimi-k3',
        messages: [{ role: 'user', content: chinese(30) }],
      }),
  },
  {
    what: 'a message of 30 MB at /v1/messages',
    run: (at) =>
      post(at, '/v1/messages', {
        model: 'kimi-k3',
        max_tokens: 100,
        messages: [{ role: 'user', content: english(30) }],
      }),
  },
  {
    what: 'a response of 30 MB at /v1/responses',
    run: (at) => post(at, '/v1/responses', { model: 'kimi-k3', input: english(30) }),
  },
  {
    what: 'a background job of 9 MB',
    run: (at) => call(at, 'chat', { prompt: english(9) }, { 'exai/background': true }),
  },
  {
    what: 'a data URL of 25 MB',
    run: (at) =>
      chat(at, [
        { type: 'text', text: 'What is this?' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${'iVBOR'.repeat(5e6)}` } },
      ]),
  },
  {
    what: 'a tool schema of 190,000 members',
    run: (at) => chat(at, 'hello', { tools: toolWith(190_000) }),
  },
  {
    what: 'a tool schema of 12,000 members',
    run: (at) => chat(at, 'hello', { tools: toolWith(12_000) }),
  },
  {
    what: 'arguments of 190,000 members',
    run: (at) => call(at, 'chat', { prompt: 'x', ...members(190_000) }),
  },
  {
    what: 'arguments of 20,000 members',
    run: (at) => call(at, 'chat', { prompt: 'x', ...members(20_000) }),
  },
  {
    what: 'arguments of a million members',
    run: (at) => call(at, 'version', { prompt: 'x', ...members(1_000_000) }),
  },
  {
    what: 'a body of 10 million empty objects',
    run: (at) => post(at, '/v1/chat/completions', `{"messages":[${'{},'.repeat(1e7)}{}]}`),
  },
  {
    what: 'a body of 30 million brackets',
    run: (at) => post(at, '/v1/chat/completions', `{"messages":${'['.repeat(3e7)}`),
  },
  {
    what: 'a tool name that does not exist, of 10,000 tools',
    run: (at) => times(20, () => call(at, `mcp__many__tol_${++seed}`, {})),
  },
  {
    what: '20 tool names with a wrong letter, of 10,000 tools',
    run: (at) => times(20, () => call(at, `mcp__many__tool_numbr_${++seed}_of_many`, {})),
  },
  {
    what: 'the schemas of 20 tools with wrong letters, of 10,000 tools',
    run: (at) =>
      call(at, 'get_tool_schemas', {
        names: Array.from({ length: 20 }, () => `mcp__many__tool_numbr_${++seed}_of_many`),
      }),
  },
  {
    what: 'a result of 30 MB of an MCP server, which is kept',
    run: (at) => call(at, 'mcp__many__tool_number_7_of_many', { text: 'large' }),
  },
  {
    what: 'a result of 12,000 members of an MCP server',
    run: (at) => call(at, 'mcp__many__tool_number_7_of_many', { text: 'wide' }),
  },
  {
    what: 'a result of 60,000 objects of an MCP server',
    run: (at) => call(at, 'mcp__many__tool_number_7_of_many', { text: 'lists' }),
  },
  {
    what: '20 chats of 3.9 MB at once over WebSockets',
    run: (at) => times(20, () => callOverWs(at, 'chat', { prompt: english(3.9) })),
  },
  { what: '1,000 WebSockets opened at once', run: (at) => openWebSockets(at, 1000) },
  {
    what: 'a stream of 64 MB at full speed',
    run: (at) => chat(at, 'stream 64', { stream: true }),
  },
  {
    what: 'a stream of 64 MB, as one answer',
    run: (at) => call(at, 'chat', { prompt: 'stream 64' }),
  },
  {
    what: '4 streams of 16 MB at once, as JSON',
    run: (at) => times(4, () => chat(at, `stream 16 ${++seed}`)),
  },
  {
    what: '8 streams of 6 MB at once at full speed',
    run: (at) => times(8, () => chat(at, `stream 6 ${++seed}`, { stream: true })),
  },
  { what: 'a stream of 15 MB in one event', run: (at) => chat(at, 'event 15', { stream: true }) },
  { what: 'an answer of a million objects as text', run: (at) => chat(at, 'nested') },
  { what: 'a vendor’s body of 60 MB, nested', run: (at) => chat(at, 'deep') },
  { what: 'a vendor’s body of 62 MB of {},', run: (at) => chat(at, 'objects') },
  { what: 'a vendor’s answer of 7 MB of text', run: (at) => chat(at, 'long 7') },
  { what: 'a vendor’s answer of 15 MB of text', run: (at) => chat(at, 'long 15') },
];
