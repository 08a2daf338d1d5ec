import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { verifies } from '../../../test/verifies.ts';
import type { HeaderList, HttpContext } from '../http/http-context.ts';
import { createRepeatedRequests } from './repeated-requests.ts';

interface Fake extends HttpContext {
  readonly sent: string[];
  leave(): void;
}

function fake(headers: Record<string, string> = {}, url = '/v1/chat/completions'): Fake {
  const sent: string[] = [];
  const context: Fake = {
    sent,
    request: { headers, url } as unknown as IncomingMessage,
    reqId: 'req_1',
    isOpen: true,
    error: undefined,
    onClose: undefined,
    bufferedBytes: 0,
    answer: (status: number, _type: string, body: string) => void sent.push(`${status} ${body}`),
    openStream: (_headers?: HeaderList) => void sent.push('head'),
    write: (text: string) => void sent.push(text),
    end: (last = '') => void sent.push(last, 'end'),
    destroy: () => void sent.push('destroyed'),
    leave: () => context.onClose?.(),
  };
  return context;
}

function open(settings: { idempotencyMs?: number; cacheMs?: number } = {}) {
  const clock = createFakeClock();
  const repeated = createRepeatedRequests({ clock, idempotencyMs: 1000, cacheMs: 0, ...settings });
  const works: HttpContext[] = [];
  const ask = (context: Fake, body: object = { a: 1 }, principal = 'ann') => {
    const json = { body, sha256: JSON.stringify(body) };
    const by = { caller: { principal, scopes: [], roots: [] }, session: 's' };
    repeated.serve(context, json, by, (shared) => void works.push(shared));
    return context;
  };
  return { clock, ask, works };
}

const keyed = () => fake({ 'idempotency-key': 'k1' });
const replayed = ({ moreHeaders = [] }: Fake) => moreHeaders.join(' ');

verifies('gateway:idempotency', 'the same request is answered once, also while it runs', () => {
  const { ask, works, clock } = open();
  const first = ask(keyed());
  works[0]?.openStream();
  works[0]?.write('Hel');
  const second = ask(keyed());
  works[0]?.end('lo');
  const third = ask(keyed());
  expect(works).toHaveLength(1);
  expect(first.sent).toEqual(['head', 'Hel', 'lo', 'end']);
  expect(second.sent).toEqual(['head', 'Hel', 'lo', 'end']);
  expect(third.sent).toEqual(['head', 'Hello', 'end']);
  expect([first, second, third].map(replayed)).toEqual([
    '',
    'idempotent-replayed true',
    'idempotent-replayed true',
  ]);
  clock.advance(1001);
  ask(keyed());
  expect(works).toHaveLength(2);
});

verifies(
  'gateway:idempotency',
  'another request with the key is refused, another client not',
  () => {
    const { ask, works } = open();
    ask(keyed());
    const conflict = expect.objectContaining({
      class: 'conflict',
      field: 'idempotency-key',
    }) as Error;
    expect(() => ask(keyed(), { a: 2 })).toThrow(conflict);
    expect(() => ask(fake({ 'idempotency-key': 'k1', 'x-exai-prefer': 'cost' }))).toThrow(conflict);
    works[0]?.answer(200, 'application/json', '{}');
    expect(() => ask(keyed(), { a: 2 })).toThrow(conflict);
    ask(keyed(), { a: 2 }, 'bob');
    expect(works).toHaveLength(2);
    expect(() => ask(fake({ 'idempotency-key': '' }))).toThrow(CallError);
  },
);

test('a failure is not kept, and work ends only when its last reader has left', () => {
  const { ask, works } = open();
  ask(keyed());
  works[0]?.answer(502, 'application/json', '{}');
  const first = ask(keyed());
  const second = ask(keyed());
  expect(works).toHaveLength(2);
  let closed = 0;
  const [, shared] = works;
  if (shared) shared.onClose = () => void (closed += 1);
  first.leave();
  expect([closed, shared?.isOpen]).toEqual([0, true]);
  second.leave();
  expect([closed, shared?.isOpen]).toEqual([1, false]);
  ask(keyed());
  expect(works).toHaveLength(3);
});

verifies('gateway:idempotency', 'a request whose answer is too long does not run twice', () => {
  const { ask, works } = open();
  ask(keyed());
  works[0]?.openStream();
  for (let at = 0; at < 5; at++) works[0]?.write('x'.repeat(1024 * 1024));
  const again = keyed();
  expect(() => ask(again)).toThrow(
    expect.objectContaining({ class: 'conflict', field: 'idempotency-key' }) as Error,
  );
  expect([works.length, replayed(again)]).toEqual([1, '']);
  works[0]?.end();
  expect(replayed(ask(keyed()))).toBe('');
  expect(works).toHaveLength(2);
});

verifies('gateway:idempotency', 'another anthropic-beta is another request', () => {
  const { ask } = open();
  ask(keyed());
  expect(() => ask(fake({ 'idempotency-key': 'k1', 'anthropic-beta': 'tools' }))).toThrow(
    expect.objectContaining({ class: 'conflict' }) as Error,
  );
});

test('answers of many clients have a limit together, and the largest client gives way', () => {
  const { ask, works } = open();
  const body = 'x'.repeat(4 * 1024 * 1024);
  const answerOf = (key: string, principal: string, text: string) => {
    const before = works.length;
    const context = ask(fake({ 'idempotency-key': key }), { a: 1 }, principal);
    works[before]?.answer(200, 'application/json', text);
    return replayed(context);
  };
  answerOf('small', 'ann', '{}');
  for (let client = 0; client < 9; client++)
    for (let at = 0; at < 4; at++) answerOf(`k${at}`, `client ${client}`, body);
  expect(answerOf('small', 'ann', '{}')).toBe('idempotent-replayed true');
  const isKept = Array.from({ length: 9 }, (_, client) => answerOf('k0', `client ${client}`, '{}'));
  expect(isKept.filter((headers) => headers === '').length).toBeGreaterThanOrEqual(4);
});

test('a stream that fails is not kept', () => {
  const { ask, works } = open();
  ask(keyed());
  const [shared] = works;
  shared?.openStream();
  if (shared) shared.error = new CallError('interrupted', 'Gone.');
  shared?.end('event: error');
  ask(keyed());
  expect(works).toHaveLength(2);
});

verifies('gateway:cache', 'only the same request of the same client is reused', () => {
  const { ask, works, clock } = open({ cacheMs: 500 });
  const miss = ask(fake());
  works[0]?.answer(200, 'application/json', '{"x":1}');
  const hit = ask(fake());
  expect([replayed(miss), replayed(hit), hit.sent]).toEqual([
    'x-exai-cache miss',
    'x-exai-cache hit',
    ['200 {"x":1}'],
  ]);
  ask(fake(), { a: 2 });
  ask(fake(), { a: 1 }, 'bob');
  ask(fake({ 'cache-control': 'no-cache' }));
  ask(fake({}, '/v1/responses'));
  ask(fake(), { tools: [{}] });
  ask(fake(), { tools: [{}] });
  expect(works).toHaveLength(7);
  clock.advance(501);
  ask(fake());
  expect(works).toHaveLength(8);
});

test('without the settings nothing is recorded', () => {
  const { ask, works } = open({ idempotencyMs: 0 });
  const context = ask(keyed());
  ask(keyed());
  expect(works[0]).toBe(context);
  expect(works).toHaveLength(2);
});
