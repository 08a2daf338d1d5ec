import type { AskRequest } from '#core/llm/ask.ts';
import type { RequestClass } from '#core/llm/route.ts';
import { png } from './provider-png.ts';
import { ADD, user } from './provider-requests.ts';

/** Stands in every question and every file, and may stand nowhere else. */
export const QUESTION_MARK = 'quokka-of-the-question';
export const FILE_MARK = 'wombat-of-the-file';

/**
 * Without a blank, so that every place to cut it is a place to go on from; each number once, so
 * that none is missed or doubled.
 */
export const NUMBERS = Array.from({ length: 40 }, (_, at) => String(at + 10)).join(',');

const asked = (answer: string) =>
  `[[think 2]] My ${QUESTION_MARK} is this. Say exactly: """${answer}"""`;

export interface Chain {
  readonly name: string;
  readonly class: RequestClass;
  readonly tool: string;
  readonly request: AskRequest;
  readonly text: string;
  /** Whether its leader is asked to think. */
  readonly thinks: 'yes' | 'no';
  /** `provider/model` of whoever is asked first. */
  readonly leader: string;
  /** When that model alone is passed over. */
  readonly next: string;
  /** When its whole provider is. */
  readonly elsewhere: string;
  /** Who leads while that model rests, and while its provider does. */
  readonly later: { readonly model: string; readonly account: string };
}

const plain: AskRequest = { messages: user(asked(NUMBERS)) };

export const CHAT: Chain = {
  name: 'chat',
  class: 'chat',
  tool: 'chat',
  request: plain,
  text: NUMBERS,
  thinks: 'no',
  leader: 'glm/glm-4.7-flash',
  next: 'kimi/kimi-k2.6',
  elsewhere: 'kimi/kimi-k2.6',
  later: { model: 'glm/glm-4.5-flash', account: 'kimi/kimi-k2.6' },
};

export const CODE: Chain = {
  ...CHAT,
  name: 'code',
  class: 'code',
  tool: 'thinkdeep',
  thinks: 'yes',
  leader: 'kimi/kimi-k3',
  next: 'glm/glm-5.3',
  elsewhere: 'glm/glm-5.3',
  later: { model: 'kimi/kimi-k2.6', account: 'glm/glm-5.3' },
};

export const AGENTIC: Chain = {
  ...CHAT,
  name: 'agentic',
  class: 'agentic',
  request: { ...plain, tools: [ADD] },
  thinks: 'yes',
  leader: 'glm/glm-5.3',
  next: 'kimi/kimi-k3',
  elsewhere: 'kimi/kimi-k3',
  later: { model: 'glm/glm-5.2', account: 'kimi/kimi-k2.6' },
};

export const WEB: Chain = {
  ...CHAT,
  name: 'web',
  class: 'web',
  request: { ...plain, search: 'on' },
};

/** Signs count most for their length. */
const LONG_TEXT = `${FILE_MARK} ${'§;'.repeat(70_000)}`;

export const LONG_CONTEXT: Chain = {
  ...CHAT,
  name: 'long_context',
  class: 'long_context',
  request: { ...plain, files: [{ name: 'signs.txt', text: LONG_TEXT }] },
  leader: 'kimi/kimi-k2.6',
  next: 'kimi/kimi-k3',
  elsewhere: 'glm/glm-5.3',
  later: { model: 'kimi/kimi-k3', account: 'glm/glm-4.7-flash' },
};

export const FILE_QA: Chain = {
  ...CHAT,
  name: 'file_qa',
  class: 'file_qa',
  request: {
    ...plain,
    files: [
      { name: 'harbour.md', text: `The ${FILE_MARK} was founded in 1070.` },
      { name: 'ferry.md', text: `The ferry to the ${FILE_MARK} leaves at noon.` },
    ],
  },
  leader: 'kimi/kimi-k2.6',
  next: 'glm/glm-5.3',
  elsewhere: 'glm/glm-5.3',
  later: { model: 'kimi/kimi-k3', account: 'glm/glm-5.3' },
};

