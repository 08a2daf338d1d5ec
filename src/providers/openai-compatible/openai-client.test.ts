import { describe, expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import type { ErrorClass } from '#core/errors/error-class.ts';
import { notice } from '#core/messages/notices.ts';
import { estimateTokens } from '#models/estimate-tokens.ts';
import { verifies } from '../../../test/verifies.ts';
import { delta, KEY, sse, clientTo, type Answer } from './streaming-request.fixture.ts';

const json = { 'content-type': 'application/json' };
const whole = (message: object, finish = 'stop', more: object = {}): Answer => ({
  headers: json,
  pieces: [
    JSON.stringify({
      id: 'c1',
      model: 'm',
      choices: [{ message, finish_reason: finish }],
      ...more,
    }),
  ],
});
const hello = [
  ...sse(
    delta({ role: 'assistant', content: '' }),
    delta({ content: 'Hel' }),
    delta({ content: 'lo.' }),
  ),
];
const usage = { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 };

const AGAIN = notice('text', { text: 'Again.' });

describe('a streamed answer', () => {
  test('comes as events that end with usage and finish', async () => {
    const { ask, requests, exchanges } = clientTo(() => ({
      headers: { 'msh-request-id': 'r-1' },
      pieces: [...hello, ...sse(delta({}, 'stop'), { choices: [], usage }, '[DONE]')],
    }));
    expect(await ask()).toEqual({
      is: 'answered',
      finish: 'stop',
      answer: {
        model: 'm',
        text: 'Hello.',
        reasoning: '',
        reasoningDetails: [],
        toolCalls: [],
        citations: [],
        notices: [],
        usage: { input: 5, output: 3, cached: 0, reasoning: 0, estimated: false },
      },
    });
    expect(requests[0]).toMatchObject({
      method: 'POST',
      url: 'https://kimi.test/v1/chat/completions',
      headers: { authorization: `Bearer ${KEY}`, accept: 'text/event-stream' },
    });
    expect(exchanges).toEqual([
      {
        provider: 'kimi',
        operation: 'chat',
        model: 'kimi-k3',
        elapsedMs: 0,
        firstTokenMs: 0,
        status: 200,
        outcome: 'ok',
        vendorIds: { 'msh-request-id': 'r-1' },
      },
    ]);
  });

  test.each([
    ['in the choice', sse({ choices: [{ delta: {}, finish_reason: 'stop', usage }] })],
    ['beside the choice', sse({ choices: [{ delta: {}, finish_reason: 'stop' }], usage })],
    ['in a chunk without choices', sse(delta({}, 'stop'), { choices: [], usage })],
  ])('has its usage, which stands %s', async (_where, last) => {
    const { ask } = clientTo(() => ({ pieces: [...hello, ...last, ...sse('[DONE]')] }));
    expect((await ask()).answer.usage).toEqual({
      input: 5,
      output: 3,
      cached: 0,
      reasoning: 0,
      estimated: false,
    });
  });

  test('has estimated usage when the vendor counts nothing', async () => {
    const { ask } = clientTo(() => ({ pieces: [...hello, ...sse(delta({}, 'stop'))] }));
    expect((await ask()).answer.usage).toMatchObject({
      estimated: true,
      output: estimateTokens('Hello.'),
    });
  });

  test('may be one piece of JSON after all', async () => {
    const { ask } = clientTo(() => whole({ content: 'Hello.' }, 'stop', { usage }));
    expect(await ask()).toMatchObject({ is: 'answered', answer: { text: 'Hello.' } });
  });

  test('gives tool calls that were written as text, and nothing of their text', async () => {
    const { ask } = clientTo(() => ({
      pieces: [
        ...sse(
          delta({ content: '<tool_' }),
          delta({ content: 'call>{"name":"add","arguments":{"a":1}}</tool_call>' }),
          delta({}, 'stop'),
        ),
      ],
    }));
    expect(await ask({ tools: ['add'] })).toMatchObject({
      finish: 'tool_calls',
      answer: { text: '', toolCalls: [{ name: 'add', arguments: '{"a":1}' }] },
    });
  });

  test('keeps text that only looked like a call', async () => {
    const { ask } = clientTo(() => ({
      pieces: sse(delta({ content: '{"name":' }), delta({ content: '"x"}' }), delta({}, 'stop')),
    }));
    expect((await ask({ tools: ['add'] })).answer.text).toBe('{"name":"x"}');
  });

  test('ends with its finish event, though the connection stays open', async () => {
    const { ask, clock, open } = clientTo(() => ({
      pieces: [...hello, ...sse(delta({}, 'stop'), '[DONE]')],
      hangs: true,
    }));
    const asked = ask();
    await clock.untilWaiting();
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(1000);
    expect(await asked).toMatchObject({ is: 'answered', answer: { text: 'Hello.' } });
    expect(open.bodies).toBe(0);
  });

  test('is whole when the connection breaks after the finish reason', async () => {
    const { ask } = clientTo(() => ({
      pieces: [...hello, ...sse(delta({}, 'stop'))],
      breaks: new CallError('network', 'reset'),
    }));
    expect(await ask()).toMatchObject({ is: 'answered', finish: 'stop' });
  });
});

interface Fault {
  readonly what: string;
  readonly answer: Answer;
  readonly class: ErrorClass;
  readonly text: string;
}

const FAULTS: readonly Fault[] = [
  {
    what: 'a clean end in the middle',
    answer: { pieces: hello },
    class: 'interrupted',
    text: 'Hello.',
  },
  { what: 'a clean end before anything', answer: { pieces: [] }, class: 'network', text: '' },
  {
    what: '[DONE] without a finish',
    answer: { pieces: [...hello, ...sse('[DONE]')] },
    class: 'interrupted',
    text: 'Hello.',
  },
  {
    what: 'a cut in the middle',
    answer: { pieces: hello, breaks: new CallError('network', 'reset') },
    class: 'interrupted',
    text: 'Hello.',
  },
  {
    what: 'a cut before anything',
    answer: { breaks: new CallError('network', 'reset') },
    class: 'network',
    text: '',
  },
  {
    what: 'an empty answer',
    answer: { pieces: sse(delta({}, 'stop'), '[DONE]') },
    class: 'empty_response',
    text: '',
  },
  {
    what: 'blanks alone',
    answer: { pieces: sse(delta({ content: ' \n' }, 'stop'), '[DONE]') },
    class: 'empty_response',
    text: ' \n',
  },
  {
    what: 'thoughts alone',
    answer: { pieces: sse(delta({ reasoning_content: 'Hm' }, 'length'), '[DONE]') },
    class: 'empty_response',
    text: '',
  },
  {
    what: 'an error as the first event',
    answer: { pieces: sse({ error: { code: 502, message: 'upstream' } }) },
    class: 'provider_error',
    text: '',
  },
  {
    what: 'an error after content',
    answer: { pieces: [...hello, ...sse({ error: { code: 429, message: 'slow' } })] },
    class: 'rate_limit',
    text: 'Hello.',
  },
  {
    what: 'an error event with a bare text',
    answer: { pieces: ['event: error\ndata: "gone"\n\n'] },
    class: 'provider_error',
    text: '',
  },
  {
    what: 'no JSON as the first event',
    answer: { pieces: sse('{"a":') },
    class: 'bad_response',
    text: '',
  },
  {
    what: 'a filtered answer',
    answer: { pieces: [...hello, ...sse(delta({}, 'sensitive'))] },
    class: 'content_filter',
    text: 'Hello.',
  },
  {
    what: 'a failed inference',
    answer: { pieces: [...hello, ...sse(delta({}, 'network_error'))] },
    class: 'provider_error',
    text: 'Hello.',
  },
  {
    what: 'HTML in place of JSON',
    answer: { headers: json, pieces: ['<html>'] },
    class: 'bad_response',
    text: '',
  },
  {
    what: '200 with an error',
    answer: { headers: json, pieces: ['{"error":{"code":503,"message":"none"}}'] },
    class: 'overloaded',
    text: '',
  },
];

describe('an answer that is none', () => {
  for (const { what, answer, class: expected, text } of FAULTS) {
    verifies(
      'wire:never-quiet',
      `${what} is ${expected}, and the text before it is kept`,
      async () => {
        const { ask, exchanges, open } = clientTo(() => answer);
        const outcome = await ask();
        expect(outcome).toMatchObject({
          is: 'failed',
          error: { class: expected, provider: 'kimi' },
          answer: { text },
        });
        expect(exchanges).toMatchObject([{ outcome: expected }]);
        expect(open.bodies).toBe(0);
      },
    );
  }

  test('an event after content that is cut off breaks the answer: a piece of it is lost', async () => {
    const { ask } = clientTo(() => ({
      pieces: [...hello, ...sse('{"a":', delta({ content: ' Bye.' }, 'stop'))],
    }));
    expect(await ask()).toMatchObject({
      is: 'failed',
      error: { class: 'interrupted' },
      answer: { text: 'Hello.' },
    });
  });

  test('noise after content is skipped with a notice', async () => {
    const { ask } = clientTo(() => ({
      pieces: [...hello, ...sse('keep-alive', delta({ content: ' Bye.' }, 'stop'))],
    }));
    expect(await ask()).toMatchObject({
      is: 'answered',
      answer: {
        text: 'Hello. Bye.',
        notices: [notice('piece_unreadable', { model: 'Kimi' })],
      },
    });
  });

  test('an unknown finish reason gets a notice', async () => {
    const { ask } = clientTo(() => ({ pieces: [...hello, ...sse(delta({}, 'bored'))] }));
    expect(await ask()).toMatchObject({
      finish: 'stop',
      answer: { notices: [notice('finish_reason_unknown', { model: 'Kimi', reason: 'bored' })] },
    });
  });
});

describe('time', () => {
  verifies(
    'wire:timers',
    'no token at all ends with timeout, and the connection is closed',
    async () => {
      const { ask, clock, open } = clientTo(() => ({
        pieces: [': ping\n\n', ...sse(delta({ role: 'assistant' }))],
        hangs: true,
      }));
      const asked = ask();
      await clock.untilWaiting();
      clock.advance(30_000);
      expect(await asked).toMatchObject({ is: 'failed', error: { class: 'timeout' } });
      expect([open.bodies, clock.waiting]).toEqual([0, 0]);
    },
  );

  verifies(
    'wire:timers',
    'silence in the middle is an interruption that keeps the text',
    async () => {
      const { ask, clock, open } = clientTo(() => ({ pieces: hello, hangs: true }));
      const asked = ask();
      await clock.untilWaiting();
      await new Promise((resolve) => setImmediate(resolve));
      clock.advance(10_000);
      expect(await asked).toMatchObject({
        is: 'failed',
        error: { class: 'interrupted' },
        answer: { text: 'Hello.' },
      });
      expect([open.bodies, clock.waiting]).toEqual([0, 0]);
    },
  );

  verifies(
    'ask:model-timeouts',
    'keep-alive comments alone do not keep a stream open for ever',
    async () => {
      const { ask, clock } = clientTo(() => ({
        pieces: [': ping\n\n', ': ping\n\n'],
        hangs: true,
      }));
      const asked = ask();
      await clock.untilWaiting();
      await new Promise((resolve) => setImmediate(resolve));
      clock.advance(30_000);
      expect(await asked).toMatchObject({ is: 'failed', error: { class: 'timeout' } });
    },
  );

  verifies('wire:timers', 'the deadline ends a whole answer that never comes', async () => {
    const { ask, clock } = clientTo(() => ({ headers: json, hangs: true }));
    const asked = ask({ delivery: 'whole' });
    await clock.untilWaiting();
    clock.advance(90_000);
    expect(await asked).toMatchObject({ is: 'failed', error: { class: 'timeout' } });
    expect(clock.waiting).toBe(0);
  });

  test('a cancellation is a cancellation, whatever was emitted before', async () => {
    const { ask, controller, clock, open } = clientTo(() => ({ pieces: hello, hangs: true }));
    const asked = ask();
    await clock.untilWaiting();
    controller.abort(new CallError('cancelled', 'The caller left.'));
    expect(await asked).toMatchObject({
      is: 'failed',
      error: { class: 'cancelled', message: 'The caller left.' },
    });
    expect([open.bodies, clock.waiting]).toEqual([0, 0]);
  });

  verifies('net:released', 'a reader that stops leaves nothing behind', async () => {
    const { events, clock, open, exchanges } = clientTo(() => ({ pieces: hello, hangs: true }));
    for await (const event of events()) if (event.type === 'text') break;
    expect([open.bodies, clock.waiting]).toEqual([0, 0]);
    expect(exchanges).toMatchObject([{ outcome: 'cancelled' }]);
  });
});

describe('several rounds', () => {
  test('are one answer with the usage of all', async () => {
    const { ask, requests } = clientTo((_request, number) => ({
      pieces: sse(
        delta({ content: number === 1 ? 'Well' : 'Done' }, 'stop'),
        { choices: [], usage },
        '[DONE]',
      ),
    }));
    const outcome = await ask({
      first: { body: { n: 1 }, hold: 'text' },
      next: ({ step: round }) => (round === 1 ? { body: { n: 2 }, notices: [AGAIN] } : undefined),
    });
    expect(outcome).toMatchObject({
      answer: { text: 'Done', notices: [AGAIN], usage: { input: 10, output: 6 } },
    });
    expect(requests.map(({ body }) => body)).toEqual(['{"n":1}', '{"n":2}']);
  });
});

test('a connection that fails before the first token is reported with the vendor’s name and a fix', async () => {
  const breaks = new CallError('network', '127.0.0.1:1 hung up.', { provider: 'kimi' });
  const { ask } = clientTo(() => ({ breaks }));
  expect(await ask()).toMatchObject({
    is: 'failed',
    error: {
      class: 'network',
      provider: 'kimi',
      message: 'Kimi did not answer: 127.0.0.1:1 hung up.',
      fix: 'Try again, or check the network and its proxies with: exai doctor',
    },
  });
  const fix = 'Try http:// instead of https://.';
  const known = clientTo(() => ({ breaks: new CallError('network', 'No TLS.', { fix }) }));
  expect(await known.ask()).toMatchObject({ error: { fix } });
});
