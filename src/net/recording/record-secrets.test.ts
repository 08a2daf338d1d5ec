import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Http } from '#core/net/http.ts';
import { failureOf, textOf } from '../net.fixture.ts';
import { answering, chunksOf, folder, KEY, player, post, recorder } from './record.fixture.ts';
import { createReplay } from './replay.ts';
import { createScrub } from './scrub.ts';

const LONG_KEY = 'sk-4f7Qz1hLw9XcVb2nTgY8';

const guarding = (http: Http, to: ReturnType<typeof folder>) => recorder(http, to, [], LONG_KEY);

verifies('net:record', 'no key is in a recording, wherever it stood', async () => {
  const echo = Buffer.from(
    `data: {"error":"bad key ${KEY} and ${JSON.stringify(KEY).slice(1, -1)}"}\n\n`,
  );
  const chunks = [...echo].map((byte) => Uint8Array.of(byte));
  const kept = folder();
  const http = recorder(
    answering(chunks, undefined, {
      'set-cookie': 'session=topsecret',
      'x-echo': KEY,
      'x-session-token': 'topsecret',
    }),
    kept,
  );
  const headers = {
    authorization: `Bearer ${KEY}`,
    cookie: 'id=topsecret',
    'x-api-key': 'topsecret',
    'x-note': `has ${KEY}`,
  };
  const url = `https://user:topsecret@api.vendor.test/v1?key=topsecret&q=${encodeURIComponent(KEY)}&access_token=topsecret#topsecret`;
  const body = {
    api_key: 'topsecret',
    messages: [{ content: `my key is ${KEY}`, [KEY]: { password: 'topsecret' } }],
    b: btoa(KEY),
  };
  await chunksOf(http, post(JSON.stringify(body), { url, headers }));
  const form = `--xyz\r\ncontent-disposition: form-data; name="file"\r\n\r\n${KEY}\r\n--xyz--`;
  async function* pieces() {
    for (const byte of Buffer.from(form)) yield Uint8Array.of(byte);
  }
  await chunksOf(
    http,
    post(pieces(), { headers: { 'content-type': 'multipart/form-data; boundary=xyz' } }),
  );
  const broken = recorder(answering([], new CallError('network', `no route for ${KEY}`)), kept);
  await failureOf(chunksOf(broken, post('x')));
  await http.close();
  await broken.close();
  expect(kept.files.size).toBe(3);
  const texts = kept.all();
  for (const secret of [
    KEY,
    JSON.stringify(KEY).slice(1, -1),
    JSON.stringify(JSON.stringify(KEY)).slice(3, -3),
    encodeURIComponent(KEY),
    btoa(KEY),
    'topsecret',
  ]) {
    expect(texts).not.toContain(secret);
  }
  const bytes = [...kept.files.values()].flatMap((text) => {
    const taped = JSON.parse(text) as {
      response?: { chunks: { text?: string; base64?: string }[] };
    };
    return (
      taped.response?.chunks.map(({ text: plain, base64 }) => plain ?? atob(base64 ?? '')) ?? []
    );
  });
  expect(bytes.join('')).not.toContain(KEY);
  expect(bytes.join('')).toHaveLength(2 * echo.length);
});

verifies('net:record', 'a piece of a key is in no recording either', async () => {
  const kept = folder();
  const quotes = ['sk-4f7Qz***', '…hLw9Xc…', 'ends with 2nTgY8', 'twice: 4f7Qz1h 4f7Qz1h'];
  const text = JSON.stringify({ error: quotes, harmless: 'sk-4f' });
  const http = guarding(
    answering([Buffer.from(text)], new CallError('network', 'no way for sk-4f7Qz…'), {
      'x-key-hint': 'anything',
      'x-note': 'used 4f7Qz1hLw…',
    }),
    kept,
  );
  await failureOf(chunksOf(http, post('{"messages":["it said sk-4f7Qz***"]}')));
  await http.close();
  for (const piece of ['4f7Qz1', 'sk-4f7', 'hLw9Xc', '2nTgY8'])
    expect(kept.all()).not.toContain(piece);
  const [file = ''] = kept.files.values();
  const taped = JSON.parse(file) as { response: { chunks: { text: string }[] } };
  const [chunk] = taped.response.chunks;
  expect(chunk?.text).toHaveLength(text.length);
  expect(JSON.parse(chunk?.text ?? '')).toEqual({
    error: ['***********', '…******…', 'ends with ******', 'twice: ******* *******'],
    harmless: 'sk-4f',
  });
});

test('a request is recorded without what its names hide, and with its counts', async () => {
  const kept = folder();
  const http = guarding(answering([Buffer.from('yes')]), kept);
  await chunksOf(
    http,
    post('{"max_tokens":5,"token":7,"user_token":"topsecret","a":{"pwd":["x"]}}'),
  );
  await http.close();
  const [file = ''] = kept.files.values();
  expect((JSON.parse(file) as { request: { body: unknown } }).request.body).toEqual({
    max_tokens: 5,
    token: '[redacted]',
    user_token: '[redacted]',
    a: { pwd: ['[redacted]'] },
  });
});

