import { afterAll, beforeAll, expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import type { FileIntake, LoadedFiles } from '#core/files/file-intake.ts';
import type { AskAnswer, AskRequest } from '#core/llm/ask.ts';
import { NO_INPUT_RESPONSES } from '#core/tools/input-request.ts';
import type { Tool, ToolContext, ToolResult } from '#core/tools/tool.ts';
import { openThreads, type OpenedThreads } from '../../../test/open-threads.ts';
import { verifies } from '../../../test/verifies.ts';
import { fileChat } from './file-chat.ts';
import { FILE_CHAT_PROMPT } from './file-chat.prompt.ts';

const DOCUMENT = {
  sha256: '0'.repeat(64),
  mediaType: 'application/pdf',
  size: 1,
  scannedPages: 0,
  async *bytes() {},
};
const NONE: LoadedFiles = { texts: [], media: [], notices: [], kept: [] };
const PDF = {
  name: 'docs/report.pdf',
  text: '<!-- page 1 -->\n\nThe total is 5,400.\n\n<!-- page 2 -->\n\nThe end.',
  document: DOCUMENT,
};
const CODE = { name: 'main.ts', text: 'const a = 1;\nconst b = 2;' };
const ANSWER: AskAnswer = {
  text: 'Nothing.',
  reasoning: '',
  reasoningDetails: [],
  toolCalls: [],
  citations: [],
  finish: 'stop',
  provider: 'glm',
  model: 'glm-5.3',
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

let opened: OpenedThreads;
let tool: Tool;
let loaded: LoadedFiles = NONE;
const taken: (readonly string[])[] = [];
const intake: FileIntake = {
  async load(_inputs, { earlier = [] }) {
    taken.push(earlier);
    return loaded;
  },
};

beforeAll(async () => {
  opened = await openThreads();
  tool = fileChat({ threads: opened.threads, fileIntake: intake, locale: '' });
});
afterAll(() => opened.close());

async function run(
  files: Partial<LoadedFiles>,
  answer: string | CallError | Partial<AskAnswer>,
  args: Record<string, unknown> = {},
) {
  loaded = { ...NONE, ...files };
  const asked: AskRequest[] = [];
  const context = {
    caller: { principal: 'local', scopes: ['*'], roots: ['/work'] },
    deadline: { at: Infinity },
    signal: new AbortController().signal,
    answers: NO_INPUT_RESPONSES,
    clientCapabilities: [],
    progress: () => undefined,
    async ask(request: AskRequest) {
      asked.push(request);
      if (answer instanceof CallError) throw answer;
      return { ...ANSWER, ...(typeof answer === 'string' ? { text: answer } : answer) };
    },
  } as Partial<ToolContext> as ToolContext;
  const parsed = tool.parse({ prompt: 'What is the total?', files: ['x'], ...args });
  const given = (await tool.run(parsed, context)) as ToolResult;
  return { given, asked: asked[0] };
}

test('models get page marks and numbered lines, sorted, with nothing to cut and no search', async () => {
  const { asked } = await run({ texts: [CODE, PDF] }, 'Nothing.');
  expect(asked).toMatchObject({
    system: FILE_CHAT_PROMPT,
    search: 'off',
    context: 'whole',
    messages: [{ role: 'user', content: 'What is the total?' }],
  });
  expect(asked?.files).toEqual([
    { name: 'docs/report.pdf', text: PDF.text },
    { name: 'main.ts', text: '1| const a = 1;\n2| const b = 2;' },
  ]);
});

test('a document with scanned pages keeps its bytes, for text recognition', async () => {
  const document = { ...DOCUMENT, scannedPages: 2 };
  const { asked } = await run({ texts: [{ ...PDF, document }] }, 'Nothing.');
  expect(asked?.files?.[0]?.document).toBe(document);
});

verifies('file_chat:marked', 'what is not verified is marked in text and content', async () => {
  const { given } = await run(
    { texts: [PDF, CODE] },
    'It is 5,400 [report.pdf p. 1: "total is 5,400"], of 2030 [report.pdf p. 9: "in 2030"]. main.ts has nothing.',
  );
  expect(given.content).toEqual({
    text: 'It is 5,400 [report.pdf p. 1: "total is 5,400"], of 2030 [report.pdf p. 9: "in 2030"] (not verified: the file has no such place). main.ts has nothing.',
    finish: 'stop',
    files: ['docs/report.pdf', 'main.ts'],
    citations: [
      { file: 'docs/report.pdf', page: 1, quote: 'total is 5,400', verified: true },
      {
        file: 'docs/report.pdf',
        page: 9,
        quote: 'in 2030',
        verified: false,
        problem: 'no_place',
      },
    ],
  });
  expect(given.notices?.map(({ code }) => code)).toEqual(['citations_not_verified']);
  expect(given.text).toContain('1 of 2 citations could not be verified');
});

test('an answer without citations, and files that it does not mention, are told', async () => {
  const { given } = await run({ texts: [PDF, CODE] }, 'It is 7.');
  expect(given.notices).toMatchObject([
    { code: 'no_file_cited' },
    { code: 'files_not_mentioned', params: { files: ['docs/report.pdf', 'main.ts'], more: 0 } },
  ]);
  const quoted = await run({ texts: [PDF] }, { text: 'x', provider: 'extractive' });
  expect(quoted.given.notices).toBeUndefined();
});

test('a picture comes with its name, which can be cited, but not verified', async () => {
  const part = { type: 'image', source: { mediaType: 'image/png', base64: 'AAAA' } } as const;
  const media = [{ name: 'a\n"cat".png', sha256: '1'.repeat(64), part }];
  const { given, asked } = await run({ media }, "A cat [a 'cat'.png].");
  expect(asked?.messages[0]?.content).toEqual([
    { type: 'text', text: "a 'cat'.png:" },
    part,
    { type: 'text', text: 'What is the total?' },
  ]);
  expect(given.content).toMatchObject({
    text: "A cat [a 'cat'.png] (not verified: a picture has no text to compare).",
    citations: [{ file: "a 'cat'.png", verified: false, problem: 'media' }],
  });
});

verifies('file_chat:whole', 'files that no window holds are told with their sizes', async () => {
  const long = { name: 'long.txt', text: 'many words of text '.repeat(60_000) };
  const refused = new CallError('context_length', 'Too long.', { contextTokens: 200_000 });
  const error = await run({ texts: [long, CODE] }, refused).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ class: 'context_length', field: 'files', contextTokens: 200_000 });
  const { message, fix = '' } = (error as CallError).toJSON();
  expect(message).toMatch(
    /about 2\d\d,\d{3} tokens \(long\.txt: 2\d\d,\d{3}; main\.ts: \d+\)\. The largest window has 200,000 tokens\./,
  );
  expect(fix).toMatch(/^Leave out long\.txt: the others have about \d+ tokens/);
});

test('without files there is nothing to ask about, and 1,001 are too many', async () => {
  await expect(run({}, 'x')).rejects.toMatchObject({ class: 'validation', field: 'files' });
  const files = Array.from({ length: 1_001 }, (_, at) => `${at}.txt`);
  await expect(run({}, 'x', { files })).rejects.toMatchObject({ class: 'validation' });
});

verifies(
  'file_chat:continues',
  'the next question finds the files of the conversation',
  async () => {
    const kept = ['exai://files/file_1', '/work/main.ts'];
    const first = await run({ texts: [CODE], kept }, 'Yes [main.ts:1: "const a"].');
    const id = first.given.continuation?.id ?? '';
    const { asked } = await run({ texts: [CODE] }, 'Yes.', { files: [], continuation_id: id });
    expect(taken.at(-1)).toEqual(kept);
    expect(asked?.messages).toHaveLength(3);
    expect(asked?.lockedModel).toBe('glm-5.3');
  },
);
