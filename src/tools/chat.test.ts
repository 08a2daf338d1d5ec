import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { AskAnswer, AskListener, AskReport, AskRequest } from '#core/llm/ask.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Progress } from '#core/calls/call.ts';
import { notice } from '#core/messages/notices.ts';
import { NO_INPUT_RESPONSES } from '#core/tools/input-request.ts';
import type { Threads } from '#core/threads.ts';
import type { Tool, ToolResult, ToolContext } from '#core/tools/tool.ts';
import { openThreads, type OpenedThreads } from '../../test/open-threads.ts';
import { intakeOfDisk, type DiskRead } from '../../test/disk-intake.ts';
import { chat as chatOf } from './chat.ts';
import { CHAT_PROMPT } from './chat.prompt.ts';
import { verifies } from '../../test/verifies.ts';
import { NO_TOOL_LOOP } from '../../test/no-tools.ts';

let opened: OpenedThreads;
let chat: Tool;
/** Files on disk, by path. */
let disk: Map<string, string>;
const reads: DiskRead[] = [];

const fileIntake = intakeOfDisk(() => disk, reads);

beforeAll(async () => {
  opened = await openThreads();
  disk = new Map();
  chat = chatOf({ threads: opened.threads, fileIntake, locale: '', toolLoop: NO_TOOL_LOOP });
});
afterAll(() => opened.close());

