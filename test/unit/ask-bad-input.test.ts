import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { AskRequest } from '#core/llm/ask.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { ErrorClass } from '#core/errors/error-class.ts';
import type { ChatMessage } from '#core/llm/chat.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { CHAT, NUMBERS, VISION } from '../cases/ask-classes.ts';
import { askSuite, attemptsOf } from '../cases/ask-suite.ts';
import type { Asked, AskRig } from '../cases/ask-under-test.ts';
import { ADD, user } from '../cases/provider-requests.ts';
import { verifies } from '../verifies.ts';

const suite = askSuite({ settings: { models: { deny: { glm: ['glm-4.6'] } } } });

const QUESTION = CHAT.request;
const asking = (change: Partial<AskRequest>): AskRequest => ({ ...QUESTION, ...change });
const saying = (...messages: ChatMessage[]): AskRequest => ({ messages });
/** What a caller without types may send. */
const wild = (change: Record<string, unknown>) =>
  ({ ...QUESTION, ...change }) as unknown as AskRequest;

interface Refused {
  readonly what: string;
  readonly request: AskRequest;
  readonly is: ErrorClass;
  readonly field: string;
  /** Words of the message or the fix. */
  readonly says?: string;
}

const HELLO: ChatMessage = { role: 'user', content: 'Hello.' };

const REFUSED: readonly Refused[] = [
  ...['no-such-model-at-all', '__proto__', 'constructor', 'toString', 'x'.repeat(1_000_000)].map(
    (model): Refused => ({
      what: `a model called ${model.slice(0, 20)}`,
      request: asking({ model }),
      is: 'not_found',
      field: 'model',
      says: 'Set model: auto, or list the models with listmodels',
    }),
  ),
  {
    what: 'a model that is nearly right',
    request: asking({ model: 'kimi-k2.66' }),
    is: 'not_found',
    field: 'model',
    says: 'did you mean "kimi-k2.6"?',
  },
  {
    what: 'a name of another line',
    request: asking({ model: '\u001B[31mred\nline' }),
    is: 'not_found',
    field: 'model',
  },
  ...[-1, Number.NaN, Infinity, -Infinity, '5', null, {}].map((maxCostMicroUsd): Refused => ({
    what: `a limit of the cost of ${inspect(maxCostMicroUsd)}`,
    request: wild({ maxCostMicroUsd }),
    is: 'validation',
    field: 'max_cost_usd',
    says: 'from 0 on',
  })),
  ...[0, -5, Number.NaN, Infinity, 1.5, 1e300, '7', null].map((maxOutputTokens): Refused => ({
    what: `a limit of the answer of ${inspect(maxOutputTokens)}`,
    request: wild({ maxOutputTokens }),
    is: 'validation',
    field: 'max_output_tokens',
    says: 'from 1 on',
  })),
  ...['', ' ', ' \n\t\r ', '\u200B\uFEFF\u2060', '\u0000'].map((content): Refused => ({
    what: `a question of ${JSON.stringify(content)}`,
    request: { messages: user(content) },
    is: 'validation',
    field: 'prompt',
    says: 'Ask something',
  })),
  { what: 'no messages', request: saying(), is: 'validation', field: 'prompt' },
  {
    what: 'a question of no parts',
    request: { messages: user([]) },
    is: 'validation',
    field: 'prompt',
  },
  {
    what: 'instructions alone',
    request: saying({ role: 'system', content: 'Be brief.' }),
    is: 'validation',
    field: 'prompt',
  },
  {
    what: 'a last message that says nothing',
    request: saying(HELLO, { role: 'assistant', content: '' }),
    is: 'validation',
    field: 'prompt',
  },
  {
    what: 'instructions after the question',
    request: saying(HELLO, { role: 'system', content: 'Be brief.' }),
    is: 'validation',
    field: 'prompt',
  },
  {
    what: 'two tools of one name',
    request: asking({ tools: [ADD, ADD] }),
    is: 'validation',
    field: 'tools[1].name',
    says: 'Two tools are called add_numbers',
  },
  {
    what: 'a tool that must be called and is not there',
    request: asking({ toolChoice: { name: 'nobody' } }),
    is: 'validation',
    field: 'tool_choice',
  },
  {
    what: 'more tools than anybody takes',
    request: asking({
      tools: Array.from({ length: 500 }, (_, at) => ({ ...ADD, name: `t${at}` })),
    }),
    is: 'validation',
    field: 'tools',
    says: 'Give fewer tools',
  },
  {
    what: 'a step before the first',
    request: asking({ step: { number: 0, more: 'yes' } }),
    is: 'validation',
    field: 'step_number',
  },
  {
    what: 'a temperature that is no number',
    request: asking({ sampling: { temperature: Number.NaN } }),
    is: 'validation',
    field: 'sampling.temperature',
  },
  {
    what: 'a picture for one that sees none, and nobody else may',
    request: { ...VISION.request, model: 'glm-5.3', fallback: 'none' },
    is: 'validation',
    field: 'model',
    says: 'it cannot take pictures',
  },
  {
    what: 'a model that the lists forbid, and nobody else may',
    request: asking({ model: 'glm-4.6', fallback: 'none' }),
    is: 'not_configured',
    field: 'model',
    says: 'models.deny.glm',
  },
  {
    what: 'a limit of the cost that nobody keeps',
    request: asking({ model: 'kimi-k3', fallback: 'none', maxCostMicroUsd: 1 }),
    is: 'budget',
    field: 'max_cost_usd',
  },
  {
    what: 'a prompt of ten megabytes',
    request: { messages: user('7; 16, 4: '.repeat(1_000_000)) },
    is: 'context_length',
    field: 'prompt',
    says: 'Ask for less at once',
  },
  {
    what: 'instructions of ten megabytes',
    request: asking({ system: '海'.repeat(3_400_000) }),
    is: 'context_length',
    field: 'prompt',
  },
];

