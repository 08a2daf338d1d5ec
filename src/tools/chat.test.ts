import { expect, test } from 'vitest';
import * as z from 'zod';
import type { AskAnswer, AskListener, AskReport, AskRequest } from '#core/ask.ts';
import type { Progress } from '#core/call.ts';
import type { ToolAnswer, ToolContext } from '#core/tool.ts';
import { chat } from './chat.ts';
import { CHAT_PROMPT } from './chat.prompt.ts';

const REPORT: AskReport = {
  because: ['a simple tool'],
  attempts: [],
  notices: [],
  costMicroUsd: 0,
  costKnown: true,
  quality: 'full',
};

const ANSWER: AskAnswer = {
  text: 'Four.',
  reasoning: '',
  reasoningDetails: [],
  toolCalls: [],
  citations: [],
  finish: 'stop',
  provider: 'glm',
  model: 'glm-4.7-flash',
  seams: [],
  report: REPORT,
};

/** Runs it with somebody who answers so, and tells the listener on the way. */
async function run(
  args: Record<string, unknown>,
  answer: Partial<AskAnswer> = {},
  tell: (listener: AskListener) => void = () => undefined,
) {
  const asked: AskRequest[] = [];
  const steps: Progress[] = [];
  const context = {
    progress: (step: Progress) => void steps.push(step),
    async ask(request: AskRequest, listener: AskListener = {}) {
      asked.push(request);
      tell(listener);
      return { ...ANSWER, ...answer };
    },
  } as Partial<ToolContext> as ToolContext;
  const given = (await chat.run(chat.parse(args), context)) as ToolAnswer;
  return { given, asked, steps };
}

test('a question and its wishes are handed on, with the prompt of the tool before them', async () => {
  const { given, asked } = await run({
    prompt: 'What is 2 + 2?',
    model: 'kimi-k3',
    temperature: 0,
    thinking_mode: 'high',
    use_websearch: false,
    max_output_tokens: 100,
    prefer: 'cost',
    fallback: 'none',
    max_cost_usd: 0.01,
    files: [{ name: 'a.md', text: 'text' }],
  });
  expect(asked).toEqual([
    {
      model: 'kimi-k3',
      system: CHAT_PROMPT,
      messages: [{ role: 'user', content: 'What is 2 + 2?' }],
      files: [{ name: 'a.md', text: 'text' }],
      search: 'off',
      thinking: 'high',
      prefer: 'cost',
      fallback: 'none',
      sampling: { temperature: 0 },
      maxOutputTokens: 100,
      maxCostMicroUsd: 10_000,
    },
  ]);
  // Without content the text is the content of the envelope.
  expect(given).toEqual({ text: 'Four.' });
});

test('what would be asked can be seen without asking', () => {
  expect(chat.wouldAsk?.(chat.parse({ prompt: 'Hello' }))).toEqual({
    system: CHAT_PROMPT,
    messages: [{ role: 'user', content: 'Hello' }],
  });
});

test('the answer is told as it comes, and so is who else is asked', async () => {
  const { steps } = await run({ prompt: 'Count' }, {}, (listener) => {
    listener.onNote?.('glm-5.3 is asked next');
    listener.onText?.('one ');
    listener.onText?.('two');
  });
  expect(steps).toEqual([{ note: 'glm-5.3 is asked next' }, { text: 'one ' }, { text: 'two' }]);
});

test('sources stand in a numbered list under the text, and apart from it as data', async () => {
  const citations = [
    {
      title: 'Release\nnotes',
      url: 'https://a.example/1',
      mark: 'ref_1',
      text: 'long',
      date: '2026',
    },
    { title: '', url: 'https://b.example/2' },
  ];
  const { given } = await run({ prompt: 'News?' }, { text: 'It is out [ref_1].', citations });
  expect(given.text).toBe(
    'It is out [ref_1].\n\nSources:\n1. [ref_1] Release notes – https://a.example/1 (2026)\n2. https://b.example/2',
  );
  expect(given.content).toEqual({
    text: 'It is out [ref_1].',
    finish: 'stop',
    citations: [
      { title: 'Release\nnotes', url: 'https://a.example/1', mark: 'ref_1', date: '2026' },
      { title: '', url: 'https://b.example/2' },
    ],
  });
});

test('an answer that was cut says so, to people and to programs', async () => {
  const { given } = await run({ prompt: 'Long?' }, { text: 'It begins', finish: 'length' });
  expect(given.text).toMatch(/^It begins\n\n\[The answer ends where its limit/);
  expect(given.content).toEqual({ text: 'It begins', finish: 'length' });
  expect(given.detail).toContain('max_output_tokens');
});

test('every answer is as the tool says that its answers are', async () => {
  const schema = z.fromJSONSchema(chat.outputSchema as z.core.JSONSchema.JSONSchema);
  const citations = [{ title: 't', url: 'https://a.example', mark: 'm', date: 'd', site: 's' }];
  for (const answer of [{}, { citations }, { finish: 'length' as const }]) {
    const { given } = await run({ prompt: 'q' }, answer);
    const { text, content = text, detail } = given;
    const envelope = {
      status: 'success',
      tool: 'chat',
      attempt: 1,
      req_id: 'req_1',
      content,
      ...(detail !== undefined && { detail }),
    };
    expect(schema.safeParse(envelope).error).toBeUndefined();
  }
});

test.each([
  [{}, 'prompt'],
  [{ prompt: ' \n\t' }, 'prompt'],
  [{ prompt: 7 }, 'prompt'],
  [{ prompt: 'q', max_cost_usd: -1 }, 'max_cost_usd'],
  [{ prompt: 'q', max_output_tokens: 0 }, 'max_output_tokens'],
  [{ prompt: 'q', thinking_mode: 'hard' }, 'thinking_mode'],
  [{ prompt: 'q', use_websearch: 'yes' }, 'use_websearch'],
  [{ prompt: 'q', fallback: true }, 'fallback'],
  [{ prompt: 'q', files: [{ name: '', text: '' }] }, 'files.0.name'],
  [{ prompt: 'q', promt: 'x' }, 'promt'],
])('%j is refused, and %s is named', (args, field) => {
  expect(() => chat.parse(args)).toThrow(expect.objectContaining({ class: 'validation', field }));
});

test('it may take as long as a search does, reaches out, and never answers two with one answer', () => {
  expect(chat).toMatchObject({
    timeoutMs: 300_000,
    lane: 'provider',
    coalesce: false,
    profile: 'lean',
    category: 'fast_response',
    annotations: { readOnlyHint: true, openWorldHint: true },
  });
});
