import { expect, test } from 'vitest';
import type { Link } from './link/link.ts';
import { createFakeClock } from '../../test/fake-clock.ts';
import { withDaemon, type DaemonClient } from './daemon-client.ts';

type Message = { id?: number; method?: string; params?: Record<string, unknown> };

/** The other end of a link: what was sent, and a way to answer. */
function createDaemonSide() {
  const sent: Message[] = [];
  let toClient: (line: string) => void = () => undefined;
  let hangUp: (reason: string) => void = () => undefined;
  let isClosed = false;
  const answers = new Map<string, (message: Message) => void>();
  const link: Link = {
    welcome: { version: '0', instance: 'i', replay: [], notices: [{ text: 'A key is missing.' }] },
    send(line) {
      const message = JSON.parse(line) as Message;
      sent.push(message);
      answers.get(message.method ?? '')?.(message);
      return 'clear';
    },
    onLine: (listener) => void (toClient = listener),
    onClose: (listener) => void (hangUp = listener),
    onClear: () => undefined,
    pause: () => undefined,
    resume: () => undefined,
    close: () => void (isClosed = true),
    cut: () => void (isClosed = true),
    receivedBytes: 0,
  };
  const say = (message: object) => toClient(JSON.stringify({ jsonrpc: '2.0', ...message }));
  const on = (method: string, answer: (message: Message) => void) => answers.set(method, answer);
  on('initialize', ({ id }) => say({ id, result: { protocolVersion: '2025-11-25' } }));
  return {
    link,
    sent,
    say,
    on,
    raw: (line: string) => toClient(line),
    hangUp: (reason: string) => hangUp(reason),
    get isClosed() {
      return isClosed;
    },
  };
}

function using<T>(
  side: ReturnType<typeof createDaemonSide>,
  work: (client: DaemonClient) => Promise<T>,
  clock = createFakeClock(),
): Promise<T> {
  return withDaemon(() => Promise.resolve(side.link), clock, work);
}

test('MCP is opened once, before the first request, and the link is closed at the end', async () => {
  const side = createDaemonSide();
  side.on('tools/list', ({ id }) => side.say({ id, result: { tools: [] } }));
  const notices = await using(side, async (client) => {
    await client.request('tools/list', {});
    expect(await client.request('tools/list', {})).toEqual({ tools: [] });
    return client.notices;
  });
  expect(notices).toEqual([{ text: 'A key is missing.' }]);
  expect(side.sent.map(({ method }) => method)).toEqual([
    'initialize',
    'notifications/initialized',
    'tools/list',
    'tools/list',
  ]);
  expect(side.sent[0]?.params).toMatchObject({ protocolVersion: '2025-11-25' });
  expect(side.isClosed).toBe(true);
});

test('a method of our own needs no opening', async () => {
  const side = createDaemonSide();
  side.on('exai/access/list', ({ id }) => side.say({ id, result: { clients: [] } }));
  await using(side, (client) => client.request('exai/access/list', {}));
  expect(side.sent.map(({ method }) => method)).toEqual(['exai/access/list']);
});

test('answers find their requests in any order, and progress its call', async () => {
  const side = createDaemonSide();
  const asked: Message[] = [];
  side.on('tools/call', (message) => {
    asked.push(message);
    if (asked.length < 2) return;
    const [first, second] = asked;
    const progressToken = first?.id;
    const params = { progressToken, progress: 1, total: 2, message: 'half' };
    side.say({ method: 'notifications/progress', params });
    side.say({ method: 'notifications/progress', params: { progressToken: 'other' } });
    side.raw('not json');
    side.raw('null');
    side.say({ id: 99, result: 'nobody asked' });
    side.say({ id: second?.id, result: 'second' });
    side.say({ id: first?.id, result: 'first' });
    side.say({ id: first?.id, result: 'again' });
  });
  const steps: object[] = [];
  const results = await using(side, (client) =>
    Promise.all([
      client.request('tools/call', { name: 'a' }, { onProgress: (step) => void steps.push(step) }),
      client.request('tools/call', { name: 'b' }),
    ]),
  );
  expect(results).toEqual(['first', 'second']);
  expect(steps).toEqual([{ note: 'half', done: 1, total: 2 }]);
});

