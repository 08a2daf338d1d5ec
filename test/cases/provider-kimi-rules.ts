import type { ChatMessage, ChatRequest } from '#core/llm/chat.ts';
import { ADD, user } from './provider-requests.ts';
import { png } from './provider-png.ts';

type Body = Record<string, unknown>;

/**
 * A rule that Kimi answers with 400 when it is broken (F9), and a request that breaks it unless
 * somebody takes care.
 */
export interface KimiRule {
  /** What Kimi says to those who break it. */
  readonly rule: string;
  readonly request: Partial<ChatRequest>;
  /** What is sent in its place: Kimi answers 200. */
  readonly sent?: (body: Body) => unknown;
  readonly equals?: unknown;
  /** Or that nothing is sent, because nothing can be left out: the field that is named. */
  readonly refused?: string;
  /** Others may take it, so that the next one is asked. */
  readonly alone?: true;
}

const TOOL_TURN: readonly ChatMessage[] = [
  ...user('Use add_numbers to add 1 and 2.'),
  {
    role: 'assistant',
    content: '',
    toolCalls: [{ id: 'call_1', name: 'add_numbers', arguments: '{"a":1,"b":2}' }],
  },
  { role: 'tool', toolCallId: 'call_1', name: 'add_numbers', content: '3' },
];
const PICTURE = {
  type: 'image',
  source: { base64: png(8, 8).toString('base64'), mediaType: 'image/png' },
} as const;
const toolWith = (parameters: typeof ADD.parameters) => [{ ...ADD, parameters }];
const messageOf = (body: Body, index: number) => (body['messages'] as readonly Body[])[index];
const parametersOf = (body: Body) =>
  (body['tools'] as readonly { function: { parameters: Body } }[])[0]?.function.parameters;
const partsOf = (body: Body) => (messageOf(body, 0)?.['content'] ?? []) as readonly Body[];
const propertyOf = (body: Body, name: string): Body =>
  (parametersOf(body)?.['properties'] as Record<string, Body> | undefined)?.[name] ?? {};
const members =
  (...names: readonly string[]) =>
  (body: Body) =>
    names.filter((name) => Object.hasOwn(body, name));

const SAMPLING = { temperature: 0.3, topP: 0.5, presencePenalty: 1, frequencyPenalty: 1 };
const FIXED = ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty', 'n'];

