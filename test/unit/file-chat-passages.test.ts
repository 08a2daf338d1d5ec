import { afterAll, beforeAll, expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import type { AskRequest } from '#core/llm/ask.ts';
import { NO_INPUT_RESPONSES } from '#core/tools/input-request.ts';
import type { ToolContext, ToolResult } from '#core/tools/tool.ts';
import { systemClock } from '#app/system.ts';
import { openStore } from '#store/open-store.ts';
import { createFileIndex } from '#retrieval/create-file-index.ts';
import { sourcesOfTexts, type IndexedText } from '../index-of-texts.ts';
import { intakeOver } from '../intake-over.ts';
import { makeStoreHome, type StoreHome } from '../stores.ts';
import { openThreads, type OpenedThreads } from '../open-threads.ts';
import { verifies } from '../verifies.ts';
import type { SecretsPolicy } from '#files/intake/check-secrets.ts';
import { createSentTextsCheck } from '#files/intake/check-sent-texts.ts';
import { fileChat } from '#tools/file-chat/file-chat.ts';
import { searchFiles } from '#tools/search-files.ts';

const filler = Array.from({ length: 200 }, (_, at) => `Line ${at} says nothing of interest.`).join(
  '\n',
);
const TEXTS: readonly IndexedText[] = [
  ...Array.from({ length: 60 }, (_, at) => ({ name: `notes/${at}.txt`, text: `${filler}\n${at}` })),
  { name: 'lease.txt', text: `${filler}\nThe deposit for the flat is 1,250 euros.\n${filler}` },
  { name: 'plan.pdf', text: '<!-- page 7 -->\n\nThe deposit is due in May.', is: 'document' },
];

let home: StoreHome;
let threads: OpenedThreads;
let store: Awaited<ReturnType<typeof openStore>>;

beforeAll(async () => {
  home = await makeStoreHome('sqlite');
  store = await openStore({ ...home, clock: systemClock, writerId: 'writer_a' });
  threads = await openThreads();
});
afterAll(async () => {
  await store.close();
  await threads.close();
  await home.remove();
});

function setUp(
  answer: (request: AskRequest) => string,
  texts = TEXTS,
  secrets: SecretsPolicy = 'warn',
) {
  const fileIndex = createFileIndex({
    store: store.fileIndex,
    openSources: sourcesOfTexts(() => texts),
    clock: systemClock,
  });
  const fileIntake = intakeOver({ read: async () => ({ texts: [...texts], notices: [] }) });
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
      return {
        text: answer(request),
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
    },
  } as Partial<ToolContext> as ToolContext;
  const checkSentTexts = createSentTextsCheck({ secrets, clock: systemClock });
  const deps = { threads: threads.threads, fileIntake, fileIndex, checkSentTexts, locale: '' };
  return { chat: fileChat(deps), search: searchFiles(deps), context, asked };
}

verifies(
  'file_chat:passages',
  'files that no window holds are answered from passages, whose citations are checked',
  async () => {
    const { chat, context, asked } = setUp((request) => {
      if ((request.files?.length ?? 0) > 60) throw new CallError('context_length', 'Too long.');
      return 'It is 1,250 euros [lease.txt:201: "deposit for the flat is 1,250"], due in May [plan.pdf p. 7: "due in May"], or 9 [lease.txt:9: "is 9 euros"].';
    });
    const args = chat.parse({ prompt: 'How high is the deposit for the flat?', files: ['x'] });
    const { content, notices } = (await chat.run(args, context)) as ToolResult;
    expect(asked).toHaveLength(2);
    const files = asked[1]?.files ?? [];
    expect(files.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['lease.txt', 'plan.pdf']),
    );
    expect(files.find(({ name }) => name === 'lease.txt')?.text).toContain(
      '201| The deposit for the flat is 1,250 euros.',
    );
    expect(files.find(({ name }) => name === 'plan.pdf')?.text).toContain('<!-- page 7 -->');
    expect(asked[1]?.system).toContain('too long to be given whole');
    expect((content as { citations: unknown }).citations).toMatchObject([
      { file: 'lease.txt', line: 201, verified: true },
      { file: 'plan.pdf', page: 7, verified: true },
      { file: 'lease.txt', verified: false },
    ]);
    expect(notices).toContainEqual(
      expect.objectContaining({
        code: 'files_searched',
        params: expect.objectContaining({ files: 62 }) as object,
      }),
    );
  },
);

