import { describe, expect, test } from 'vitest';
import type { ChatEvent, ChatMessage, ChatRequest } from '#core/llm/chat.ts';
import { collectChat } from '../../../test/collect-chat.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import type { VendorRequestRecord } from '#core/llm/provider.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { createExtractive, type ExtractiveSettings } from './extractive.ts';

const REPORT = `Quarterly report of the harbour.

The harbour handled 4,120 containers in the third quarter. Storms closed the northern pier for nine days in August.
Repairs of the northern pier cost 310,000 euros. The crane of the southern pier was replaced in July.

Staff grew by twelve people. Two of them work at the northern pier.`;

const CHINESE =
  '本公司成立于一九九八年。总部位于杭州市。去年的营业收入为三亿元，比前年增长百分之十二。研发部门有二百名员工。';

function setUp(settings: ExtractiveSettings = {}) {
  const clock = createFakeClock();
  const controller = new AbortController();
  const exchanges: VendorRequestRecord[] = [];
  const provider = createExtractive(settings, { clock });
  const context = {
    signal: controller.signal,
    deadline: deadlineIn(clock, 90_000),
    onVendorRequest: (exchange: VendorRequestRecord) => void exchanges.push(exchange),
  };
  const request = (
    messages: readonly ChatMessage[],
    change: Partial<ChatRequest> = {},
  ): ChatRequest => ({
    model: 'local-extract',
    messages,
    delivery: 'stream',
    ...change,
  });
  return {
    provider,
    clock,
    controller,
    context,
    exchanges,
    ask: (messages: readonly ChatMessage[], change: Partial<ChatRequest> = {}) =>
      collectChat(provider.chat(request(messages, change), context)),
  };
}

const file = (name: string, text: string): ChatMessage => ({
  role: 'system',
  content: `Answer from the file.\n<file name="${name}">\n${text}\n</file>`,
});
const user = (content: string): ChatMessage => ({ role: 'user', content });

