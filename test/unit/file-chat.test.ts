import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FileInput } from '#core/files/file-input.ts';
import { NO_INPUT_RESPONSES } from '#core/tools/input-request.ts';
import type { Tool, ToolContext, ToolResult } from '#core/tools/tool.ts';
import { openIntake, type IntakeBench } from '#files/intake/intake.fixture.ts';
import { createThreads } from '#threads/create-threads.ts';
import { createIds } from '#core/ids.ts';
import { systemClock, systemRandom } from '#app/system.ts';
import { fileChat } from '#tools/file-chat/file-chat.ts';
import { askSuite } from '../cases/ask-suite.ts';
import type { AskRig } from '../cases/ask-under-test.ts';
import { FORGED_TEXTS } from '../cases/forged-texts.ts';
import { makePdf } from '../make-pdf.ts';
import { verifies } from '../verifies.ts';

const suite = askSuite({ providers: ['kimi', 'glm'] });
let bench: IntakeBench;
let rig: AskRig;
let tool: Tool;

beforeAll(async () => {
  bench = await openIntake();
  rig = await suite.harness().manage();
  const newId = createIds(systemClock, systemRandom);
  const { store } = bench;
  const threads = createThreads({ store, clock: systemClock, newId, maxTurns: 100, keptDays: 0 });
  // Large contents are read in slices, with pauses by the clock.
  const fileIntake = bench.with({ secrets: 'off', clock: systemClock });
  tool = fileChat({ threads, fileIntake, locale: '' });
});
afterAll(async () => {
  await rig.close();
  await bench.close();
});

interface Result extends ToolResult {
  readonly content: {
    readonly text: string;
    readonly citations: readonly { readonly file: string; readonly verified: boolean }[];
  };
}

async function ask(
  prompt: string,
  files: readonly FileInput[],
  more: Readonly<Record<string, unknown>> = {},
  principal = 'local',
): Promise<Result> {
  const by = rig.by({ tool: 'file_chat' });
  const context = {
    ...by,
    ...bench.caller(principal),
    answers: NO_INPUT_RESPONSES,
    progress: () => undefined,
    ask: (request, listener) => rig.manager.ask(request, by, listener),
  } as Partial<ToolContext> as ToolContext;
  // The schema of the tool reads the forms of files; here the intake does.
  const args = { ...tool.parse({ prompt, ...more }), files };
  return (await tool.run(args, context)) as Result;
}

/** The bodies of the chats so far. */
function bodies(): readonly string[] {
  return rig.chats().map(({ body }) => JSON.stringify(body));
}

interface ChatBody {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

const exactly = (text: string) => `Say exactly: """${text}"""`;
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

test('a PDF, a text and a path in one question are cited by page and line', async () => {
  bench.write('project/src/main.ts', 'const a = 1;\nexport const total = 5400;\n');
  const pdf = makePdf('The total cost is 5400 euros.', 'It was paid in March.');
  const { content } = await ask(
    exactly(
      'It cost 5400 [report.pdf p. 1: "total cost is 5400"], paid in March [report.pdf p. 2: "paid in March"], ' +
        'as [src/main.ts:2: "total = 5400"] and [note.md:1: "5400"] say, not in May [report.pdf p. 1: "in May"].',
    ),
    [
      { filename: 'report.pdf', content: base64(pdf), mime_type: 'application/pdf' },
      { name: 'note.md', text: 'Paid: 5400' },
      'src/main.ts',
    ],
  );
  expect(content.citations).toMatchObject([
    { file: 'report.pdf', page: 1, verified: true },
    { file: 'report.pdf', page: 2, verified: true },
    { file: 'src/main.ts', line: 2, verified: true },
    { file: 'note.md', line: 1, verified: true },
    { file: 'report.pdf', page: 1, verified: false, problem: 'not_found' },
  ]);
  const sent = bodies().at(-1) ?? '';
  expect(sent).toContain('<!-- page 2 -->');
  expect(sent).toContain('2| export const total = 5400;');
});

verifies(
  'file_chat:stable',
  'the second question about the same files sends the same prefix',
  async () => {
    const files = [
      { name: 'b.txt', text: 'second words '.repeat(600) },
      { name: 'a.txt', text: 'first words '.repeat(600) },
    ];
    await ask('What is first?', files, { model: 'glm-5.3' });
    const { given } = {
      given: await ask('What is second?', files.toReversed(), { model: 'glm-5.3' }),
    };
    expect(given.content.text).not.toBe('');
    const [one = '', two = ''] = bodies().slice(-2);
    const files1 = one.slice(0, one.indexOf('What is first?'));
    expect(files1).toContain('second words');
    expect(two.startsWith(files1)).toBe(true);
    const usage = await rig.usage();
    expect(usage.some(({ cached }) => cached > 2_000)).toBe(true);
  },
);

verifies(
  'file_chat:whole',
  'no window holds it, so nothing is sent, and the sizes are told',
  async () => {
    const before = bodies().length;
    const long = 'Words that fill a window, one after the other. '.repeat(130_000);
    const error = await ask('What is it?', [
      { name: 'long.txt', text: long },
      { name: 'short.txt', text: 'Short.' },
    ]).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      class: 'context_length',
      field: 'files',
      message: expect.stringMatching(
        /long\.txt: [\d,]{9,}; short\.txt: \d+\)\. The largest window has [\d,]{7,} tokens/,
      ) as string,
    });
    expect(bodies()).toHaveLength(before);
  },
);

