import { expect } from 'vitest';
import { CallError, type ErrorJson } from '#core/errors/call-error.ts';
import type { ChatMessage, ChatRequest, ChatTool } from '#core/llm/chat.ts';
import type { ChatOutcome } from '#core/llm/collect-chat.ts';
import type { Provider } from '#core/llm/provider.ts';

const TOOL: ChatTool = {
  name: 'get_weather',
  description: 'Tells the weather of a city.',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string', minLength: 1 }, unit: { enum: ['c', 'f'] } },
    required: ['city'],
  },
};
const OTHER: ChatTool = { name: 'get_time', description: '', parameters: {} };
const DOT =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const SCHEMA = {
  type: 'object',
  properties: { colour: { type: 'string' } },
  required: ['colour'],
} as const;

const user = (content: string): ChatMessage => ({ role: 'user', content });
const picture = (source: { url: string } | { base64: string; mediaType: string }): ChatMessage => ({
  role: 'user',
  content: [
    { type: 'text', text: 'What is this?' },
    { type: 'image', source },
  ],
});

const HISTORY: readonly ChatMessage[] = [
  { role: 'system', content: 'Be brief.' },
  user('How is the weather in Oslo?'),
  {
    role: 'assistant',
    content: '',
    reasoning: 'I have to look.',
    reasoningDetails: [{ type: 'reasoning.text', text: 'I have to look.' }],
    toolCalls: [{ id: 'call_1', name: 'get_weather', arguments: '{"city":"Oslo"}' }],
  },
  { role: 'tool', toolCallId: 'call_1', name: 'get_weather', content: '' },
  user('And now \uD800 in words.'),
];

/** Requests of every kind, also those that some or all refuse. */
const REQUESTS: Readonly<Record<string, Partial<ChatRequest>>> = {
  'a question': {},
  'a conversation with tools': { messages: HISTORY, tools: [TOOL, OTHER] },
  'a free choice of tools': { tools: [TOOL, OTHER], toolChoice: 'auto' },
  'no choice of tools': { tools: [TOOL], toolChoice: 'none' },
  'some tool': { tools: [TOOL, OTHER], toolChoice: 'required' },
  'one tool': { tools: [TOOL, OTHER], toolChoice: { name: 'get_weather' } },
  'one tool, thinking': {
    tools: [TOOL],
    toolChoice: { name: 'get_weather' },
    thinking: { mode: 'on' },
  },
  'a tool that is not there': { tools: [TOOL], toolChoice: { name: 'nobody' } },
  'two tools of one name': { tools: [TOOL, TOOL] },
  JSON: { responseFormat: { type: 'json' } },
  'a schema': { responseFormat: { type: 'json_schema', name: 'a colour', schema: SCHEMA } },
  'a schema and a tool': {
    tools: [TOOL],
    toolChoice: 'required',
    responseFormat: { type: 'json_schema', name: 'colour', schema: SCHEMA },
  },
  'a schema of a list': {
    responseFormat: { type: 'json_schema', name: 'list', schema: { type: 'array' } },
  },
  thinking: { thinking: { mode: 'on' } },
  'thinking hard, and keeping it': {
    messages: HISTORY,
    tools: [TOOL],
    thinking: { mode: 'on', effort: 'max', keep: 'all' },
  },
  'no thinking': { thinking: { mode: 'off' } },
  'a search': { webSearch: {} },
  'a search with wishes': {
    webSearch: { query: 'weather', count: 99, domain: 'example.com', recency: 'week' },
    tools: [TOOL],
    thinking: { mode: 'on', effort: 'low' },
  },
  'a beginning': {
    messages: [user('Count to three.'), { role: 'assistant', content: 'One, two, ' }],
    continuation: 'prefix',
  },
  'a beginning, thought about': {
    messages: [
      user('Count to three.'),
      { role: 'assistant', content: 'One, ', reasoning: 'So it begins.' },
    ],
    continuation: 'prefix',
    thinking: { mode: 'on' },
  },
  'a beginning of nothing': { continuation: 'prefix' },
  'a picture': { messages: [picture({ base64: DOT, mediaType: 'image/png' })] },
  'a picture in its address': { messages: [picture({ url: `data:image/png;base64,${DOT}` })] },
  'a picture from nowhere': { messages: [picture({ url: 'ftp://example.com/a.png' })] },
  'every other wish': {
    sampling: { temperature: 0.7, topP: 0.9, presencePenalty: 0.1, frequencyPenalty: 0.2, seed: 7 },
    stop: ['END'],
    maxOutputTokens: 9_999_999,
    cacheKey: 'thread-1',
    userHash: 'u-0123456789',
  },
  'no message': { messages: [] },
  'an empty message': { messages: [user(' ')] },
  'a limit that makes no sense': { maxOutputTokens: -1 },
  'far too many stop texts': { stop: Array.from({ length: 99 }, (_, at) => `stop ${at}`) },
  'a model that nobody knows': { model: 'no such/model at all' },
};

/** Requests that no provider may refuse. */
const PLAIN: ReadonlySet<string> = new Set([
  'a question',
  'a free choice of tools',
  'JSON',
  'a schema',
  'thinking',
  'no thinking',
  'a search',
  'every other wish',
]);

type Previewed = readonly [string, Partial<ChatRequest>, readonly Seen['is'][]];

/** Each of them, streamed and whole. */
export const PREVIEWED: readonly Previewed[] = Object.entries(REQUESTS).flatMap(([name, more]) =>
  (['stream', 'whole'] as const).map((delivery): Previewed => [
    `${name} (${delivery})`,
    { ...more, delivery },
    PLAIN.has(name) ? ['sent'] : ['sent', 'refused'],
  ]),
);

export interface PreviewCase {
  readonly provider: Provider;
  readonly request: ChatRequest;
  readonly ask: (request: ChatRequest) => Promise<ChatOutcome>;
  /** The chats that arrived, oldest first. */
  readonly bodies: () => readonly unknown[];
}

export type Seen =
  | { readonly is: 'sent'; readonly body: string }
  | { readonly is: 'refused'; readonly error: ErrorJson };

/**
 * The preview and the first request that arrives; or how each is refused before anything is sent.
 */
export async function previewAndSent({ provider, request, ask, bodies }: PreviewCase): Promise<{
  readonly previewed: Seen | undefined;
  readonly sent: Seen;
}> {
  const before = bodies().length;
  const previewed = previewOf(provider, request);
  expect(bodies()).toHaveLength(before);
  const outcome = await ask(request);
  const body = bodies()[before];
  if (body !== undefined) return { previewed, sent: { is: 'sent', body: JSON.stringify(body) } };
  if (outcome.is === 'answered') throw new Error('Answered by nobody');
  return { previewed, sent: { is: 'refused', error: outcome.error.toJSON() } };
}

function previewOf(provider: Provider, request: ChatRequest): Seen | undefined {
  try {
    const preview = provider.preview?.(request);
    return preview && { is: 'sent', body: JSON.stringify(preview.body) };
  } catch (thrown) {
    if (!(thrown instanceof CallError)) throw thrown;
    return { is: 'refused', error: thrown.toJSON() };
  }
}
