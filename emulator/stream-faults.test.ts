import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventsOf, kimi, readAll, type Loose } from './emulator.fixture.ts';
import { startEmulator, type Emulator } from './start.ts';

let emulator: Emulator;

beforeAll(async () => {
  emulator = await startEmulator({});
});
afterAll(() => emulator.close());

const TEXT = 'Grüße 你好 👋 done';

function stream(fault: string, signal?: AbortSignal) {
  const { at, headers } = kimi(emulator);
  return readAll(at('/chat/completions'), {
    body: {
      model: 'kimi-k2.6',
      thinking: { type: 'disabled' },
      stream: true,
      messages: [{ role: 'user', content: `Say exactly: ${TEXT}` }],
    },
    headers: fault === '' ? headers : { ...headers, 'x-emulate-fault': fault },
    ...(signal === undefined ? {} : { signal }),
  });
}

const textOf = (events: readonly Loose[]): string =>
  events.map((event) => event.choices[0]?.delta.content ?? '').join('');

/**
 * As the standard reads a stream: any line end, comments and unknown fields passed over, data lines
 * joined.
 */
function parseSse(text: string): string[] {
  const events: string[] = [];
  let data: string[] = [];
  for (const line of text.replace(/^\uFEFF/, '').split(/\r\n|\n/)) {
    if (line === '' && data.length > 0) {
      events.push(data.join('\n'));
      data = [];
    }
    if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5));
  }
  return data.length > 0 ? [...events, data.join('\n')] : events;
}

describe('streams', () => {
  test('a good one has its text and ends with [DONE]', async () => {
    const { text, ended } = await stream('');
    expect(ended).toBe('well');
    expect(textOf(eventsOf(text))).toBe(TEXT);
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  });

  test.each([
    'split',
    'burst',
    'crlf',
    'comments',
    'bom',
    'multiline',
    'nospace',
    'fields',
    'nonewline',
    'nochoices',
    'role',
  ])('F6.%s changes how it looks and not what it says', async (kind) => {
    const { text, ended } = await stream(`F6.${kind}`);
    expect(ended).toBe('well');
    const events = parseSse(text);
    expect(events.at(-1)).toBe('[DONE]');
    expect(textOf(events.slice(0, -1).map((event) => JSON.parse(event)))).toBe(TEXT);
    expect(text).not.toBe((await stream('')).text);
  });

  test('F6.split writes single bytes, so that a character comes in pieces', async () => {
    const { at, headers } = kimi(emulator);
    const response = await fetch(at('/chat/completions'), {
      method: 'POST',
      headers: { ...headers, 'x-emulate-fault': 'F6.split' },
      body: JSON.stringify({
        model: 'kimi-k2.6',
        stream: true,
        messages: [{ role: 'user', content: 'Say exactly: ü' }],
      }),
    });
    let smallest = Infinity;
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>)
      smallest = Math.min(smallest, chunk.length);
    expect(smallest).toBe(1);
  });

  test('F6.malformed puts one event that is no JSON after N, and goes on', async () => {
    const { text } = await stream('F6.malformed;after=2');
    const events = parseSse(text);
    expect(() => JSON.parse(events[2] ?? '') as unknown).toThrow('JSON');
    events.splice(2, 1);
    expect(textOf(events.slice(0, -1).map((event) => JSON.parse(event)))).toBe(TEXT);
  });

  test('F5.cut destroys the socket after N events', async () => {
    const { text, ended } = await stream('F5.cut;after=3');
    expect(ended).toBe('broken');
    expect(eventsOf(text)).toHaveLength(3);
  });

  test('F5.cut with 0 events leaves the headers and nothing else', async () => {
    const { text, ended } = await stream('F5.cut;after=0');
    expect([eventsOf(text), ended]).toEqual([[], 'broken']);
  });

  test('F5.end ends cleanly after N events, without finish and [DONE]', async () => {
    const { text, ended } = await stream('F5.end;after=3');
    expect(ended).toBe('well');
    expect(eventsOf(text).map((event) => event.choices[0].finish_reason)).toEqual([
      null,
      null,
      null,
    ]);
    expect(text).not.toContain('[DONE]');
  });

  test('F5.nodone has everything but [DONE]', async () => {
    const { text } = await stream('F5.nodone');
    expect(eventsOf(text).at(-1).choices[0].finish_reason).toBe('stop');
    expect(text).not.toContain('[DONE]');
  });

  test.each([
    ['F5.stall;after=2', 2],
    ['F5.headers', 0],
  ])('%s is silent after %i events while the socket stays open', async (fault, count) => {
    const { at, headers } = kimi(emulator);
    const leaving = new AbortController();
    const response = await fetch(at('/chat/completions'), {
      method: 'POST',
      headers: { ...headers, 'x-emulate-fault': fault },
      body: JSON.stringify({
        model: 'kimi-k2.6',
        stream: true,
        messages: [{ role: 'user', content: 'Hello' }],
      }),
      signal: leaving.signal,
    });
    expect(response.status).toBe(200);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    let text = '';
    while (eventsOf(text).length < count)
      text += Buffer.from((await reader.read()).value ?? []).toString('utf8');
    const more = reader.read().then(
      () => 'more',
      () => 'aborted',
    );
    for (let turns = 0; turns < 20; turns += 1) await new Promise(setImmediate);
    leaving.abort();
    expect(await more).toBe('aborted');
  });

  test('F5.reset breaks the connection before any header', async () => {
    await expect(stream('F5.reset')).rejects.toThrow('fetch failed');
  });

  test('F5.silent never answers, and notices that the client left', async () => {
    const leaving = new AbortController();
    const waiting = stream('F5.silent', leaving.signal);
    const failed = waiting.catch((error: unknown) => String(error));
    while (emulator.requests().at(-1)?.fault?.id !== 'F5.silent') await new Promise(setImmediate);
    leaving.abort();
    expect(await failed).toContain('abort');
    while (emulator.requests().at(-1)?.left !== true) await new Promise(setImmediate);
    expect(emulator.requests().at(-1)?.status).toBe(0);
  });

  test.each([
    ['F11.error', 0],
    ['F11.error;after=3', 3],
  ])('%s is an error in the stream after %i events, and the end', async (fault, count) => {
    const { text, ended } = await stream(fault);
    const events = eventsOf(text);
    expect(ended).toBe('well');
    expect(events).toHaveLength(count + 1);
    expect(events.at(-1).error.message).toEqual(expect.any(String));
    expect(text).not.toContain('[DONE]');
  });

  test('slow waits before each event', async () => {
    const before = performance.now();
    const { text } = await stream('slow;chunkMs=5;firstMs=5');
    expect(performance.now() - before).toBeGreaterThan(eventsOf(text).length * 4);
  });
});

