import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import type { AskAnswer, AskListener, AskRequest } from '#core/llm/ask.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Progress } from '#core/calls/call.ts';
import { NO_INPUT_RESPONSES } from '#core/tools/input-request.ts';
import type { Thread } from '#core/threads.ts';
import type { Tool, ToolResult, ToolContext } from '#core/tools/tool.ts';
import { createCatalogue } from '#models/catalogue.ts';
import type { ModelDirectory, ProviderStatus } from '#models/model-directory.ts';
import { intakeOver } from '../../test/intake-over.ts';
import { openThreads, type OpenedThreads } from '../../test/open-threads.ts';
import { verifies } from '../../test/verifies.ts';
import { apilookup } from './apilookup.ts';
import { APILOOKUP_PROMPT, dayPrompt } from './apilookup.prompt.ts';
import { NO_TOOL_LOOP } from '../../test/no-tools.ts';

const SEARCHING: ProviderStatus = {
  id: 'glm',
  title: 'GLM',
  configured: true,
  can: ['web_search'],
};
const NOT_SET_UP: ProviderStatus = {
  ...SEARCHING,
  configured: false,
  fix: 'exai keys add glm',
};
const BLIND: ProviderStatus = { id: 'kimi', title: 'Kimi', configured: true, can: [] };

const fileIntake = intakeOver({ read: async () => ({ texts: [], notices: [] }) });
const catalogue = createCatalogue();
let opened: OpenedThreads;
let tool: Tool;

function toolOf(...providers: ProviderStatus[]): Tool {
  const modelDirectory: Pick<ModelDirectory, 'providers' | 'resolve'> = {
    providers: () => providers,
    resolve: (name) => catalogue.resolve(name),
  };
  return apilookup({
    threads: opened.threads,
    modelDirectory,
    fileIntake,
    locale: '',
    toolLoop: NO_TOOL_LOOP,
  });
}

beforeAll(async () => {
  opened = await openThreads();
  tool = toolOf(SEARCHING, BLIND);
});
afterAll(() => opened.close());

const CITATION = { title: 'Changelog', url: 'https://a.example/log', date: '2026-01-30' };

const ANSWER: AskAnswer = {
  text: 'Version 7 is current.',
  reasoning: '',
  reasoningDetails: [],
  toolCalls: [],
  citations: [CITATION],
  finish: 'stop',
  provider: 'glm',
  model: 'glm-4.7-flash',
  seams: [],
  report: {
    reasons: [],
    attempts: [],
    notices: [],
    costMicroUsd: 0,
    costKnown: true,
    quality: 'full',
  },
};

interface Ways {
  readonly of?: Tool;
  readonly principal?: string;
  readonly tell?: (listener: AskListener) => void;
}

async function run(
  args: Record<string, unknown>,
  answer: Partial<AskAnswer> | CallError = {},
  { of = tool, principal = 'local', tell }: Ways = {},
) {
  const asked: AskRequest[] = [];
  const steps: Progress[] = [];
  const context = {
    caller: { principal, scopes: ['*'], roots: [] },
    deadline: { at: Infinity },
    signal: new AbortController().signal,
    answers: NO_INPUT_RESPONSES,
    clientCapabilities: [],
    metadata: {
      timestamp_utc: '2026-01-31T23:30:00.000Z',
      timestamp_local: '2026-02-01 10:30:00 AEDT',
      timezone: 'Australia/Melbourne',
    },
    progress: (step: Progress) => void steps.push(step),
    async ask(request: AskRequest, listener: AskListener = {}) {
      asked.push(request);
      tell?.(listener);
      if (answer instanceof CallError) throw answer;
      return { ...ANSWER, ...answer };
    },
  } as Partial<ToolContext> as ToolContext;
  const given = (await of.run(of.parse(args), context)) as ToolResult;
  return { given, asked, steps };
}