const PICTURE = png(8, 8).toString('base64');

export const VISION: Chain = {
  ...CHAT,
  name: 'vision',
  class: 'vision',
  request: {
    messages: user([
      { type: 'text', text: asked(NUMBERS) },
      { type: 'image', source: { url: `data:image/png;base64,${PICTURE}` } },
    ]),
  },
  leader: 'glm/glm-4.6v',
  next: 'kimi/kimi-k2.6',
  elsewhere: 'kimi/kimi-k2.6',
  later: { model: 'glm/glm-5.3-flash', account: 'kimi/kimi-k2.6' },
};

/** One of each class. */
export const CHAINS: readonly Chain[] = [CHAT, WEB, CODE, AGENTIC, LONG_CONTEXT, FILE_QA, VISION];

/** Where somebody else leads, because the caller names him. */
export const ROUTED: Chain = {
  ...CHAT,
  name: 'chat by OpenRouter',
  request: { ...plain, model: 'meta-llama/llama-3.3-70b-instruct' },
  thinks: 'yes',
  leader: 'openrouter/meta-llama/llama-3.3-70b-instruct',
  next: 'glm/glm-4.7-flash',
  elsewhere: 'glm/glm-4.7-flash',
  later: { model: 'glm/glm-4.7-flash', account: 'glm/glm-4.7-flash' },
};

export const OWN: Chain = {
  ...CHAT,
  name: 'chat by one’s own server',
  request: { ...plain, model: 'custom/qwen3:8b' },
  thinks: 'yes',
  leader: 'custom/qwen3:8b',
  next: 'glm/glm-4.7-flash',
  elsewhere: 'glm/glm-4.7-flash',
  later: { model: 'glm/glm-4.7-flash', account: 'glm/glm-4.7-flash' },
};

/** Who leads here searches in rounds of its own. */
export const SEARCHING: Chain = {
  ...CHAT,
  name: 'web by Kimi',
  class: 'web',
  request: { ...plain, search: 'on', model: 'kimi-k2.6' },
  leader: 'kimi/kimi-k2.6',
  next: 'glm/glm-4.7-flash',
  elsewhere: 'glm/glm-4.7-flash',
  later: { model: 'glm/glm-4.7-flash', account: 'glm/glm-4.7-flash' },
};

/** The same chain, asked for little. */
export function askingFew(chain: Chain): Chain {
  const text = NUMBERS.slice(0, 'NN,NN'.length);
  const messages = chain.request.messages.map((message) =>
    message.role !== 'user'
      ? message
      : {
          ...message,
          content:
            typeof message.content === 'string'
              ? asked(text)
              : message.content.map((part) =>
                  part.type === 'text' ? { ...part, text: asked(text) } : part,
                ),
        },
  );
  return { ...chain, request: { ...chain.request, messages }, text };
}

const CALLS = '[[call add_numbers {"a":1,"b":2}]] [[call add_numbers {"a":3,"b":4}]]';
const COUNT = {
  type: 'object',
  properties: { count: { type: 'integer', enum: [7] } },
  required: ['count'],
  additionalProperties: false,
};

/** The same chain, asked for calls of a tool. */
export function askingCalls(chain: Chain): Chain {
  const messages = user(`For my ${QUESTION_MARK}: ${CALLS}`);
  return { ...chain, request: { ...chain.request, messages }, text: '' };
}

/** The same chain, asked for an object. */
export function askingJson(chain: Chain): Chain {
  const messages = user(`The count of my ${QUESTION_MARK} is 7. Give it as JSON.`);
  const responseFormat = { type: 'json_schema', name: 'count', schema: COUNT } as const;
  return {
    ...chain,
    request: { ...chain.request, messages, responseFormat },
    text: '{"count":7}',
  };
}
