import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { CallError } from '#core/errors/call-error.ts';
import { failureOf, get, httpFor, serve, textOf } from '../net.fixture.ts';
import { answering, chunksOf, folder, player, post, recorder } from './record.fixture.ts';

verifies('net:record', 'a response is replayed, chunk by chunk', async () => {
  const server = await serve((request, response) => {
    void textOf(request).then(() => {
      response.writeHead(200, { 'x-trace-id': 'abc', 'set-cookie': 'session=1' });
      response.write('data: one\n\n');
      setImmediate(() => response.end('data: [DONE]\n\n'));
    });
  });
  const kept = folder();
  const http = recorder(httpFor(), kept);
  const request = post('{"model":"m"}', { url: `${server.url}/v1/chat/completions` });
  const live = await chunksOf(http, request);
  await http.close();
  expect([...kept.files.keys()]).toEqual([
    expect.stringMatching(/^000001-post-v1-chat-completions-[0-9a-f]{8}\.json$/),
  ]);
  const replayed = await player(kept).send(post('{"model":"m"}'));
  expect([replayed.status, replayed.headers['x-trace-id']]).toEqual([200, 'abc']);
  const chunks: string[] = [];
  for await (const chunk of replayed.body) chunks.push(Buffer.from(chunk).toString());
  expect(chunks).toEqual(live);
});

verifies(
  'net:record',
  'bytes that are no text, and letters cut in two, are replayed exactly',
  async () => {
    const letters = Buffer.from('{"ä":"汉"}');
    const bytes = [...letters].map((byte) => Uint8Array.of(byte));
    const chunks = [...bytes, Uint8Array.of(0xff, 0x00), new Uint8Array()];
    const kept = folder();
    const http = recorder(answering(chunks), kept);
    await chunksOf(http, post('{}'));
    await http.close();
    expect(await chunksOf(player(kept), post('{}'))).toEqual(
      chunks.map((chunk) => Buffer.from(chunk).toString('latin1')),
    );
  },
);