verifies(
  'tools:apilookup',
  'it searches by itself, knows what day it is, and names its sources',
  async () => {
    const { given, asked, steps } = await run(
      { prompt: 'Which zod is current?', model: 'auto', thinking_mode: 'low' },
      {},
      { tell: (listener) => listener.onText?.('Version') },
    );
    const [{ system, ...rest } = {}] = asked;
    expect(rest).toEqual({
      model: 'auto',
      messages: [{ role: 'user', content: 'Which zod is current?' }],
      search: 'on',
      thinking: 'low',
      lastResort: 'none',
    });
    expect(system?.startsWith(APILOOKUP_PROMPT)).toBe(true);
    expect(system).toContain('The web may be searched');
    expect(system).toMatch(/\n\nToday is 2026-02-01\. [^\n]+$/);
    expect(steps).toEqual([{ text: 'Version' }]);
    expect(given).toEqual({
      text: 'Version 7 is current.\n\nSources:\n1. Changelog – https://a.example/log (2026-01-30)',
      content: {
        text: 'Version 7 is current.',
        finish: 'stop',
        lookup: 'cited',
        citations: [CITATION],
      },
      continuation: expect.objectContaining({
        id: expect.stringMatching(/^conv_/) as string,
      }) as object,
    });
  },
);

test('what would be asked can be seen without asking, and is the same every day', () => {
  const request = tool.previewAsk?.(tool.parse({ prompt: 'Hello' })) as AskRequest;
  expect(request).toMatchObject({ search: 'on', messages: [{ role: 'user', content: 'Hello' }] });
  expect(request.system).not.toContain('Today is');
  expect(dayPrompt('yesterday')).toBeUndefined();
});

const BY_KIMI = { provider: 'kimi', model: 'kimi-k3', citations: [] } as const;

test.each([
  {
    what: 'nobody who searches is set up',
    providers: [NOT_SET_UP, BLIND],
    answer: BY_KIMI,
    principal: 'local',
    lookup: 'none',
    notice:
      'Not looked up: kimi-k3 cannot search the web, so this is what it knew, and may be out of date. No provider that searches is set up: exai keys add glm.',
  },
  {
    what: 'the same for a client, who cannot mend it',
    providers: [NOT_SET_UP, BLIND],
    answer: BY_KIMI,
    principal: 'laptop',
    lookup: 'none',
    notice:
      'Not looked up: kimi-k3 cannot search the web, so this is what it knew, and may be out of date. No provider that searches is set up.',
  },
  {
    what: 'who can search failed, and another answered',
    providers: [SEARCHING, BLIND],
    answer: BY_KIMI,
    principal: 'local',
    lookup: 'none',
    notice:
      'Not looked up: kimi-k3 cannot search the web, so this is what it knew, and may be out of date.',
  },
  {
    what: 'a search that names no sources',
    providers: [SEARCHING],
    answer: { citations: [] },
    principal: 'local',
    lookup: 'uncited',
    notice: 'No source came with this answer: check what it says before you rely on it.',
  },
])('it says so: $what', async ({ providers, answer, principal, lookup, notice }) => {
  const { given } = await run({ prompt: 'q' }, answer, { of: toolOf(...providers), principal });
  expect(given).toMatchObject({
    text: `Version 7 is current.\n\n[${notice}]`,
    detail: notice,
    content: { text: 'Version 7 is current.', finish: 'stop', lookup },
  });
});

test('an answer that was cut says so', async () => {
  const { given } = await run({ prompt: 'q' }, { finish: 'length' });
  expect(given.detail).toBe(
    'The answer ends where its limit of tokens was reached: ask for the rest.',
  );
  expect(given.content).toMatchObject({ finish: 'length', lookup: 'cited' });
});

verifies(
  'tools:apilookup',
  'it continues a conversation, and saves its answer with citations',
  async () => {
    const { given: first } = await run({ prompt: 'Which zod?' });
    const id = first.continuation?.id ?? '';
    await opened.reopen();
    const { asked, given } = await run({
      prompt: 'And how to migrate?',
      continuation_id: ` ${id} `,
    });
    expect(asked).toMatchObject([
      {
        lockedModel: 'glm-4.7-flash',
        messages: [
          { content: 'Which zod?' },
          { content: first.text },
          { role: 'user', content: 'And how to migrate?' },
        ],
      },
    ]);
    expect(given.continuation?.id).toBe(id);
    const { turns } = await opened.threads.show('local', id, 10);
    expect(turns).toMatchObject([
      { role: 'user', tool: 'apilookup', content: 'Which zod?' },
      { role: 'assistant', tool: 'apilookup', content: first.text, model: 'glm-4.7-flash' },
      { content: 'And how to migrate?' },
      {},
    ]);
  },
);