test('files of more than 10 million characters are not given whole to any model', async () => {
  const long = Array.from({ length: 8 }, (_, at) => ({
    name: `long/${at}.txt`,
    text: `${'Nothing of interest. '.repeat(65_000)}${at}`,
  }));
  const { chat, context, asked } = setUp(() => 'It is 1,250 euros.', [...TEXTS, ...long]);
  const args = chat.parse({ prompt: 'How high is the deposit for the flat?', files: ['x'] });
  await chat.run(args, context);
  expect(asked).toHaveLength(1);
  expect(asked[0]?.system).toContain('too long to be given whole');
});

test('a model with a small window gets fewer passages', async () => {
  let tries = 0;
  const { chat, context, asked } = setUp(() => {
    tries += 1;
    if (tries < 3) throw new CallError('context_length', 'Too long.');
    return 'Nothing.';
  });
  const args = chat.parse({ prompt: 'Which line says nothing of interest?', files: ['x'] });
  await chat.run(args, context);
  const size = (request?: AskRequest) =>
    (request?.files ?? []).reduce((sum, { text }) => sum + text.length, 0);
  expect(asked).toHaveLength(3);
  expect(size(asked[2])).toBeLessThan(size(asked[1]) / 2);
});

test('a question without a word of the files says so', async () => {
  const { chat, context } = setUp(() => {
    throw new CallError('context_length', 'Too long.');
  });
  const args = chat.parse({ prompt: 'zebra?', files: ['x'] });
  await expect(chat.run(args, context)).rejects.toMatchObject({
    class: 'not_found',
    field: 'prompt',
  });
});

test('search_files finds passages of given files, and says what was searched', async () => {
  const { search, context } = setUp(() => '');
  const args = search.parse({ query: 'deposits of the flat', files: ['x'], limit: 2 });
  const { text, content } = (await search.run(args, context)) as ToolResult;
  expect(content).toMatchObject({
    passages: [{ file: 'lease.txt' }, { file: 'plan.pdf', place: 'page 7', state: 'current' }],
    searched: { files: 62 },
  });
  expect(text).toContain('[2] plan.pdf, page 7\nThe deposit is due in May.');
  // What a question has indexed is not among the files that were added.
  const own = (await search.run(search.parse({ query: 'deposit' }), context)) as ToolResult;
  expect(own.content).toMatchObject({ passages: [], searched: { files: 0, passages: 0 } });
  expect(own.text).toContain('exai index add');
});

verifies(
  'files:secrets',
  'a passage of a file that was indexed before secrets were blocked is not sent',
  async () => {
    const key = `AKIA${'QWERTYUIOPASDFGH'}`;
    const texts = [
      { name: 'deploy.txt', text: `${filler}\nThe harbour key is ${key}.\n${filler}` },
      { name: 'harbour.pdf', text: '<!-- page 7 -->\n\nThe harbour is closed.', is: 'document' },
    ] as const;
    const ask = (secrets: SecretsPolicy) => {
      const set = setUp(
        ({ system = '' }) => {
          if (!system.includes('too long to be given whole'))
            throw new CallError('context_length', 'Too long.');
          return 'It is there.';
        },
        texts,
        secrets,
      );
      const args = set.chat.parse({ prompt: 'Where is the harbour key?', files: ['x'] });
      return { ...set, answered: set.chat.run(args, set.context) };
    };
    expect(JSON.stringify(((await ask('warn').answered) as ToolResult).notices)).not.toContain(key);
    const { answered, asked } = ask('block');
    const error = await answered.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ class: 'permission', field: 'files' });
    expect(String(error)).toContain('"deploy.txt" seems to contain secrets');
    expect(String(error)).toContain('in line 201');
    expect(JSON.stringify(error)).not.toContain(key);
    expect(asked.every(({ system = '' }) => !system.includes('too long'))).toBe(true);
  },
);
