import { describe, expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { notice } from '#core/messages/notices.ts';
import { collectChat } from '../../../test/collect-chat.ts';
import { createSecret } from '#core/secrets/secret.ts';
import { readArguments } from '#core/json/model-json.ts';
import { verifies } from '../../../test/verifies.ts';
import { createResponseParser } from './response/response-parser.ts';
import { delta, KEY, sse, clientTo } from './streaming-request.fixture.ts';
import { tapIterator } from '#core/async-iterators.ts';
import { createSseReader } from './response/sse-reader.ts';
import { createToolCallAssembler } from './response/tool-call-assembler.ts';
import type { AcquirePermit } from './client-options.ts';

const done = sse(delta({ content: 'Hello.' }, 'stop'), '[DONE]');
const json = { 'content-type': 'application/json' };

/** A pool with one permit, which is taken. */
function fullPool() {
  let places = 0;
  const waiting: (() => void)[] = [];
  const acquirePermit: AcquirePermit = (signal) =>
    new Promise((resolve, reject) => {
      const take = () => {
        places -= 1;
        resolve(() => void (places += 1));
      };
      waiting.push(take);
      signal.addEventListener('abort', () => {
        waiting.splice(waiting.indexOf(take), 1);
        reject(signal.reason as Error);
      });
    });
  return {
    acquirePermit,
    open: () => waiting.splice(0).forEach((take) => take()),
    places: () => places,
  };
}

describe('standing in line for a vendor', () => {
  verifies(
    'wire:timers',
    'ends with the deadline, which is our limit and not its timeout',
    async () => {
      const { acquirePermit } = fullPool();
      const { ask, clock, requests } = clientTo(() => ({ pieces: done }), { acquirePermit });
      const asked = ask();
      await clock.untilWaiting();
      clock.advance(90_000);
      expect(await asked).toMatchObject({ is: 'failed', error: { class: 'over_capacity' } });
      expect([requests.length, clock.waiting]).toEqual([0, 0]);
    },
  );

  verifies('net:released', 'a caller that leaves takes no permit and sends nothing', async () => {
    const { acquirePermit, open, places } = fullPool();
    const { events, clock, requests } = clientTo(() => ({ pieces: done }), { acquirePermit });
    const reading = events()[Symbol.asyncIterator]();
    const first = reading.next();
    await clock.untilWaiting();
    await reading.return?.();
    open();
    expect(await first).toMatchObject({ done: true });
    expect([requests.length, places(), clock.waiting]).toEqual([0, 0, 0]);
  });

  verifies('net:released', 'a place that came too late is given back', async () => {
    let give: ((leave: () => void) => void) | undefined;
    let isOut = true;
    const acquirePermit: AcquirePermit = () => new Promise((resolve) => (give = resolve));
    const { events, requests } = clientTo(() => ({ pieces: done }), { acquirePermit });
    const reading = events()[Symbol.asyncIterator]();
    const first = reading.next();
    await expect.poll(() => give).toBeTypeOf('function');
    await reading.return?.();
    give?.(() => (isOut = false));
    await first;
    expect([isOut, requests.length]).toEqual([false, 0]);
  });

  test('for too long ends with the error of the permit pool', async () => {
    const { acquirePermit } = fullPool();
    const ours = new CallError('over_capacity', 'limits.kimi is 1.', { field: 'limits.kimi' });
    const told = async (more: { acquirePermit: AcquirePermit }) => {
      const { client, context, clock } = clientTo(() => ({ pieces: done }), more);
      const plan = { model: 'm', delivery: 'stream', tools: [], first: { body: {} } } as const;
      const asked = collectChat(client.chat(plan, { ...context, queueMs: 2000 }));
      await clock.untilWaiting();
      clock.advance(2000);
      const outcome = await asked;
      return outcome.is === 'failed' ? outcome.error.message : '';
    };
    const tooLong = () => ours;
    expect(
      await told({ acquirePermit: Object.assign(acquirePermit, { queueTimeoutError: tooLong }) }),
    ).toBe('limits.kimi is 1.');
    expect(await told(fullPool())).toMatch(/^No place became free in time/);
  });

  test('takes nothing from the timeout for the first token', async () => {
    const { acquirePermit, open } = fullPool();
    const { ask, clock } = clientTo(() => ({ pieces: done }), { acquirePermit });
    const asked = ask();
    await clock.untilWaiting();
    clock.advance(60_000);
    open();
    expect(await asked).toMatchObject({ is: 'answered' });
  });
});

describe('leaving', () => {
  verifies('net:released', 'between two rounds asks for no second one', async () => {
    const { events, clock, requests, open } = clientTo(() => ({ pieces: done, hangs: true }));
    const next = ({ body }: { body: object }) => ({ body: { ...body } });
    const reading = events({ next })[Symbol.asyncIterator]();
    await reading.next();
    await reading.next();
    const pending = reading.next();
    await new Promise((resolve) => setImmediate(resolve));
    await reading.return?.();
    clock.advance(1000);
    expect(await pending).toMatchObject({ done: true });
    expect([requests.length, open.bodies, clock.waiting]).toEqual([1, 0, 0]);
  });

  test('what is only handed on ends its source at once', async () => {
    let isOpen = true;
    const source: AsyncIterableIterator<number> = {
      next: () => new Promise(() => undefined),
      return: () => Promise.resolve({ done: true, value: void (isOpen = false) }),
      [Symbol.asyncIterator]: () => source,
    };
    const reading = tapIterator(source, {});
    void reading.next();
    await reading.return?.();
    expect(isOpen).toBe(false);
  });
});

describe('a refusal whose body', () => {
  const limited = { status: 429, headers: { 'retry-after': '7' } };
  verifies('wire:errors', 'breaks off is classified by its status', async () => {
    const { ask } = clientTo(() => ({
      ...limited,
      pieces: ['{"err'],
      breaks: new CallError('network', 'reset'),
    }));
    expect(await ask()).toMatchObject({ error: { class: 'rate_limit', retryAfterMs: 7000 } });
  });

  verifies('wire:errors', 'does not end is classified by its status', async () => {
    const { ask } = clientTo(() => ({
      ...limited,
      pieces: Array.from({ length: 40 }, () => 'x'.repeat(65_536)),
    }));
    expect(await ask()).toMatchObject({ error: { class: 'rate_limit', retryAfterMs: 7000 } });
  });

  verifies('wire:errors', 'trickles is waited for a second, and no longer', async () => {
    const { ask, clock } = clientTo(() => ({ ...limited, pieces: ['{'], hangs: true }));
    const asked = ask();
    await clock.untilWaiting();
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(1000);
    expect(await asked).toMatchObject({ error: { class: 'rate_limit', retryAfterMs: 7000 } });
    expect(clock.waiting).toBe(0);
  });

  test('points elsewhere is an error, and the key is not sent there', async () => {
    const { ask, requests } = clientTo(() => ({
      status: 302,
      headers: { location: 'https://evil.test/x?y' },
    }));
    expect(await ask()).toMatchObject({
      error: {
        class: 'not_configured',
        message: 'Kimi sends requests elsewhere to evil.test (302).',
      },
    });
    expect(requests).toHaveLength(1);
  });

  test('is HTML where a stream was requested is not a closed connection', async () => {
    const { ask } = clientTo(() => ({
      headers: { 'content-type': 'text/html' },
      pieces: ['<html>'],
    }));
    expect(await ask()).toMatchObject({ error: { class: 'bad_response' } });
  });
});

describe('what a failed answer cost', () => {
  const usage = { prompt_tokens: 5, completion_tokens: 3 };
  verifies('wire:never-quiet', 'is reported when the vendor withheld it', async () => {
    const { ask } = clientTo(() => ({
      pieces: sse(delta({ content: 'No' }, 'sensitive'), { choices: [], usage }),
    }));
    expect(await ask()).toMatchObject({ is: 'failed', answer: { usage: { input: 5, output: 3 } } });
  });

  verifies('wire:never-quiet', 'is reported for every step when none was good enough', async () => {
    const { ask } = clientTo(() => ({
      pieces: sse(delta({ content: 'x' }, 'stop'), { choices: [], usage }),
    }));
    const outcome = await ask({
      next: ({ step: round, body }) => {
        if (round < 3) return { body };
        throw new CallError('bad_response', 'Never.');
      },
    });
    expect(outcome).toMatchObject({
      error: { class: 'bad_response' },
      answer: { usage: { input: 15, output: 9 } },
    });
  });
});

describe('a hostile vendor', () => {
  verifies(
    'keys:isolation',
    'that sends the key back in an id or an error gets it nowhere',
    async () => {
      const { ask, exchanges } = clientTo(() => ({
        status: 404,
        headers: { 'msh-request-id': `r-${KEY}` },
        pieces: [
          JSON.stringify({
            error: { type: KEY, code: KEY, message: `${'"x'.repeat(400)}" ${KEY}` },
          }),
        ],
      }));
      const outcome = await ask();
      const shown = JSON.stringify([outcome.is === 'failed' && outcome.error, exchanges]);
      expect(shown).not.toContain(KEY.slice(0, 12));
    },
  );

  test.each([
    ['text that begins like a call', '{"name": "'],
    ['blanks', '         '],
  ])('that sends %s in 100,000 pieces is read to its end', (_what, beginning) => {
    const reader = createResponseParser({ tools: ['add'], marks: [] });
    const events: never[] = [];
    for (let i = 0; i < 50_000; i += 1)
      reader.take({ choices: [{ delta: { content: i === 0 ? beginning : 'xxxxxxxx ' } }] }, events);
    for (let i = 0; i < 50_000; i += 1)
      reader.take({ choices: [{ delta: { content: '         ' } }] }, events);
    reader.end(events);
    expect(reader.turn().text).toHaveLength(beginning.length + 49_999 * 9 + 50_000 * 9);
  });

  test('that sends one line of 8 MB in small packets is read to its end', () => {
    const reader = createSseReader();
    const piece = Buffer.alloc(1460, 'x');
    reader.push(Buffer.from('data: '));
    for (let i = 0; i < 5700; i += 1) reader.push(piece);
    expect(reader.end()[0]?.data).toHaveLength(5700 * 1460);
  });

  test('that writes a call as text without a bottom has written a text', async () => {
    const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
    const content = `{"name":"add","arguments":${deep}}`;
    const { ask } = clientTo(() => ({ pieces: sse(delta({ content }, 'stop')) }));
    expect(await ask({ tools: ['add'] })).toMatchObject({
      is: 'answered',
      answer: { text: content },
    });
  });

  test('that calls itself by the key has no name', async () => {
    const { ask } = clientTo(() => ({
      pieces: sse({ ...delta({ content: 'x' }, 'stop'), model: KEY }),
    }));
    expect((await ask()).answer.model).toBe('');
  });

  test('that makes too many calls is refused, and none of 256 loses its arguments', () => {
    const assembler = createToolCallAssembler(() => 'a');
    for (let index = 0; index < 256; index += 1)
      assembler.take({ index, id: `c${index}`, function: { name: 'add', arguments: '{"a":' } });
    for (let index = 0; index < 256; index += 1)
      assembler.take({ index, function: { arguments: '1}' } });
    expect(new Set(assembler.calls().map((call) => call.arguments))).toEqual(new Set(['{"a":1}']));
    expect(() => assembler.take({ index: 256, id: 'x', function: { name: 'add' } })).toThrow(
      expect.objectContaining({ class: 'bad_response' }) as Error,
    );
  });

  test('that nests arguments without end is refused', async () => {
    const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
    const call = `{"index":0,"id":"x","function":{"name":"add","arguments":${deep}}}`;
    const { ask } = clientTo(() => ({
      headers: json,
      pieces: [`{"choices":[{"message":{"tool_calls":[${call}]},"finish_reason":"tool_calls"}]}`],
    }));
    expect(await ask({ delivery: 'whole', tools: ['add'] })).toMatchObject({
      error: { class: 'bad_response' },
    });
  });

  test('that counts beyond all measure is not believed', async () => {
    const usage = { prompt_tokens: 1e308, completion_tokens: 4, cost: 1e308 };
    const { ask } = clientTo(() => ({
      pieces: sse({ ...delta({ content: 'x' }, 'stop'), usage }),
    }));
    expect((await ask()).answer.usage).toEqual({
      input: 0,
      output: 4,
      cached: 0,
      reasoning: 0,
      estimated: false,
    });
  });

  test('that answers several times is taken by its first answer', async () => {
    const other = { choices: [{ index: 1, delta: { content: 'Other.' } }] };
    const { ask } = clientTo(() => ({ pieces: [...sse(other), ...done] }));
    expect((await ask()).answer.text).toBe('Hello.');
  });

  test('that writes arguments which are not JSON gets a notice', async () => {
    const call = { index: 0, id: 'x', function: { name: 'add', arguments: '{"city"' } };
    const { ask } = clientTo(() => ({ pieces: sse(delta({ tool_calls: [call] }, 'tool_calls')) }));
    expect(await ask({ tools: ['add'] })).toMatchObject({
      finish: 'tool_calls',
      answer: { notices: [notice('tool_arguments_invalid', { model: 'Kimi', tool: 'add' })] },
    });
  });
});

test('an abort with any reason is a cancellation', async () => {
  const { ask, controller, clock } = clientTo(() => ({ hangs: true }));
  const asked = ask();
  await clock.untilWaiting();
  controller.abort(new Error('whatever'));
  expect(await asked).toMatchObject({ error: { class: 'cancelled' } });
});

test('fenced arguments of any length are read', () => {
  expect(readArguments(`\`\`\`${' '.repeat(200_000)}x`).is).toBe('unreadable');
  expect(readArguments('```json\n{"a": 1}\n```')).toEqual({ is: 'read', value: { a: 1 } });
});

test('a secret knows itself', () => {
  const secret = createSecret(KEY);
  expect([secret.isIn(`x${KEY}y`), secret.isIn('x'), createSecret('').isIn('')]).toEqual([
    true,
    false,
    false,
  ]);
});

test.each([
  ['204 without a body', { status: 204 }, 'bad_response'],
  [
    'usage alone',
    { pieces: sse({ usage: { prompt_tokens: 1, completion_tokens: 0 } }) },
    'bad_response',
  ],
  ['choices that are null', { pieces: sse({ choices: null }, '[DONE]') }, 'bad_response'],
  ['a choice without anything', { pieces: sse(delta({}), '[DONE]') }, 'empty_response'],
  ['nothing at all', { pieces: [] }, 'network'],
] as const)('%s is no lost connection', async (_, answer, errorClass) => {
  const { ask } = clientTo(() => answer);
  expect(await ask()).toMatchObject({ is: 'failed', error: { class: errorClass } });
});

verifies('ask:calls', 'a follow-up request beyond the limit is not sent', async () => {
  const { client, context, requests } = clientTo(() => ({ pieces: done }));
  let left = 2;
  const vendorCalls = {
    max: 2,
    count: () => void (left -= 1),
    get left() {
      return left;
    },
  };
  const again = { body: {}, hold: 'text' } as const;
  const plan = {
    model: 'm',
    delivery: 'stream',
    tools: [],
    first: again,
    next: () => again,
  } as const;
  expect(await collectChat(client.chat(plan, { ...context, vendorCalls }))).toMatchObject({
    is: 'failed',
    error: { class: 'bad_response', reason: { code: 'vendor_calls_used_up', params: { max: 2 } } },
  });
  expect(requests).toHaveLength(2);
});

verifies('ask:calls', 'a request is not sent where others used the rest meanwhile', async () => {
  const { client, context, requests } = clientTo(() => ({ pieces: done }));
  const vendorCalls = { max: 2, left: 0, count: () => undefined };
  const plan = { model: 'm', delivery: 'stream', tools: [], first: { body: {} } } as const;
  expect(await collectChat(client.chat(plan, { ...context, vendorCalls }))).toMatchObject({
    is: 'failed',
    error: { class: 'bad_response', reason: { code: 'vendor_calls_used_up' } },
  });
  expect(requests).toHaveLength(0);
});