export const KIMI_RULES: readonly KimiRule[] = [
  ...['kimi-k2.6', 'kimi-k2.7-code', 'kimi-k3', 'kimi-k3.1-pro'].map((model): KimiRule => ({
    rule: `invalid temperature, top_p, penalties, n: only one value is allowed (${model})`,
    request: { model, sampling: SAMPLING },
    sent: members(...FIXED),
    equals: [],
  })),
  {
    rule: 'invalid temperature: only 0.6 is allowed without thinking',
    request: { thinking: { mode: 'off' }, sampling: { temperature: 1 } },
    sent: members(...FIXED),
    equals: [],
  },
  {
    rule: "tool_choice 'required' is incompatible with thinking enabled (nobody asked for thoughts)",
    request: { tools: [ADD], toolChoice: 'required', messages: user('Add 1 and 2.') },
    sent: ({ tool_choice, thinking }) => ({ tool_choice, thinking }),
    equals: { tool_choice: 'required', thinking: { type: 'disabled' } },
  },
  {
    rule: "tool_choice 'required' is incompatible with thinking enabled (thoughts were asked for)",
    request: { tools: [ADD], toolChoice: 'required', thinking: { mode: 'on' } },
    sent: ({ tool_choice, thinking }) => ({ tool_choice, thinking }),
    equals: { tool_choice: 'required', thinking: { type: 'disabled' } },
  },
  {
    rule: "tool_choice 'specified' is incompatible with thinking enabled (a model that always thinks)",
    request: { model: 'kimi-k3', tools: [ADD], toolChoice: { name: 'add_numbers' } },
    sent: ({ tool_choice }) => tool_choice,
    equals: 'required',
  },
  {
    rule: 'reasoning_content is missing in assistant tool call message',
    request: { messages: TOOL_TURN, tools: [ADD] },
    sent: (body) => messageOf(body, 1)?.['reasoning_content'],
    equals: '',
  },
  {
    rule: 'text content is empty (a turn that only called tools)',
    request: { messages: TOOL_TURN, tools: [ADD] },
    sent: (body) => Object.hasOwn(messageOf(body, 1) ?? {}, 'content'),
    equals: false,
  },
  {
    rule: 'text content is empty (a part without text)',
    request: { messages: user([{ type: 'text', text: '' }, PICTURE]) },
    sent: (body) => partsOf(body).map(({ type }) => type),
    equals: ['image_url'],
  },
  {
    rule: 'the message must not be empty (a tool that gave nothing)',
    request: {
      tools: [ADD],
      messages: [...TOOL_TURN.slice(0, 2), { role: 'tool', toolCallId: 'call_1', content: '' }],
    },
    sent: (body) => messageOf(body, 2)?.['content'],
    equals: '(no output)',
  },
  {
    rule: 'stop array too long: five are taken',
    request: { stop: ['a1', 'b2', 'c3', 'd4', 'e5'] },
    sent: ({ stop }) => stop,
    equals: ['a1', 'b2', 'c3', 'd4', 'e5'],
  },
  {
    rule: 'stop array too long: six are not',
    request: { stop: ['a1', 'b2', 'c3', 'd4', 'e5', 'f6'] },
    refused: 'stop',
  },
  {
    rule: 'stop sequence too long: 32 bytes, however few characters',
    request: { stop: ['ok', '漢'.repeat(11)] },
    refused: 'stop[1]',
    alone: true,
  },
  {
    rule: 'a property of a schema needs a type (only an enum)',
    request: {
      tools: toolWith({ type: 'object', properties: { unit: { enum: ['c', 'f'] } } }),
    },
    sent: (body) => parametersOf(body)?.['properties'],
    equals: { unit: { enum: ['c', 'f'], type: 'string' } },
  },
  {
    rule: 'the root of a schema is an object',
    request: { tools: toolWith({ properties: { a: { type: 'integer' } } }) },
    sent: (body) => parametersOf(body)?.['type'],
    equals: 'object',
  },
  {
    rule: 'type beside anyOf belongs into each branch',
    request: {
      tools: toolWith({
        type: 'object',
        properties: { a: { type: 'string', anyOf: [{ minLength: 1 }, { maxLength: 9 }] } },
      }),
    },
    sent: (body) => Object.keys(propertyOf(body, 'a')),
    equals: ['anyOf'],
  },
  {
    rule: 'a list of items by place is prefixItems',
    request: {
      tools: toolWith({
        type: 'object',
        properties: { a: { type: 'array', items: [{ type: 'integer' }, { type: 'string' }] } },
      }),
    },
    sent: (body) => {
      const a = propertyOf(body, 'a');
      return [Array.isArray(a['items']), Array.isArray(a['prefixItems'])];
    },
    equals: [false, true],
  },
  {
    rule: 'a duplicated function name',
    request: { tools: [ADD, ADD] },
    refused: 'tools[1].name',
  },
  {
    rule: 'a function name that begins with a digit',
    request: { tools: [{ ...ADD, name: '2nd' }] },
    refused: 'tools[0].name',
    alone: true,
  },
  {
    rule: 'more than 128 tools, its own search counted',
    request: {
      tools: Array.from({ length: 128 }, (_, at) => ({ ...ADD, name: `tool_${at}` })),
      webSearch: {},
    },
    refused: 'tools',
    alone: true,
  },
  {
    rule: 'invalid thinking: only type=enabled is allowed (kimi-k2.7-code)',
    request: { model: 'kimi-k2.7-code', thinking: { mode: 'off' } },
    sent: members('thinking'),
    equals: [],
  },
  {
    rule: 'K3 takes efforts in place of thinking',
    request: { model: 'kimi-k3', thinking: { mode: 'on', effort: 'medium' } },
    sent: ({ thinking, reasoning_effort }) => ({ thinking, reasoning_effort }),
    equals: { thinking: undefined, reasoning_effort: 'high' },
  },
  {
    rule: '$web_search is incompatible with thinking enabled',
    request: { webSearch: {}, thinking: { mode: 'on' }, messages: user('Search the web: Heron?') },
    sent: ({ thinking }) => thinking,
    equals: { type: 'disabled' },
  },
  {
    rule: 'partial mode and response_format exclude each other',
    request: {
      continuation: 'prefix',
      messages: [...user('Count.'), { role: 'assistant', content: '{' }],
      responseFormat: { type: 'json' },
    },
    refused: 'responseFormat',
  },
  {
    rule: 'a partial answer carries reasoning_content while it thinks',
    request: {
      continuation: 'prefix',
      messages: [...user('Say exactly: one two'), { role: 'assistant', content: 'one' }],
    },
    sent: (body) => messageOf(body, 1),
    equals: { role: 'assistant', content: 'one', reasoning_content: '', partial: true },
  },
  {
    rule: 'exceeded model token limit: input and output share the window',
    request: { maxOutputTokens: 10_000_000 },
    sent: ({ max_completion_tokens }) => Number(max_completion_tokens) < 262_144,
    equals: true,
  },
  {
    rule: 'max_tokens is the old name',
    request: { maxOutputTokens: 50_000 },
    sent: members('max_tokens', 'max_completion_tokens'),
    equals: ['max_completion_tokens'],
  },
  {
    rule: 'a text model takes no list of parts: texts alone become one text',
    request: {
      messages: user([
        { type: 'text', text: 'one' },
        { type: 'text', text: 'two' },
      ]),
    },
    sent: (body) => messageOf(body, 0)?.['content'],
    equals: 'one\n\ntwo',
  },
  {
    rule: 'unsupported image url: no address but http(s), data and ms',
    request: { messages: user([{ type: 'image', source: { url: 'ftp://host/a.png' } }]) },
    refused: 'messages[0].content[0]',
  },
];