const PATIENT = { 'exai/wait': true, 'exai/whole': true };

test('a call waits as long as it takes and wants all of the answer, unless it is for the background', async () => {
  const side = createDaemonSide();
  side.on('tools/call', ({ id }) => side.say({ id, result: {} }));
  side.on('tools/list', ({ id }) => side.say({ id, result: {} }));
  const _meta = { 'exai/background': true };
  await using(side, async (client) => {
    await client.request('tools/call', { name: 'a' });
    await client.request('tools/call', { name: 'b' }, { onProgress: () => undefined });
    await client.request('tools/call', { name: 'c', _meta }, { onProgress: () => undefined });
    await client.request('tools/list', {});
  });
  const sent = side.sent.filter(({ method }) => method?.startsWith('tools/'));
  expect(sent.map(({ params }) => params)).toEqual([
    { name: 'a', _meta: PATIENT },
    { name: 'b', _meta: { ...PATIENT, progressToken: sent[1]?.id } },
    {
      name: 'c',
      _meta: { 'exai/whole': true, 'exai/background': true, progressToken: sent[2]?.id },
    },
    {},
  ]);
});

test('a failure keeps its class, its field and its fix', async () => {
  const side = createDaemonSide();
  const errors = [
    { code: -32602, message: 'No tool "x".', data: { error_class: 'not_found' } },
    { code: -31053, message: 'Taken.', data: { field: 'name', fix: 'Choose another.' } },
    { code: 7, message: 'Odd.' },
    undefined,
  ];
  side.on('exai/x', ({ id }) => side.say({ id, error: errors.shift() }));
  await using(side, async (client) => {
    const fail = () => client.request('exai/x', {});
    await expect(fail()).rejects.toMatchObject({ class: 'not_found', message: 'No tool "x".' });
    await expect(fail()).rejects.toMatchObject({
      class: 'conflict',
      field: 'name',
      fix: 'Choose another.',
    });
    await expect(fail()).rejects.toMatchObject({ class: 'bad_response', message: 'Odd.' });
    await expect(fail()).rejects.toMatchObject({ class: 'bad_response' });
  });
});

test('a cancelled request is cancelled at the daemon, and a late answer is ignored', async () => {
  const side = createDaemonSide();
  const controller = new AbortController();
  side.on('tools/call', () => controller.abort());
  await using(side, async (client) => {
    const call = client.request('tools/call', {}, { signal: controller.signal });
    await expect(call).rejects.toMatchObject({ class: 'cancelled' });
    const { id } = side.sent.find(({ method }) => method === 'tools/call') ?? {};
    expect(side.sent.at(-1)).toMatchObject({
      method: 'notifications/cancelled',
      params: { requestId: id },
    });
    side.say({ id, result: 'late' });
    const again = client.request('tools/call', {}, { signal: controller.signal });
    await expect(again).rejects.toMatchObject({ class: 'cancelled' });
  });
  expect(side.sent.filter(({ method }) => method === 'tools/call')).toHaveLength(1);
});

test('a request that takes too long is cancelled and named as late', async () => {
  const side = createDaemonSide();
  const clock = createFakeClock();
  side.on('exai/slow', () => queueMicrotask(() => clock.advance(5000)));
  const call = using(side, (client) => client.request('exai/slow', {}, { timeoutMs: 5000 }), clock);
  await expect(call).rejects.toMatchObject({
    class: 'timeout',
    fix: expect.stringContaining('exai status'),
  });
  expect(side.sent.at(-1)?.method).toBe('notifications/cancelled');
  expect(clock.waiting).toBe(0);
});