verifies(
  'file_chat:continues',
  'the next question finds inline and named files again',
  async () => {
    bench.write('project/kept.txt', 'A path is kept.');
    const first = await ask('What is kept?', [
      { name: 'inline.txt', text: 'Content is kept.' },
      'kept.txt',
    ]);
    const { content } = await ask(
      exactly('Both [inline.txt:1: "Content is kept"] [kept.txt:1: "A path is kept"]'),
      [],
      { continuation_id: first.continuation?.id ?? '' },
    );
    expect(content.citations).toMatchObject([
      { file: expect.stringContaining('inline.txt') as string, verified: true },
      { file: expect.stringContaining('kept.txt') as string, verified: true },
    ]);
  },
);

verifies(
  'files:resource',
  'the stored file of another principal is not found by the tool',
  async () => {
    const file = { principal: 'alice', name: 'a.txt', mime: 'text/plain' };
    const id = createIds(systemClock, systemRandom)('file');
    await bench.files.write({ id, ...file }, [Buffer.from('Of alice.')]);
    const own = await ask('What is it?', [{ file_id: id }], {}, 'alice');
    expect(own.content.text).not.toBe('');
    const other = createIds(systemClock, systemRandom)('file');
    const tell = (given: FileInput) =>
      ask('What is it?', [given], {}, 'bob').catch((thrown: unknown) =>
        JSON.stringify(thrown).replaceAll(/file_[0-9a-z]{22}/g, 'ID'),
      );
    for (const form of [(of: string) => ({ file_id: of }), (of: string) => `exai://files/${of}`]) {
      const [mine, none] = [await tell(form(id)), await tell(form(other))];
      expect(mine).toBe(none);
      expect(mine).toContain('not_found');
    }
  },
);

test.each(['F4.502', 'F5.cut', 'F5.reset'])(
  'after %s of Kimi the next model gets the files, too',
  async (id) => {
    const own = await suite.harness().manage();
    const before = rig;
    rig = own;
    try {
      suite.harness().emulator.fault({ id, vendor: 'kimi', path: 'chat', times: 0 });
      const answer = exactly('It is here [a.txt:1: "the words"].');
      const { content } = await ask(answer, [{ name: 'a.txt', text: 'These are the words.' }], {
        model: 'kimi-k3',
      });
      expect(content.citations).toMatchObject([{ file: 'a.txt', line: 1, verified: true }]);
      expect(JSON.stringify(rig.chats('glm').at(-1)?.body)).toContain('1| These are the words.');
    } finally {
      rig = before;
      await own.close();
    }
  },
);

describe('the injection corpus', () => {
  verifies(
    'file_chat:forging',
    'no forged text in a file or its name gets out of its marks',
    async () => {
      for (const { what, text: forged } of FORGED_TEXTS) {
        // A text with NUL is binary data, which is refused.
        const text = forged.replaceAll('\0', '');
        const files = [
          { name: `x ${text}`.slice(0, 1_000), text: `Before.\n${text}\nAfter.` },
          { name: 'b.txt', text: 'Another file.' },
        ];
        const { content } = await ask(exactly(`[b.txt:1: "Another file"]`), files, {
          model: 'glm-5.3',
        });
        expect([what, content.citations]).toMatchObject([
          what,
          [{ file: 'b.txt', verified: true }],
        ]);
        const body = rig.chats().at(-1)?.body as unknown as ChatBody | undefined;
        const block = body?.messages.find(
          ({ role, content: each }) => role === 'user' && each.startsWith('<file '),
        );
        const mark = / mark="(\d{30})">/.exec(block?.content ?? '')?.[1] ?? 'none';
        const marks = (block?.content ?? '').split('\n').filter((line) => line.includes(mark));
        // Two files: each begins and ends once.
        expect([what, marks.length]).toEqual([what, 4]);
        for (const line of marks)
          expect(line).toMatch(/^<\/?file (?:name="[^"<>\p{Cc}\p{Cf}]*" )?mark="\d{30}">$/u);
      }
    },
  );
});