verifies('net:record', 'a request is found again though the key is another by then', async () => {
  const kept = folder();
  const body = '{"messages":["it said sk-4f7Qz***"]}';
  const http = guarding(answering([Buffer.from('yes')]), kept);
  await chunksOf(http, post(body));
  await http.close();
  expect(await chunksOf(createReplay({ folder: kept, secrets: () => [] }), post(body))).toEqual([
    'yes',
  ]);
});

describe('what an answer gives away', () => {
  async function recorded(text: string, headers: Record<string, string>) {
    const kept = folder();
    const chunks = [...Buffer.from(text)].map((byte) => Uint8Array.of(byte));
    const http = guarding(answering(chunks, undefined, headers), kept);
    await chunksOf(http, post('{}'));
    await http.close();
    const response = await player(kept).send(post('{}'));
    return { headers: response.headers, text: await textOf(response.body) };
  }

  verifies('net:record', 'in JSON is blacked out by its name, and stays JSON', async () => {
    const json = {
      api_key: 'topsecret',
      data: [{ 'Refresh-Token': 'top\\"secret', token_count: 7, note: 'secret' }],
      secret: { a: ['topsecret', 12_345, true, null], b: { c: 'topsecret' } },
      password: -12.5,
      url: 'https://user:topsecret@files.test/a?X-Signature=topsecret&page=2',
      prose: 'see https://a.test/?key=none',
      last: 'kept',
    };
    for (const spaces of [0, 2]) {
      const text = JSON.stringify(json, null, spaces);
      const kept = await recorded(text, { 'content-type': 'application/json' });
      expect(kept.text).toHaveLength(text.length);
      expect(kept.text).not.toContain('topsecret');
      expect(JSON.parse(kept.text)).toEqual({
        ...json,
        api_key: '*********',
        data: [{ 'Refresh-Token': expect.stringMatching(/^\*+$/), token_count: 7, note: 'secret' }],
        secret: expect.any(Object),
        password: 11_111,
        url: 'https://**************@files.test/a?X-Signature=*********&page=2',
      });
    }
  });

  test('is hidden by every name that logs hide, and counts of tokens stay', async () => {
    const json = {
      session_id: 'topsecret',
      dbPassphrase: 'topsecret',
      jwt: 'topsecret',
      tokens: ['topsecret', 7],
      usage: { prompt_tokens: 12, completion_tokens: 3 },
    };
    const kept = await recorded(JSON.stringify(json), { 'content-type': 'application/json' });
    expect(JSON.parse(kept.text)).toEqual({
      session_id: '*********',
      dbPassphrase: '*********',
      jwt: '*********',
      tokens: ['*********', 7],
      usage: json.usage,
    });
  });

  test('is found in events, between broken lines, and where the answer breaks off', async () => {
    const text = [
      'data: {"a":"b","access_token":"topsecret"}',
      'data: {"broken":"',
      '',
      'data: { "\\u0061pi_key" : "topsecret" }',
      'data: {"password":"topsecr',
    ].join('\n');
    const kept = await recorded(text, { 'content-type': 'text/event-stream' });
    expect(kept.text).toBe(text.replaceAll('topsecret', '*********').replace('topsecr', '*******'));
  });

  test('is not looked for in pictures', async () => {
    const text = '{"password":"1"}';
    expect((await recorded(text, { 'content-type': 'image/png' })).text).toBe(text);
  });

  test('is no longer in addresses of headers', async () => {
    const { headers } = await recorded('', {
      location: 'https://user:topsecret@a.test/x?access_token=topsecret&page=2#id_token=topsecret',
      'content-location': '/x?page=1&%73ig=topsecret',
      link: '<https://a.test/?key=topsecret>; rel="next", <https://a.test/?q=1>; rel="last"',
    });
    expect(headers).toEqual({
      location: 'https://[redacted]@a.test/x?access_token=[redacted]&page=2#id_token=[redacted]',
      'content-location': '/x?page=1&%73ig=[redacted]',
      link: '<https://a.test/?key=[redacted]>; rel="next", <https://a.test/?q=1>; rel="last"',
    });
  });

  test('is looked for in any text without end', async () => {
    const scrub = createScrub([LONG_KEY]);
    for (const text of [
      '"',
      '"secret":',
      '"secret":[',
      '"https://?key=',
      'sk-4f',
      '"\\',
      '"https://x?key=1',
      '"\\\n',
    ]) {
      const bytes = Buffer.from(text.repeat(200_000));
      expect(scrub.answer(bytes, '')).toHaveLength(bytes.length);
    }
  });
});