describe('JSON answers', () => {
  const ask = (fault: string) =>
    kimi(emulator).chat('Say exactly: hello', {}, { 'x-emulate-fault': fault });

  test.each(['F5.cutbody', 'F5.cut', 'F5.lengthlong'])('%s breaks the body off', async (fault) => {
    await expect(ask(fault)).rejects.toThrow(/terminated|failed/);
  });

  test.each(['F5.lengthshort', 'F5.end', 'F6.malformed'])(
    '%s leaves what is no JSON',
    async (fault) => {
      const { status, json, text } = await ask(fault);
      expect([status, json]).toEqual([200, undefined]);
      expect(text).toMatch(/^\{"id"/);
    },
  );

  test.each(['F6.split', 'F6.bom', 'F5.nodone'])(
    '%s does no harm to what it says',
    async (fault) => {
      expect((await ask(fault)).json.choices[0].message.content).toBe('hello');
    },
  );

  test.each([
    ['F4.504', 504, 'text/html', '<html>'],
    ['F4.502', 502, 'text/plain', ''],
    ['F4.503', 503, 'text/plain', ''],
    ['F4.500', 500, 'application/json', '{"error":{"message":"internal failure","type":""}}'],
  ])('%s is a %i of a gateway', async (fault, status, type, begin) => {
    const answer = await ask(fault);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, type]);
    expect(answer.text.startsWith(begin)).toBe(true);
  });

  test('F11.error is 200 with an error', async () => {
    const { status, json } = await ask('F11.error;code=503');
    expect([status, json.error.code]).toEqual([200, 503]);
  });
});