test('a model that cannot search keeps its conversation, but is not asked to look something up', async () => {
  const about = 'A question for Kimi';
  const thread: Thread = await opened.threads.open({ principal: 'local', id: undefined, about });
  const { id } = await thread.append([{ role: 'user', tool: 'chat', content: about }], {
    model: 'kimi-k3',
  });
  const { asked } = await run({ prompt: 'Look it up', continuation_id: id });
  expect(asked[0]).not.toHaveProperty('lockedModel');
  expect(asked[0]?.messages).toHaveLength(2);
  const { conversation } = await opened.threads.show('local', id, 10);
  expect(conversation.model).toBe('kimi-k3');
  const named = await run({ prompt: 'You', continuation_id: id, model: 'kimi-k3' }, BY_KIMI);
  expect(named.asked[0]?.model).toBe('kimi-k3');
});

test('a failure is thrown as it is, and nothing is saved', async () => {
  const { given } = await run({ prompt: 'First' });
  const id = given.continuation?.id ?? '';
  const error = new CallError('not_configured', 'No model can be asked.');
  await expect(run({ prompt: 'Second', continuation_id: id }, error)).rejects.toBe(error);
  expect((await opened.threads.show('local', id, 10)).turns).toHaveLength(2);
  await expect(
    run({ prompt: 'q', continuation_id: id }, {}, { principal: 'laptop' }),
  ).rejects.toThrow(expect.objectContaining({ class: 'not_found' }) as Error);
});

test('an answer that cannot be saved is returned all the same', async () => {
  const lost = apilookup({
    fileIntake,
    threads: {
      open: async () => ({
        history: [],
        files: [],
        model: undefined,
        append: () => Promise.reject(new CallError('over_capacity', 'The disk is full.')),
      }),
    } as unknown as Parameters<typeof apilookup>[0]['threads'],
    modelDirectory: { providers: () => [SEARCHING], resolve: (name) => catalogue.resolve(name) },
    locale: '',
    toolLoop: NO_TOOL_LOOP,
  });
  const { given } = await run({ prompt: 'q' }, {}, { of: lost });
  expect(given.text).toContain('[The conversation could not be kept: The disk is full.]');
  expect(given).not.toHaveProperty('continuation');
});

test('every answer is as the tool says that its answers are', async () => {
  const schema = z.fromJSONSchema(tool.outputSchema as z.core.JSONSchema.JSONSchema);
  for (const answer of [{}, { citations: [] }, BY_KIMI, { finish: 'length' as const }]) {
    const { given } = await run({ prompt: 'q' }, answer);
    const envelope = {
      status: 'success',
      tool: 'apilookup',
      attempt: 1,
      req_id: 'req_1',
      content: given.content,
    };
    expect(schema.safeParse(envelope).error).toBeUndefined();
  }
});

test.each([
  [{}, 'prompt'],
  [{ prompt: ' \n' }, 'prompt'],
  [{ prompt: ['q'] }, 'prompt'],
  [{ prompt: 'q', use_websearch: false }, 'use_websearch'],
  [{ prompt: 'q', thinking_mode: 'hard' }, 'thinking_mode'],
  [{ prompt: 'q', model: 'x'.repeat(300) }, 'model'],
  [{ prompt: 'q', continuation_id: 'x'.repeat(300) }, 'continuation_id'],
  [JSON.parse('{"prompt":"q","__proto__":{"x":1}}') as Record<string, unknown>, '__proto__'],
])('%j is refused, and %s is named', (args, field) => {
  expect(() => tool.parse(args)).toThrow(expect.objectContaining({ class: 'validation', field }));
});

test('it may take as long as a search does, reaches out, and never answers two with one answer', () => {
  expect(tool).toMatchObject({
    timeoutMs: 300_000,
    pool: 'provider',
    coalesce: false,
    background: 'auto',
    resumable: true,
    profile: 'standard',
    category: 'balanced',
    tier: 'user',
    annotations: { readOnlyHint: true, idempotentHint: false, openWorldHint: true },
  });
});

verifies('tools:apilookup', 'it looks up for the files of a question, and keeps them', async () => {
  const file = { name: 'package.json', text: '{"dependencies": {"zod": "3.22.0"}}' };
  const { given, asked } = await run({ prompt: 'What changed in zod since?', files: [file] });
  expect(asked[0]?.files).toEqual([file]);
  const next = await run({ prompt: 'And in the types?', continuation_id: given.continuation?.id });
  expect(next.asked[0]?.files).toEqual([file]);
});