describe('the extractive provider', () => {
  test('names the lines of a file that comes with numbers, and quotes without them', async () => {
    const { ask } = setUp();
    const text = [
      '1| # Lease',
      '2| ',
      '3| The tenant has a garden and a cellar.',
      '4| ',
      '5| The deposit for the flat is 1,250 euros',
      '6| and due in May.',
      '…',
      '133| A bicycle may stand on the stairs, as the landlord has written in his last letter to all.',
    ].join('\n');
    const { answer } = await ask([
      file('lease.md', text),
      user('How high is the deposit for the flat?'),
    ]);
    expect(answer.text).toMatch(/deposit for the flat is 1,250 euros and due in May/);
    expect(answer.text).toMatch(/— file lease\.md \(message 1\), lines \d-6\n/);
    expect(answer.text).not.toContain('5|');
    const bicycle = await ask([file('lease.md', text), user('Where may a bicycle stand?')]);
    expect(bicycle.answer.text).toContain('file lease.md (message 1), line 133');
    const numbers = await ask([file('lease.md', text), user('133')]);
    expect(numbers.answer.text).toContain('None of the words of your question');
  });

  test('says in its first sentence that no model answered, and guesses neither why nor what helps', async () => {
    const { ask } = setUp();
    const { answer } = await ask([user('What is the capital of Mongolia?')]);
    const first = answer.text.split('\n')[0];
    expect(first).toMatch(/^No model answered this, and there is nothing to quote/);
    expect(first).not.toMatch(/reach|exai|key|set up/);
    expect(answer.text).toContain('nothing to quote');
    expect(answer.text).not.toMatch(/Ulaanbaatar/i);
  });

  test('names the page of a passage, and quotes no mark of a page', async () => {
    const { ask } = setUp();
    const text =
      '<!-- page 1 -->\n\nThe harbour in brief.\n\n<!-- page 2 -->\n\nShort.\n\n<!-- page 3 -->\n\nStorms closed the northern pier for nine days.\n\n<!-- sheet "Q1" -->\n\nThe crane was replaced.';
    const asked = async (question: string) =>
      (await ask([file('report.pdf', text), user(question)])).answer.text;
    const pier = await asked('When was the northern pier closed?');
    expect(pier).toContain(
      '“Storms closed the northern pier for nine days.” — file report.pdf (message 1), page 3',
    );
    expect(await asked('What about the crane?')).toContain('(message 1), sheet "Q1"');
    for (const answer of [pier, await asked('summarize')]) expect(answer).not.toContain('<!--');
  });

  test('quotes the passage of a file that fits the question, with the name of the file', async () => {
    const { ask } = setUp();
    const outcome = await ask([
      file('report.md', REPORT),
      file('menu.txt', 'Monday there is soup. On Tuesday the canteen serves noodles with tofu.'),
      user('How many days was the northern pier closed by storms?'),
    ]);
    expect(outcome.is).toBe('answered');
    const [best] = outcome.answer.text.split('\n\n').filter((line) => line.startsWith('[1]'));
    expect(best).toContain('Storms closed the northern pier for nine days in August.');
    expect(best).toContain('file report.md (message 1)');
    expect(outcome.answer.text).not.toContain('noodles');
    expect(outcome.answer.text).toContain('Looked at: 2 files');
  });

  test('splits and finds Chinese sentences without spaces', async () => {
    const { ask } = setUp();
    const { answer } = await ask([file('公司.txt', CHINESE), user('营业收入是多少？')]);
    expect(answer.text).toMatch(/\[1\] “.*营业收入为三亿元/);
  });

  test('finds words in other cases and forms of writing', async () => {
    const { ask } = setUp();
    const text = 'Der Kran steht am Südkai. ЛОДКИ СТОЯТ У ПРИЧАЛА. The BOATS are blue.';
    expect((await ask([file('a', text), user('лодки')])).answer.text).toContain('ЛОДКИ');
    expect((await ask([file('a', text), user('SÜDKAI?')])).answer.text).toContain('Südkai');
    expect((await ask([file('a', text), user('boat')])).answer.text).toContain('BOATS');
  });

  test('summarises on request, in the order of the text', async () => {
    const { ask } = setUp();
    const { answer } = await ask([file('report.md', REPORT), user('Please summarize this.')]);
    expect(answer.text).toContain('stand best for your texts as a whole');
    const quoted = answer.text.split('\n\n').filter((line) => line.startsWith('['));
    expect(quoted.length).toBeGreaterThan(0);
    expect(quoted[0]).toContain('Quarterly report of the harbour');
  });

  test('says so when no word of the question is in the texts', async () => {
    const { ask } = setUp();
    const { answer } = await ask([file('report.md', REPORT), user('Xylophones, zebras?')]);
    expect(answer.text).toContain('None of the words of your question is in your texts.');
    expect(answer.text).toContain('[1]');
  });

  test('looks at earlier messages, tool results and text documents, and names each', async () => {
    const { ask } = setUp();
    const { answer } = await ask([
      user('The password of the shed hangs behind the boiler.'),
      {
        role: 'assistant',
        content: 'Noted.',
        toolCalls: [{ id: 't1', name: 'weather', arguments: '{}' }],
      },
      { role: 'tool', toolCallId: 't1', name: 'weather', content: 'Boiler room: 31 degrees.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What do we know about the boiler?' },
          {
            type: 'file',
            source: {
              base64: Buffer.from('The boiler was inspected in May.').toString('base64'),
              mediaType: 'text/plain',
            },
          },
        ],
      },
    ]);
    expect(answer.text).toContain('— a file of message 4');
    expect(answer.text).toContain('— message 1 (yours)');
    expect(answer.text).toContain('— message 3 (result of weather)');
  });

  test('takes instructions for no material', async () => {
    const { ask } = setUp();
    const { answer } = await ask([
      { role: 'system', content: 'You are a pirate. Secret word: marmalade.' },
      user('What is the secret word?'),
    ]);
    expect(answer.text).not.toContain('marmalade');
  });

  test('ends with an estimated usage that costs nothing, and is reported once', async () => {
    const { ask, exchanges } = setUp();
    const outcome = await ask([file('report.md', REPORT), user('northern pier?')]);
    expect(outcome).toMatchObject({
      is: 'answered',
      finish: 'stop',
      answer: { model: 'local-extract', usage: { cached: 0, costMicroUsd: 0, estimated: true } },
    });
    expect(outcome.answer.usage?.input).toBeGreaterThan(50);
    expect(exchanges).toEqual([
      expect.objectContaining({ provider: 'extractive', operation: 'chat', outcome: 'ok' }),
    ]);
  });

  test('answers the same question over the same texts the same way', async () => {
    const messages = [file('report.md', REPORT), user('northern pier repairs')];
    expect((await setUp().ask(messages)).answer).toEqual((await setUp().ask(messages)).answer);
  });

  test('gives a whole answer in one piece', async () => {
    const { provider, context } = setUp();
    const events: ChatEvent[] = [];
    for await (const event of provider.chat(
      { model: 'local-extract', messages: [file('r', REPORT), user('pier')], delivery: 'whole' },
      context,
    ))
      events.push(event);
    expect(events.map(({ type }) => type)).toEqual(['start', 'text', 'usage', 'finish']);
  });

  test('keeps to the limit of output tokens and says that it was cut', async () => {
    const { ask } = setUp();
    const outcome = await ask([file('r', REPORT), user('pier')], { maxOutputTokens: 10 });
    expect(outcome).toMatchObject({ is: 'answered', finish: 'length' });
    expect(outcome.answer.text).toMatch(/^No model/);
  });

  test('says which part of the texts it has not searched', async () => {
    const { ask } = setUp({ maxChars: 100 });
    const { answer } = await ask([file('report.md', REPORT), user('harbour containers')]);
    expect(answer.text).toMatch(/100 of \d+ characters: the rest was not looked at/);
  });

  test.each<[string, Partial<ChatRequest>, RegExp]>([
    ['tools', { tools: [{ name: 't', description: '', parameters: {} }] }, /call tools/],
    ['JSON', { responseFormat: { type: 'json' } }, /answer in JSON/],
    [
      'a JSON schema',
      { responseFormat: { type: 'json_schema', name: 'x', schema: {} } },
      /answer in JSON/,
    ],
    ['a continuation', { continuation: 'prefix' }, /continue/],
  ])('refuses %s with what to do about it', async (_what, change, message) => {
    const { ask } = setUp();
    const outcome = await ask([user('Hello there')], change);
    expect(outcome).toMatchObject({ is: 'failed', error: { class: 'not_configured' } });
    if (outcome.is !== 'failed') return;
    expect(outcome.error.message).toMatch(message);
    expect(outcome.error.fix).toContain('exai keys add kimi');
  });

  test.each(['image', 'video', 'file'] as const)(
    'refuses a part that is a binary %s',
    async (type) => {
      const { ask } = setUp();
      const source = { base64: 'AAAA', mediaType: 'application/octet-stream' };
      const outcome = await ask([
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is it?' },
            { type, source },
          ],
        },
      ]);
      expect(outcome).toMatchObject({ is: 'failed', error: { class: 'not_configured' } });
    },
  );

  test('refuses an empty request and another model', async () => {
    const { ask } = setUp();
    expect(await ask([])).toMatchObject({ error: { class: 'validation', field: 'messages' } });
    expect(await ask([user('x')], { model: 'kimi-k3' })).toMatchObject({
      error: { class: 'not_found', field: 'model' },
    });
  });

  test('is always there', async () => {
    const { provider, context } = setUp();
    expect(await provider.check(context)).toContain('always there');
  });
});