test('a time limit of silence starts again with each step, but not with signs of life', async () => {
  const side = createDaemonSide();
  const clock = createFakeClock();
  side.on('tools/call', ({ id: progressToken }) => {
    const report = (params: object) =>
      side.say({ method: 'notifications/progress', params: { progressToken, ...params } });
    queueMicrotask(() => {
      clock.advance(4000);
      report({ progress: 1, total: 500, message: 'indexing a.txt' });
      clock.advance(4000);
      report({ progress: 2, total: 500, message: 'indexing b.txt' });
      clock.advance(4000);
      report({ progress: 3, message: 'running, 12 s', _meta: { 'exai/phase': 'running' } });
      expect(side.sent.at(-1)?.method).toBe('tools/call');
      clock.advance(1000);
    });
  });
  const limit = { timeoutMs: 5000, timeoutOf: 'silence', onProgress: () => undefined } as const;
  const call = using(side, (client) => client.request('tools/call', {}, limit), clock);
  await expect(call).rejects.toMatchObject({
    class: 'timeout',
    message: 'No answer and no progress within 5 seconds; the call was cancelled.',
  });
  expect(side.sent.at(-1)?.method).toBe('notifications/cancelled');
  expect(clock.waiting).toBe(0);
});

test('a time limit of the answer is not extended by progress', async () => {
  const side = createDaemonSide();
  const clock = createFakeClock();
  side.on('tools/call', ({ id: progressToken }) => {
    queueMicrotask(() => {
      clock.advance(4000);
      side.say({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
      clock.advance(1000);
    });
  });
  const limit = { timeoutMs: 5000, onProgress: () => undefined };
  const call = using(side, (client) => client.request('tools/call', {}, limit), clock);
  await expect(call).rejects.toMatchObject({ class: 'timeout' });
});

test('a daemon that goes away answers everything that waits, and what comes after', async () => {
  const side = createDaemonSide();
  side.on('exai/two', () => side.hangUp('It was killed.'));
  await using(side, async (client) => {
    const first = client.request('exai/one', {});
    const second = client.request('exai/two', {});
    const gone = { class: 'network', message: expect.stringContaining('It was killed.') };
    await expect(first).rejects.toMatchObject(gone);
    await expect(second).rejects.toMatchObject(gone);
    await expect(client.request('exai/three', {})).rejects.toMatchObject(gone);
  });
});

test('a request of the daemon is answered with an error: a command line supports none', async () => {
  const side = createDaemonSide();
  side.on('exai/x', ({ id }) => {
    side.say({ id: 'q1', method: 'sampling/createMessage', params: {} });
    side.say({ method: 'notifications/message', params: {} });
    side.say({ id, result: 1 });
  });
  await using(side, (client) => client.request('exai/x', {}));
  expect(side.sent.at(-1)).toMatchObject({ id: 'q1', error: { code: -32601 } });
});

test('the link is closed also when the work fails', async () => {
  const side = createDaemonSide();
  await expect(using(side, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(side.isClosed).toBe(true);
});

test('an answer is streamed to a client that requests it, and to no other', async () => {
  const side = createDaemonSide();
  side.on('tools/call', ({ id }) => {
    const tell = (meta: unknown) => {
      const params = { progressToken: id, progress: 1, _meta: meta };
      side.say({ method: 'notifications/progress', params });
    };
    for (const meta of [{ 'exai/text': 'one' }, { 'exai/text': 7 }, 'odd', null]) tell(meta);
    side.say({ id, result: {} });
  });
  const steps: object[] = [];
  const onProgress = (step: object) => void steps.push(step);
  await using(side, async (client) => {
    await client.request('tools/call', { name: 'a' }, { onProgress, text: 'streamed' });
    await client.request('tools/call', { name: 'a' }, { onProgress });
  });
  expect(steps.slice(0, 4)).toEqual([
    { done: 1, text: 'one' },
    { done: 1 },
    { done: 1 },
    { done: 1 },
  ]);
  const asked = side.sent.filter(({ method }) => method === 'tools/call');
  expect(asked.map(({ params }) => params?.['_meta'])).toEqual([
    { progressToken: asked[0]?.id, 'exai/stream': true, ...PATIENT },
    { progressToken: asked[1]?.id, ...PATIENT },
  ]);
});