verifies('net:record', 'the same request in other words is the same request', async () => {
  const kept = folder();
  const http = recorder(answering([Buffer.from('yes')]), kept);
  await chunksOf(http, post('{"a":1,"b":[{"c":2,"d":3}]}', { url: 'https://one.test/v1/x?key=a' }));
  const form = (boundary: string) =>
    post(Buffer.from(`--${boundary}\r\n\r\nfile\r\n--${boundary}--`), {
      headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` },
    });
  await chunksOf(http, form('first'));
  await http.close();
  const replay = player(kept);
  const other = post('{ "b": [{"d":3, "c":2}], "a": 1 }', {
    url: 'http://127.0.0.1:9/v1/x?key=b',
    headers: {},
  });
  expect(await chunksOf(replay, other)).toEqual(['yes']);
  expect(await chunksOf(replay, form('second'))).toEqual(['yes']);
});

verifies(
  'net:record',
  'answers to one request come in their order, the last one again',
  async () => {
    const kept = folder();
    for (const word of ['one', 'two', 'three']) {
      const http = recorder(answering([Buffer.from(word)]), kept);
      await chunksOf(http, post('{}'));
      await http.close();
    }
    const replay = player(kept);
    const answers = [];
    for (let round = 0; round < 4; round += 1)
      answers.push(...(await chunksOf(replay, post('{}'))));
    expect(answers).toEqual(['one', 'two', 'three', 'three']);
  },
);

describe('failures', () => {
  test('are replayed with their class, after what came before them', async () => {
    const kept = folder();
    const http = recorder(answering([Buffer.from('part')], new CallError('network', 'cut')), kept);
    await failureOf(chunksOf(http, post('{}')));
    await http.close();
    const { body } = await player(kept).send(post('{}'));
    const iterator = body[Symbol.asyncIterator]();
    expect(Buffer.from((await iterator.next()).value ?? []).toString()).toBe('part');
    expect(await failureOf(iterator.next())).toMatchObject({ class: 'network', message: 'cut' });
  });

  test('before an answer are replayed as well', async () => {
    const kept = folder();
    const refused = new CallError('timeout', 'too slow');
    const http = recorder(
      { send: () => Promise.reject(refused), close: () => Promise.resolve() },
      kept,
    );
    expect(await failureOf(http.send(post('{}')))).toBe(refused);
    await http.close();
    expect(await failureOf(player(kept).send(post('{}')))).toMatchObject({
      class: 'timeout',
      message: 'too slow',
    });
  });

  test('of writing do not disturb the exchange', async () => {
    const failures: CallError[] = [];
    const kept = {
      ...folder(),
      write: () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOSPC' })),
    };
    const http = recorder(answering([Buffer.from('fine')]), kept, failures);
    expect(await chunksOf(http, post('{}'))).toEqual(['fine']);
    await http.close();
    expect(failures.map((error) => error.class)).toEqual(['over_capacity']);
  });

  test('of reading the folder do not disturb the exchange, and are tried again', async () => {
    const failures: CallError[] = [];
    const kept = folder();
    let tries = 0;
    const flaky = {
      ...kept,
      list: () =>
        (tries += 1) < 3
          ? Promise.reject(Object.assign(new Error('x'), { code: 'EMFILE' }))
          : kept.list(),
    };
    const http = recorder(answering([Buffer.from('fine')]), flaky, failures);
    expect(await Promise.all([1, 2].map(() => chunksOf(http, post('{}'))))).toEqual([
      ['fine'],
      ['fine'],
    ]);
    expect([failures.length, tries]).toEqual([1, 1]);
    for (let round = 0; round < 3; round += 1) await chunksOf(http, post('{}'));
    await http.close();
    expect(failures.map((error) => error.class)).toEqual(['over_capacity', 'over_capacity']);
    expect([kept.files.size, tries]).toEqual([2, 3]);
  });

  test('of an address are for the network to tell', async () => {
    const kept = folder();
    const error = await failureOf(recorder(httpFor(), kept).send(get('nowhere')));
    expect(error.message).toBe('The address is not a URL.');
    expect(kept.files.size).toBe(0);
  });

  test('an unknown request is an error that says how to record it', async () => {
    const kept = folder();
    const http = recorder(answering([Buffer.from('x')]), kept);
    await chunksOf(http, post('{"a":1}'));
    await http.close();
    const error = await failureOf(player(kept).send(post('{"a":2}')));
    expect(error.class).toBe('not_found');
    expect(error.message).toMatch(
      /^There is no recording of POST \/v1\/chat\/completions with this body \([0-9a-f]{12}\); the folder has 1 of this path, each with another body\.$/,
    );
    expect(error.fix).toContain('EXAI_RECORD');
    const elsewhere = await failureOf(
      player(kept).send(get('https://a.test/v2/models?token=hidden')),
    );
    expect(elsewhere.message).toContain('no request to this path');
    expect(elsewhere.message).not.toContain('hidden');
  });

  test.each(['', 'null', '{}', '{"version":2}', '[]', '{"version":1,"request":{}}'])(
    'a damaged recording (%j) is named',
    async (text) => {
      const kept = folder();
      kept.files.set('000001-x.json', text);
      const error = await failureOf(player(kept).send(post('{}')));
      expect([error.class, error.message]).toEqual([
        'validation',
        'The recording 000001-x.json is damaged.',
      ]);
    },
  );

  test('files of another kind are let be', async () => {
    const kept = folder();
    kept.files.set('README.md', 'hello');
    expect((await failureOf(player(kept).send(post('{}')))).class).toBe('not_found');
  });
});

test('a reader that stops early is recorded as far as it read, and the source is released', async () => {
  let left = false;
  const source = answering([]);
  const kept = folder();
  const http = recorder(
    {
      ...source,
      send: async () => ({
        status: 200,
        headers: {},
        text: () => Promise.reject(new Error('not used')),
        body: {
          [Symbol.asyncIterator]: () => ({
            next: async () => ({ done: false, value: Buffer.from('more') }),
            return: async () => ({ done: (left = true), value: undefined }),
          }),
        },
      }),
    },
    kept,
  );
  for await (const chunk of (await http.send(post('{}'))).body) if (chunk.length > 0) break;
  await http.close();
  expect(left).toBe(true);
  const { body } = await player(kept).send(post('{}'));
  const iterator = body[Symbol.asyncIterator]();
  await iterator.next();
  expect((await failureOf(iterator.next())).class).toBe('interrupted');
});

test('an aborted request gets the reason from a replay too', async () => {
  const kept = folder();
  const http = recorder(answering([Buffer.from('a'), Buffer.from('b')]), kept);
  await chunksOf(http, post('{}'));
  await http.close();
  const stop = new AbortController();
  const { body } = await player(kept).send(post('{}', { signal: stop.signal }));
  const iterator = body[Symbol.asyncIterator]();
  await iterator.next();
  stop.abort(new CallError('cancelled', 'gone'));
  expect((await failureOf(iterator.next())).message).toBe('gone');
  expect((await failureOf(player(kept).send(post('{}', { signal: stop.signal })))).message).toBe(
    'gone',
  );
});

test('a player that was closed refuses', async () => {
  const replay = player(folder());
  await replay.close();
  expect((await failureOf(replay.send(post('{}')))).class).toBe('interrupted');
});