const REPORT: AskReport = {
  reasons: [],
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

/** Runs the tool with a fake model that answers so and reports progress. */
async function run(
  args: Record<string, unknown>,
  answer: Partial<AskAnswer> = {},
  tell: (listener: AskListener) => void = () => undefined,
  { roots = ['/work'], ...more }: { roots?: readonly string[] } & Partial<ToolContext> = {},
  tool = chat,
) {
  const asked: AskRequest[] = [];
  const steps: Progress[] = [];
  const context = {
    caller: { principal: 'local', scopes: ['*'], roots },
    deadline: { at: Infinity },
    signal: new AbortController().signal,
    answers: NO_INPUT_RESPONSES,
    clientCapabilities: [],
    progress: (step: Progress) => void steps.push(step),
    async ask(request: AskRequest, listener: AskListener = {}) {
      asked.push(request);
      tell(listener);
      return { ...ANSWER, ...answer };
    },
    ...more,
  } as Partial<ToolContext> as ToolContext;
  const given = (await tool.run(tool.parse(args), context)) as ToolResult;
  return { given, asked, steps };
}

test('a question and its options are passed on, with the prompt of the tool', async () => {
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
  const { continuation, ...rest } = given;
  expect(rest).toEqual({ text: 'Four.' });
  expect(continuation).toMatchObject({ id: expect.stringMatching(/^conv_/) as string });
});

test('what would be asked can be seen without asking', () => {
  expect(chat.previewAsk?.(chat.parse({ prompt: 'Hello' }))).toEqual({
    system: CHAT_PROMPT,
    messages: [{ role: 'user', content: 'Hello' }],
  });
});

test('the configured language and the requested search are in the prompt', () => {
  const tool = chatOf({
    threads: opened.threads,
    fileIntake,
    locale: 'de-CH',
    toolLoop: NO_TOOL_LOOP,
  });
  const system = (args: object) => {
    const request = tool.previewAsk?.(tool.parse({ prompt: 'x', ...args })) as AskRequest;
    return request.system;
  };
  expect(system({})).toBe(
    `${CHAT_PROMPT}\n\nAnswer in the language of the question; where that is unclear, in de-CH.`,
  );
  expect(system({ use_websearch: true })).toContain('The web may be searched');
  expect(system({ use_websearch: 'auto' })).toBe(system({}));
});

test('the answer is streamed as progress, and so are fallbacks', async () => {
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
      {
        title: 'Release\nnotes',
        url: 'https://a.example/1',
        mark: 'ref_1',
        date: '2026',
        snippet: 'long',
      },
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
    const { text, content = text, detail, continuation } = given;
    const envelope = {
      status: 'success',
      tool: 'chat',
      attempt: 1,
      req_id: 'req_1',
      content,
      ...(detail !== undefined && { detail }),
      continuation: {
        id: continuation?.id,
        remaining_turns: continuation?.remainingTurns,
        note: continuation?.note,
      },
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
  [{ prompt: 'q', files: [{ name: '', text: '' }] }, 'files.0'],
  [{ prompt: 'q', files: [''] }, 'files.0'],
  [{ prompt: 'q', promt: 'x' }, 'promt'],
  [{ prompt: 'q', continuation_id: 7 }, 'continuation_id'],
  [{ prompt: 'q', continuation_id: 'x'.repeat(300) }, 'continuation_id'],
])('%j is refused, and %s is named', (args, field) => {
  expect(() => chat.parse(args)).toThrow(expect.objectContaining({ class: 'validation', field }));
});

test('it may take as long as a search does, reaches out, and never answers two with one answer', () => {
  expect(chat).toMatchObject({
    timeoutMs: 300_000,
    pool: 'provider',
    coalesce: false,
    profile: 'lean',
    category: 'fast_response',
    annotations: { readOnlyHint: true, idempotentHint: false, openWorldHint: true },
  });
});

const FIRST_USAGE = { input: 10, output: 4, cached: 2, reasoning: 1, estimated: false };

describe('a conversation', () => {
  verifies(
    'chat:continues',
    'continues the history with the model that answered, and survives a restart',
    async () => {
      const report = { ...REPORT, usage: FIRST_USAGE, costMicroUsd: 1500 };
      const { given: first } = await run({ prompt: 'What is 2 + 2?' }, { report });
      const id = first.continuation?.id;
      await opened.reopen();
      const { given, asked } = await run(
        { prompt: 'And twice that?', continuation_id: id },
        { text: 'Eight.', model: 'kimi-k3', provider: 'kimi' },
      );
      expect(asked).toEqual([
        {
          system: CHAT_PROMPT,
          lockedModel: 'glm-4.7-flash',
          messages: [
            { role: 'user', content: 'What is 2 + 2?' },
            { role: 'assistant', content: 'Four.' },
            { role: 'user', content: 'And twice that?' },
          ],
        },
      ]);
      expect(given.continuation).toMatchObject({ id, remainingTurns: 98 });
      const { turns, conversation } = await opened.threads.show('local', id ?? '', 10);
      expect(conversation).toMatchObject({ title: 'What is 2 + 2?', model: 'kimi-k3' });
      expect(turns).toMatchObject([
        { role: 'user', tool: 'chat', content: 'What is 2 + 2?' },
        {
          role: 'assistant',
          tool: 'chat',
          content: 'Four.',
          provider: 'glm',
          model: 'glm-4.7-flash',
          usage: { input: 10, output: 4, cached: 2, reasoning: 1, cost_usd: 0.0015 },
        },
        { content: 'And twice that?' },
        { content: 'Eight.', provider: 'kimi', model: 'kimi-k3' },
      ]);
    },
  );

  test('stays with no model that only quoted, and a model that is named counts', async () => {
    const { given } = await run({ prompt: 'x' }, { provider: 'extractive', model: 'local' });
    const goOn = { prompt: 'y', continuation_id: given.continuation?.id };
    expect((await run(goOn)).asked[0]).not.toHaveProperty('lockedModel');
    expect((await run({ ...goOn, model: 'auto' })).asked[0]?.lockedModel).toBe('glm-4.7-flash');
    const { asked } = await run({ ...goOn, model: 'kimi-k3' });
    expect(asked[0]).toMatchObject({ model: 'kimi-k3' });
    expect(asked[0]).not.toHaveProperty('lockedModel');
  });

  test('keeps the sources of an answer, as what it says refers to them', async () => {
    const citations = [{ title: 'Notes', url: 'https://a.example', mark: 'ref_1' }];
    const { given } = await run({ prompt: 'News?' }, { text: 'Out [ref_1].', citations });
    const { turns } = await opened.threads.show('local', given.continuation?.id ?? '', 2);
    expect(turns[1]?.content).toContain('1. [ref_1] Notes – https://a.example');
  });

  test('a failed call saves nothing', async () => {
    const { given } = await run({ prompt: 'x' });
    const id = given.continuation?.id ?? '';
    const ask = () => Promise.reject(new CallError('timeout', 'No answer in time.'));
    const failed = run({ prompt: 'y', continuation_id: id }, {}, undefined, { ask });
    await expect(failed).rejects.toMatchObject({ class: 'timeout' });
    expect((await opened.threads.show('local', id, 10)).turns).toHaveLength(2);
    const before = await opened.threads.list('local', 1000);
    const other = run({ prompt: 'z' }, {}, undefined, { ask });
    await expect(other).rejects.toMatchObject({ class: 'timeout' });
    expect(await opened.threads.list('local', 1000)).toHaveLength(before.length);
  });

  test('an answer that could not be saved is returned with a notice', async () => {
    const threads: Pick<Threads, 'open'> = {
      async open(wish) {
        const thread = await opened.threads.open(wish);
        const keep = () => Promise.reject(new CallError('over_capacity', 'The disk is full.'));
        return { ...thread, append: keep };
      },
    };
    const tool = chatOf({ threads, fileIntake, locale: '', toolLoop: NO_TOOL_LOOP });
    const { given } = await run({ prompt: 'x' }, {}, undefined, {}, tool);
    expect(given).toEqual({
      text: 'Four.\n\n[The conversation could not be kept: The disk is full.]',
      content: { text: 'Four.', finish: 'stop' },
      detail: 'The conversation could not be kept: The disk is full.',
      notices: [notice('conversation_not_kept', { error: { message: 'The disk is full.' } })],
    });
  });

  test.each([
    ['nonsense', 'validation'],
    [`conv_${'0'.repeat(22)}`, 'not_found'],
  ])('%s is %s, and nobody is asked', async (id, errorClass) => {
    const asked: AskRequest[] = [];
    const ask = async (request: AskRequest) => (asked.push(request), ANSWER);
    await expect(
      run({ prompt: 'x', continuation_id: id }, {}, undefined, { ask }),
    ).rejects.toMatchObject({ class: errorClass, field: 'continuation_id' });
    expect(asked).toEqual([]);
  });

  test('an empty id is none', async () => {
    const { given } = await run({ prompt: 'x', continuation_id: ' ' });
    expect(given.continuation?.id).toMatch(/^conv_/);
  });
});

describe('files', () => {
  verifies('chat:files', 'are read by their paths, beside texts passed inline', async () => {
    disk = new Map([
      ['/work/a.ts', 'A'],
      ['/work/src/b.ts', 'B'],
    ]);
    reads.length = 0;
    const files = ['/work/a.ts', { name: 'stdin', text: 'piped' }, '/work/src/'];
    const { asked, given } = await run({ prompt: 'Why?', files });
    expect(asked[0]?.files).toEqual([
      { name: 'a.ts', text: 'A' },
      { name: 'stdin', text: 'piped' },
      { name: 'src/b.ts', text: 'B' },
    ]);
    expect(reads).toEqual([[['/work/a.ts', '/work/src/'], ['/work']]]);
    expect(given.detail).toBe('a.png is no text.');
    expect(given.content).toEqual({ text: 'Four.', finish: 'stop' });
  });

  verifies(
    'chat:files',
    'of earlier in the conversation are read as they are now, and a missing one gives a notice',
    async () => {
      disk = new Map([
        ['/work/a.ts', 'old'],
        ['/work/gone.ts', 'here'],
        ['b.ts', 'B'],
        ['/work/b.ts', 'B'],
      ]);
      const files = ['/work/a.ts', '/work/gone.ts', 'b.ts', { name: 'stdin', text: 'piped' }];
      const { given } = await run({ prompt: 'Why?', files });
      disk.set('/work/a.ts', 'new').delete('/work/gone.ts');
      const goOn = { prompt: 'And now?', continuation_id: given.continuation?.id };
      const next = await run(goOn);
      expect(next.asked[0]?.files).toEqual([
        { name: 'a.ts', text: 'new' },
        { name: 'b.ts', text: 'B' },
        { name: 'stdin', text: 'piped' },
      ]);
      expect(next.given.notices).toEqual([
        notice('earlier_file_lost', {
          path: '/work/gone.ts',
          error: { message: 'There is no file /work/gone.ts.' },
        }),
      ]);
      // A file that is named again is there once.
      const again = await run({ ...goOn, files: ['b.ts', '/work/a.ts'] });
      expect(again.asked[0]?.files).toEqual([
        { name: 'stdin', text: 'piped' },
        { name: 'b.ts', text: 'B' },
        { name: 'a.ts', text: 'new' },
      ]);
      expect(
        (await opened.threads.show('local', goOn.continuation_id ?? '', 1)).turns,
      ).toHaveLength(1);
    },
  );

  test('that do not exist fail the call before any model is asked', async () => {
    disk = new Map();
    const asked: AskRequest[] = [];
    const ask = async (request: AskRequest) => (asked.push(request), ANSWER);
    await expect(
      run({ prompt: 'x', files: ['/work/none.ts'] }, {}, undefined, { ask }),
    ).rejects.toMatchObject({ class: 'not_found', field: 'files' });
    expect(asked).toEqual([]);
  });

  test('would be asked about by their names, without being read', () => {
    reads.length = 0;
    const request = chat.previewAsk?.(chat.parse({ prompt: 'x', files: ['/work/a.ts'] }));
    expect(request).toMatchObject({ files: [{ name: '/work/a.ts' }] });
    expect(reads).toEqual([]);
  });
});