describe('what cannot be asked', () => {
  for (const { what, request, is, field, says = '' } of REFUSED)
    verifies('ask:bad-input', `${what} is ${is}, and nobody is asked`, async () => {
      const rig = await suite.rig();
      const { error, reports, heard } = await rig.ask(request);
      expect(error).toBeInstanceOf(CallError);
      expect(error).toMatchObject({ class: is, field });
      expect(`${error?.message} ${error?.fix}`).toContain(says);
      expect(error?.fix).toBeTruthy();
      // However long what was sent: a message is for people.
      expect(error?.message.length).toBeLessThan(1000);
      expect(error?.message).not.toMatch(/\p{Cc}/u);
      expect({ heard, reports: reports.length }).toEqual({ heard: '', reports: 1 });
      expect(rig.chats()).toEqual([]);
      expect(rig.breakers.all()).toEqual([]);
      expect(rig.held()).toEqual([]);
    });
});

describe('the same, explained', () => {
  for (const { what, request, is } of REFUSED)
    test(`${what} is no surprise`, async () => {
      const rig = await suite.rig();
      expect(await explained(rig, request)).toBe(is);
      expect(rig.chats()).toEqual([]);
    });

  /**
   * Thrown for what is no request; told of one that nobody takes; beside the payload of one that
   * its provider would refuse.
   */
  async function explained(rig: AskRig, request: AskRequest): Promise<ErrorClass | undefined> {
    try {
      const { error, noPayload } = await rig.explain(request);
      return error?.class ?? (noPayload === undefined ? undefined : 'validation');
    } catch (thrown) {
      return CallError.from(thrown).class;
    }
  }
});

