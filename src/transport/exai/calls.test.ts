import { expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { ERROR_CLASSES } from '#core/errors/error-class.ts';
import { verifies } from '../../../test/verifies.ts';
import { exaiErrorCode } from './frames.ts';
import { welcomedExai, settled, type SentFrame } from './fake-session.fixture.ts';

verifies(
  'exai:frames',
  'a call is reported, acknowledged when it runs, and answered once',
  async () => {
    const { say, take, started, clock } = await welcomedExai();
    const t = clock.now() / 1000;
    say({
      op: 'call_tool',
      request_id: 'r1',
      name: 'status_EXAI-WS',
      arguments: { tail_lines: 3 },
    });
    const accepted = { request_id: 'r1', name: 'status' };
    expect(take()).toEqual([
      { op: 'progress', ...accepted, t, note: 'accepted, awaiting capacity' },
    ]);
    const [call] = started;
    expect(call?.request).toMatchObject({
      tool: 'status_EXAI-WS',
      args: { tail_lines: 3 },
      transport: 'ws',
      session: 'session-1',
      caller: { principal: 'local' },
    });
    call?.admit(90_000);
    expect(take()).toEqual([{ op: 'call_tool_ack', ...accepted, accepted: true, timeout: 90 }]);
    call?.request.onProgress?.({ note: 'reading', done: 1, total: 4 });
    expect(take()).toEqual([
      { op: 'progress', ...accepted, t, note: 'reading', done: 1, total: 4 },
    ]);
    call?.answer({ text: 'All "well".' });
    await settled();
    expect(take()).toEqual([
      {
        op: 'call_tool_res',
        request_id: 'r1',
        outputs: [{ type: 'text', text: 'All "well".' }],
        text: 'All "well".',
        envelope: expect.objectContaining({ status: 'success', req_id: 'req_0' }) as object,
      },
    ]);
    call?.admit();
    call?.request.onProgress?.({ note: 'too late' });
    expect(take()).toEqual([]);
  },
);

test('the plain text is left out where it is not wanted', async () => {
  const { say, take, started } = await welcomedExai({ compatText: false });
  say({ op: 'call_tool', request_id: 1, name: 'status' });
  started[0]?.answer();
  await settled();
  const result = take().at(-1);
  expect(result).toMatchObject({ op: 'call_tool_res', outputs: [{ text: 'done' }] });
  expect(result).not.toHaveProperty('text');
});

test.each([
  [{ arguments: { a: 1 } }, { a: 1 }],
  [{ args: { a: 1 } }, { a: 1 }],
  [{ arguments: null, args: { a: 1 } }, { a: 1 }],
  [{ arguments: { a: 1 }, args: { b: 1 } }, { a: 1 }],
  [{}, {}],
  [{ arguments: 'a text' }, 'a text'],
])('arguments of %j are %j', async (given, args) => {
  const { say, started } = await welcomedExai();
  say({ op: 'tool_call', request_id: 1, name: 'status', ...given });
  expect(started[0]?.request.args).toEqual(args);
});

test.each([
  ['none', undefined],
  ['null', null],
  ['empty', ''],
  ['endless', 'x'.repeat(257)],
  ['a fraction', 1.5],
  ['too large to come back as it was', 2 ** 53],
  ['an object', {}],
  ['a list', [1]],
  ['true', true],
])('a request_id that is %s is refused', async (_, request_id) => {
  const { say, take, started } = await welcomedExai();
  say({ op: 'call_tool', request_id, name: 'status' });
  say({ op: 'cancel', request_id });
  const error = { op: 'error', code: 'INVALID_REQUEST' };
  expect(take()).toMatchObject([error, error]);
  expect(started).toEqual([]);
});

test('a call without a name is answered as one', async () => {
  const { say, take, started } = await welcomedExai();
  say({ op: 'call_tool', request_id: 1 });
  expect(take()).toMatchObject([
    {
      op: 'call_tool_res',
      request_id: 1,
      outputs: [{ type: 'text', text: 'name must be the name of a tool.' }],
      envelope: { status: 'error', error_class: 'validation' },
      error: { code: 'VALIDATION_ERROR', error_class: 'validation', metadata: { field: 'name' } },
    },
  ]);
  expect(started).toEqual([]);
});

verifies(
  'exai:many',
  'forty calls run at once on one socket and are answered in any order',
  async () => {
    const { say, take, started } = await welcomedExai();
    for (let id = 0; id < 40; id++) say({ op: 'call_tool', request_id: id, name: 'status' });
    expect(started.length).toBe(40);
    take();
    for (const call of started.toReversed()) call.answer();
    await settled();
    const ids = take().map(({ request_id }) => request_id);
    expect(ids).toEqual(Array.from({ length: 40 }, (_, index) => 39 - index));
  },
);

verifies('exai:many', 'a call over the limit gets a retry time, and does not count', async () => {
  const { say, take, started } = await welcomedExai();
  for (let id = 0; id < 1024; id++) say({ op: 'call_tool', request_id: id, name: 'status' });
  take();
  say({ op: 'call_tool', request_id: 'more', name: 'status' });
  expect(take()).toMatchObject([
    {
      op: 'call_tool_res',
      request_id: 'more',
      error: { code: 'OVER_CAPACITY', error_class: 'over_capacity', retry_after: 1 },
    },
  ]);
  started[0]?.answer();
  await settled();
  take();
  say({ op: 'call_tool', request_id: 'more', name: 'status' });
  expect(take()).toMatchObject([{ op: 'progress', request_id: 'more' }]);
});

verifies(
  'exai:many',
  'a repeated call gets progress that it still runs, and one answer',
  async () => {
    const { say, take, started } = await welcomedExai();
    const call = { op: 'call_tool', request_id: 1, name: 'status', arguments: { a: [1] } };
    say(call);
    take();
    say({ ...call, name: 'status_EXAI-WS' });
    expect(take()).toMatchObject([
      { op: 'progress', request_id: 1, note: 'duplicate request; still processing' },
    ]);
    started[0]?.answer();
    await settled();
    expect([started.length, results(take()).length]).toEqual([1, 1]);
  },
);

verifies(
  'exai:many',
  'another call under an id that is taken is refused without another answer',
  async () => {
    const { say, take, started } = await welcomedExai();
    const call = { op: 'call_tool', request_id: 1, name: 'status' };
    say({ ...call, arguments: { a: 1 } });
    take();
    say({ ...call, arguments: { a: 2 } });
    say({ ...call, name: 'other', arguments: { a: 1 } });
    say({ ...call, name: 7 });
    const duplicate = { op: 'error', code: 'DUPLICATE', request_id: 1 };
    expect(take()).toMatchObject([duplicate, duplicate, duplicate]);
    say({ ...call, request_id: '1' });
    expect(started.length).toBe(2);
  },
);

test('arguments nested without end can be repeated without harm', async () => {
  const { say, take } = await welcomedExai();
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  const text = `{"op":"call_tool","request_id":1,"name":"status","arguments":{"a":${deep}}}`;
  say(text);
  take();
  say(text);
  expect(take()).toMatchObject([{ op: 'error', code: 'DUPLICATE' }]);
});

test('an id is free again when its call is answered', async () => {
  const { say, take, started } = await welcomedExai();
  for (const answered of [0, 1]) {
    say({ op: 'call_tool', request_id: 1, name: 'status' });
    started[answered]?.answer();
    await settled();
  }
  expect(results(take()).length).toBe(2);
});

verifies('calls:cancel', 'a cancel stops the call, which is answered once', async () => {
  const { say, take, started } = await welcomedExai();
  say({ op: 'call_tool', request_id: 1, name: 'status' });
  take();
  say({ op: 'cancel', request_id: 1 });
  say({ op: 'cancel', request_id: 1 });
  await settled();
  expect(started[0]?.wasCancelled).toBe(true);
  const cancelled = { op: 'cancelled', request_id: 1, ok: true };
  expect(take()).toMatchObject([
    cancelled,
    cancelled,
    { op: 'call_tool_res', request_id: 1, error: { code: 'CANCELLED', error_class: 'cancelled' } },
  ]);
});

verifies('exai:frames', 'a cancel of what is not running finds nothing', async () => {
  const { say, take } = await welcomedExai();
  say({ op: 'cancel', request_id: 'unknown' });
  expect(take()).toEqual([
    { op: 'cancelled', request_id: 'unknown', ok: false, error: 'not_found' },
  ]);
});

verifies('exai:frames', 'a failure carries its code, its class and the way out', async () => {
  const { say, take, started } = await welcomedExai();
  say({ op: 'call_tool', request_id: 1, name: 'status' });
  started[0]?.fail(
    new CallError('rate_limit', 'Slow down.', { retryAfterMs: 2500, provider: 'glm' }),
  );
  await settled();
  expect(take().at(-1)).toMatchObject({
    op: 'call_tool_res',
    outputs: [{ type: 'text', text: 'Slow down.' }],
    error: {
      code: 'PROVIDER_ERROR',
      message: 'Slow down.',
      error_class: 'rate_limit',
      retry_after: 2.5,
      metadata: { provider: 'glm' },
    },
  });
});

test('what is not found is the tool, unless the call was running', async () => {
  const { say, take, started } = await welcomedExai();
  const missing = new CallError('not_found', 'No such thing.');
  say({ op: 'call_tool', request_id: 1, name: 'a\nstranger' });
  say({ op: 'call_tool', request_id: 2, name: 'status' });
  started[1]?.admit();
  for (const call of started) call.fail(missing);
  await settled();
  const sent = take();
  expect(sent[0]).toMatchObject({ op: 'progress', name: 'a stranger' });
  expect(results(sent)).toMatchObject([
    { error: { code: 'TOOL_NOT_FOUND' } },
    { error: { code: 'NOT_FOUND' } },
  ]);
});

test.each(ERROR_CLASSES)('class %s has a code', (errorClass) => {
  expect(exaiErrorCode(errorClass, 'refused')).toMatch(/^[A-Z]+(_[A-Z]+)*$/);
});

test.each([
  ['resend_prompt', { code: 'RESEND_PROMPT', message: 'Too long.' }],
  ['code_too_large', { code: 'CODE_TOO_LARGE', message: 'Too long.' }],
  ['focused_review_required', undefined],
])('a tool that ends as %s', async (status, error) => {
  const { say, take, started } = await welcomedExai();
  say({ op: 'call_tool', request_id: 1, name: 'status' });
  const envelope = { status, tool: 'status', attempt: 0, req_id: 'req_0', content: null };
  started[0]?.answer({ text: 'Too long.', envelope });
  await settled();
  expect(take().at(-1)?.['error']).toEqual(error);
});

test('content that no JSON can hold is an error, and still an answer', async () => {
  const { say, take, started, logged } = await welcomedExai();
  say({ op: 'call_tool', request_id: 1, name: 'status' });
  const envelope = { status: 'success', tool: 'status', attempt: 0, req_id: 'req_7', content: 1n };
  started[0]?.answer({ envelope });
  await settled();
  expect(take().at(-1)).toMatchObject({
    op: 'call_tool_res',
    envelope: { status: 'error', error_class: 'internal', req_id: 'req_7' },
    error: { code: 'EXEC_ERROR' },
  });
  expect(logged).toEqual(['exai_answer_unwritable']);
});

test('a life of calls that throws is answered without its secrets', async () => {
  const { say, take, calls } = await welcomedExai();
  calls.start = () => {
    throw new TypeError('sk-secret');
  };
  say({ op: 'call_tool', request_id: 1, name: 'status' });
  const sent = take();
  expect(results(sent)).toMatchObject([{ error: { code: 'EXEC_ERROR' } }]);
  expect(JSON.stringify(sent)).not.toContain('sk-secret');
});

test('running calls are reported every eight seconds, by one timer, while there are any', async () => {
  const { say, take, started, clock } = await welcomedExai();
  say({ op: 'call_tool', request_id: 1, name: 'status' });
  say({ op: 'call_tool', request_id: 2, name: 'status' });
  started[0]?.admit();
  take();
  expect(clock.waiting).toBe(1);
  clock.advance(8000);
  expect(take()).toMatchObject([
    { op: 'progress', request_id: 1, note: 'running, 8 s' },
    { op: 'progress', request_id: 2, note: 'awaiting capacity, 8 s' },
  ]);
  started[0]?.answer();
  await settled();
  take();
  clock.advance(8000);
  expect(take()).toMatchObject([{ request_id: 2, note: 'awaiting capacity, 16 s' }]);
  started[1]?.answer();
  await settled();
  take();
  clock.advance(8000);
  expect([take(), clock.waiting]).toEqual([[], 0]);
});

test('a client that reads slowly is spared the progress, never the answer', async () => {
  const { say, take, started, state, clock } = await welcomedExai();
  state.isClear = false;
  say({ op: 'call_tool', request_id: 1, name: 'status' });
  started[0]?.request.onProgress?.({ note: 'reading' });
  clock.advance(8000);
  expect(take()).toEqual([]);
  started[0]?.admit();
  started[0]?.answer();
  await settled();
  expect(take().map(({ op }) => op)).toEqual(['call_tool_ack', 'call_tool_res']);
});

test('the pieces of an answer are no progress here, what is noted beside them is', async () => {
  const { say, take, started } = await welcomedExai();
  say({ op: 'call_tool', request_id: 1, name: 'status' });
  take();
  for (const text of ['one ', 'two']) started[0]?.request.onProgress?.({ text });
  expect(take()).toEqual([]);
  started[0]?.request.onProgress?.({ text: 'three', note: 'another goes on' });
  const [told] = take();
  expect(told).toMatchObject({ op: 'progress', note: 'another goes on' });
  expect(told).not.toHaveProperty('text');
});

test('a daemon that stops answers what runs and refuses what comes', async () => {
  const { say, take, started, session } = await welcomedExai();
  say({ op: 'call_tool', request_id: 1, name: 'status' });
  take();
  let drained = false;
  const done = session.drain().then(() => (drained = true));
  say({ op: 'call_tool', request_id: 2, name: 'status' });
  await settled();
  expect(take()).toMatchObject([
    { op: 'call_tool_res', request_id: 2, error: { code: 'OVER_CAPACITY', retry_after: 1 } },
  ]);
  expect(drained).toBe(false);
  started[0]?.answer();
  await done;
  expect(results(take()).length).toBe(1);
  await session.drain();
});

function results(frames: readonly SentFrame[]): SentFrame[] {
  return frames.filter(({ op }) => op === 'call_tool_res');
}