describe('a huge text', () => {
  const kinds: readonly [string, (chars: number) => string][] = [
    ['prose', (chars) => `${REPORT}\n`.repeat(Math.ceil(chars / REPORT.length))],
    ['one letter', (chars) => 'a'.repeat(chars)],
    ['blank lines', (chars) => 'a.\n\n'.repeat(chars / 4)],
    ['Chinese without an end', (chars) => '码头'.repeat(chars / 2)],
    [
      'new words',
      (chars) =>
        Array.from({ length: chars / 8 }, (_, n) => n.toString(36).padStart(7, 'q')).join(' '),
    ],
    ['open tags', (chars) => '<file>pier '.repeat(chars / 11)],
    ['files', (chars) => '<file>pier</file>'.repeat(chars / 17)],
    ['spaces', (chars) => ' '.repeat(chars)],
    ['lines of dashes', (chars) => '-'.repeat(chars)],
  ];

  test.each(kinds)('of %s is read in slices and in bounded time', async (name, make) => {
    const { clock, ask } = setUp();
    const text = make(name === 'prose' ? 10_000_000 : 2_000_000);
    const asked = ask([file('big', text), user('How much did the pier cost?')]);
    let over = false;
    let pauses = 0;
    void asked.finally(() => (over = true));
    while (!over) {
      await Promise.race([clock.untilWaiting(), asked]);
      clock.advance(0);
      pauses += 1;
    }
    const outcome = await asked;
    expect(outcome.is).toBe('answered');
    expect(outcome.answer.text.length).toBeLessThan(4_000);
    expect(pauses).toBeGreaterThan(2);
  });

  test('is left at once when the caller gives up', async () => {
    const { clock, controller, ask, exchanges } = setUp();
    const asked = ask([file('big', `${REPORT}\n`.repeat(20_000)), user('pier')]);
    await clock.untilWaiting();
    controller.abort(new DOMException('enough', 'AbortError'));
    expect(await asked).toMatchObject({ is: 'failed', error: { class: 'cancelled' } });
    expect(clock.waiting).toBe(0);
    expect(exchanges).toEqual([expect.objectContaining({ outcome: 'cancelled' })]);
  });

  test('ends with the deadline', async () => {
    const { clock, ask } = setUp();
    const asked = ask([file('big', `${REPORT}\n`.repeat(20_000)), user('pier')]);
    await clock.untilWaiting();
    clock.advance(90_001);
    expect(await asked).toMatchObject({
      is: 'failed',
      error: { class: 'timeout', provider: 'extractive' },
    });
  });
});