describe('what contradicts itself and can be asked all the same', () => {
  const cases: readonly (readonly [string, AskRequest, string, string])[] = [
    [
      'speed and much thought',
      asking({ prefer: 'speed', thinking: 'max' }),
      'glm-4.7-flash',
      'prefer: speed and thinking_mode: max contradict each other',
    ],
    [
      'a picture for one that sees none',
      { ...VISION.request, model: 'glm-5.3' },
      'glm-4.6v',
      'glm-5.3 was chosen, but it cannot take pictures',
    ],
    [
      'a search by one that cannot, and nobody else may',
      asking({ model: 'custom/qwen3:8b', search: 'on', fallback: 'none' }),
      'qwen3:8b',
      'cannot search the web',
    ],
    [
      'a model that the lists forbid',
      asking({ model: 'glm-4.6' }),
      'glm-4.7-flash',
      'glm-4.6 was chosen, but models.deny.glm',
    ],
    [
      'a model that was switched off',
      asking({ model: 'kimi-k2-thinking' }),
      'kimi-k3',
      'kimi-k2-thinking',
    ],
    [
      'two files of one name',
      asking({
        files: [
          { name: 'notes.txt', text: 'Old.' },
          { name: 'notes.txt', text: 'New.' },
        ],
      }),
      'glm-4.7-flash',
      'More than one file is called notes.txt',
    ],
    [
      'half of a character',
      { messages: user('\uD800 Say exactly: """' + NUMBERS + '"""') },
      'glm-4.7-flash',
      'not valid Unicode',
    ],
  ];

  for (const [what, request, model, notice] of cases)
    verifies('ask:bad-input', `${what} is answered by ${model}, and said`, async () => {
      const rig = await suite.rig();
      const asked = await rig.ask(request);
      expect(asked.heard).toBe(NUMBERS);
      expect(attemptsOf(asked)).toEqual([`${model} ok`]);
      expect(noticesOf(asked)).toContain(notice);
    });

  verifies('ask:bad-input', 'a limit of nothing is kept by what costs nothing', async () => {
    const rig = await suite.rig();
    const asked = await rig.ask(asking({ maxCostMicroUsd: 0 }));
    expect(asked.answer?.report).toMatchObject({ costMicroUsd: 0, costKnown: true });
    expect(attemptsOf(asked)).toEqual(['glm-4.7-flash ok']);
  });
});

describe('what is large', () => {
  const said = (count: number, words: number): readonly ChatMessage[] =>
    Array.from({ length: count }, (_, at) => ({
      role: at % 2 === 0 ? 'user' : 'assistant',
      content: `Turn ${at}: ${'word '.repeat(words)}`,
    }));

  verifies('ask:bad-input', 'ten thousand short messages are all sent', async () => {
    const rig = await suite.rig();
    const asked = await rig.ask({ messages: [...said(10_000, 0), ...QUESTION.messages] });
    expect(asked.heard).toBe(NUMBERS);
    expect(asked.reports[0]?.notices).toEqual([]);
  });

  verifies(
    'ask:bad-input',
    'of ten thousand long messages the oldest are left out, and that is said',
    async () => {
      const rig = await suite.rig();
      const asked = await rig.ask({ messages: [...said(10_000, 200), ...QUESTION.messages] });
      expect(asked.heard).toBe(NUMBERS);
      expect(asked.reports[0]?.notices).toMatchObject([
        { code: 'messages_left_out', params: { which: 'oldest' } },
      ]);
    },
  );

  verifies('ask:bad-input', 'ten megabytes of blanks are a short question', async () => {
    const rig = await suite.rig();
    const blanks = ' '.repeat(10_000_000);
    const asked = await rig.ask({ messages: user(`${blanks}Say exactly: """${NUMBERS}"""`) });
    expect(asked.heard).toBe(NUMBERS);
  });

  verifies('ask:bad-input', 'a megabyte goes to a window that holds it', async () => {
    const rig = await suite.rig();
    const text = 'The ledger says more. '.repeat(80_000);
    const asked = await rig.ask({ messages: user(`${text}Say exactly: """${NUMBERS}"""`) });
    expect(asked.heard).toBe(NUMBERS);
    expect(asked.reports[0]).toMatchObject({ class: 'long_context', notices: [] });
  });
});

describe('who is not there any more', () => {
  verifies(
    'ask:bad-input',
    'a caller who has left before is told so, and nobody is asked',
    async () => {
      const rig = await suite.rig();
      const { error, reports } = await rig.ask(QUESTION, { signal: AbortSignal.abort() });
      expect(error?.class).toBe('cancelled');
      expect(reports).toMatchObject([{ attempts: [] }]);
      expect(rig.chats()).toEqual([]);
    },
  );

  verifies(
    'ask:bad-input',
    'a deadline that has passed is told so, and nobody is asked',
    async () => {
      const rig = await suite.rig();
      const { error, reports } = await rig.ask(QUESTION, { deadlineMs: -1 });
      expect(error).toMatchObject({
        class: 'timeout',
        message: 'The deadline of this call has passed.',
      });
      expect(reports).toMatchObject([{ attempts: [] }]);
      expect(rig.chats()).toEqual([]);
    },
  );
});

function noticesOf({ reports }: Asked): string {
  return (reports[0]?.notices ?? []).map((each) => baseRenderer.notice(each)).join('\n');
}
