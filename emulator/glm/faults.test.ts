import { describe, expect, test } from 'vitest';
import { eventsOf, joined, user, WEATHER_TOOL, type Answered } from '../client.fixture.ts';
import { CODES } from './errors.ts';
import { BASE, KEY, useGlm } from './glm.fixture.ts';

const { chat: plain, glm, set } = useGlm();

const chat = (fault: string, body: object = {}): Promise<Answered> =>
  plain(body, { 'x-emulate-fault': fault });

test.each([
  ['F1', 429, '1302'],
  ['F1.frequency', 429, '1303'],
  ['F1.daily', 429, '1304'],
  ['F1.fairuse', 429, '1313'],
  ['F2', 429, '1113'],
  ['F2.locked', 429, '1112'],
  ['F2.expired', 429, '1309'],
  ['F2.model', 429, '1311'],
  ['F3', 429, '1312'],
  ['F3.busy', 429, '1305'],
  ['F3.account', 429, '1120'],
  ['F3.network', 500, '1234'],
  ['F3.internal', 500, '500'],
  ['F10', 400, '1211'],
  ['F11.blocked', 400, '1301'],
  ['F16', 401, '1004'],
])('%s is %i with %s [facts:glm:errors]', async (fault, status, code) => {
  const answer = await chat(fault);
  expect([answer.status, answer.json.error.code]).toEqual([status, code]);
  expect(answer.headers.get('retry-after')).toBeNull();
});

const aboutOf = (code: string): string =>
  /^13(?:1[4-9]|2[01])$/.test(code) ? '2026-11-15 13:00:00' : 'it';

test.each(Object.entries(CODES))(
  'the code %s has its status [facts:glm:codes]',
  async (code, { status, en }) => {
    const answer = await chat(`code;code=${code}`);
    expect([answer.status, answer.json.error.code]).toEqual([status, code]);
    expect(answer.json.error.message).toBe(en.replace('{}', aboutOf(code)));
  },
);

test.each(['1316', '1317', '1318', '1319', '1320', '1321'])(
  'the limit %s of a plan is 429 and names the time of its reset [facts:glm:plan-limits]',
  async (code) => {
    const { status, json } = await chat(`code;code=${code}`);
    expect([status, json.error.code]).toEqual([429, code]);
    expect(json.error.message).toMatch(/Usage limit reached .* Resets at 2026-11-15 13:00:00/);
  },
);

test('a cap of the plan names the time of its reset [facts:glm:next-flush-time]', async () => {
  expect((await chat('F2.plan')).json.error.message).toContain('2026-11-15 13:00:00');
  expect((await chat('F2.month')).json.error.message).toContain('2026-12-15 08:00:00');
});

test('Retry-After comes only when a test requests it', async () => {
  expect((await chat('F1;seconds=2')).headers.get('retry-after')).toBe('2');
});

test('1302 has an older text, too [facts:glm:1302]', async () => {
  set('text1302', 'concurrency');
  expect((await chat('F1')).json.error.message).toMatch(/concurrency/);
});

test('a planned fault befalls one request', async () => {
  glm.emulator.fault({ id: 'F1', vendor: 'glm' });
  const ask = (): Promise<Answered> =>
    glm.post(`${BASE}/chat/completions`, { model: 'glm-4.6', messages: [user('Hi')] });
  expect((await ask()).status).toBe(429);
  expect((await ask()).status).toBe(200);
});

describe('usage', () => {
  test('in the choice, or missing [F7]', async () => {
    const inChoice = (await chat('F7.choice')).json;
    expect(inChoice).not.toHaveProperty('usage');
    expect(inChoice.choices[0]).toHaveProperty('usage');
    expect((await chat('F7.missing')).json).not.toHaveProperty('usage');
    const events = eventsOf(await chat('F7.missing', { stream: true }));
    expect(events.some((event) => event.usage !== undefined)).toBe(false);
  });
});

describe('broken tool calls [F8]', () => {
  const two = { messages: [user('[[call a {"x":1}]] [[call b {"y":2}]]')], tools: [WEATHER_TOOL] };
  const calls = async (
    kind: string,
    body: object = two,
  ): Promise<readonly Record<string, never>[]> =>
    (await chat(`F8.${kind}`, body)).json.choices[0].message.tool_calls;
  const deltas = async (kind: string): Promise<readonly Record<string, never>[]> =>
    eventsOf(await chat(`F8.${kind}`, { ...two, stream: true })).flatMap(
      (event) => event.choices[0].delta.tool_calls ?? [],
    );

  test('without id, without index, with objects, cut, of unknown names, with one id for two', async () => {
    expect((await calls('noid')).every((call) => !('id' in call))).toBe(true);
    expect((await deltas('noindex')).every((call) => !('index' in call))).toBe(true);
    expect((await calls('object'))[0]).toMatchObject({ function: { arguments: { x: 1 } } });
    expect((await calls('truncated'))[0]).not.toMatchObject({ function: { arguments: '{"x":1}' } });
    expect((await calls('unknown'))[0]).not.toMatchObject({ function: { name: 'a' } });
    const [first, second] = await calls('duplicate');
    expect(first!['id']).toBe(second!['id']);
    expect((await calls('concatenated'))[0]).toMatchObject({
      function: { arguments: '{"x":1}{"x":1}' },
    });
  });

  test('interleaved in a stream', async () => {
    const places = (await deltas('interleaved')).map((call) => call['index']);
    expect(places.length).toBeGreaterThan(4);
    expect(places.slice(0, 4).join()).toBe('1,0,1,0');
  });

  test('as text, or with the finish stop [facts:glm:tool-call-as-text]', async () => {
    const { choices } = (await chat('F8.text', two)).json;
    expect(choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { content: expect.stringContaining('<tool_call>a') },
    });
    expect((await chat('F8.stopfinish', two)).json.choices[0].finish_reason).toBe('stop');
  });
});

test.each(['sensitive', 'network_error', 'model_context_window_exceeded'])(
  'an answer ends with %s in its middle [facts:glm:finish-reasons]',
  async (finish) => {
    const body = { messages: [user('[[tokens 10]]')] };
    const whole = (await chat(`F11.${finish}`, body)).json;
    expect(whole.choices[0]).toMatchObject({
      finish_reason: finish,
      message: { content: 'amber birch cedar dune ember' },
    });
    const events = eventsOf(await chat(`F11.${finish};after=2`, { ...body, stream: true }));
    expect(joined(events, 'content')).toBe('amber birch');
    expect(events.at(-1).choices[0].finish_reason).toBe(finish);
  },
);

test('a sensitive answer says so in content_filter [facts:glm:content-filter]', async () => {
  expect((await chat('F11.sensitive')).json.content_filter).toEqual([
    { role: 'assistant', level: 1 },
  ]);
});

test('an error in a stream is a data line after so many events, perhaps with a name [facts:glm:in-stream-error]', async () => {
  const answer = await chat('F11.error;after=2', { stream: true });
  const events = eventsOf(answer);
  expect(answer.status).toBe(200);
  expect(events).toHaveLength(3);
  expect(events[2]).toEqual({ error: { code: '1234', message: expect.any(String) } });
  expect(answer.text).not.toContain('[DONE]');
  set('errorEvent', 'named');
  expect((await chat('F11.error', { stream: true })).text).toMatch(
    /^event: error\ndata: \{"error"/,
  );
  expect((await chat('F11.error')).status).toBe(500);
});

test('fenced JSON, wrong JSON and prose come for a format [F12]', async () => {
  const body = { response_format: { type: 'json_object' } };
  const content = async (fault: string): Promise<string> =>
    (await chat(fault, body)).json.choices[0].message.content;
  expect(await content('F12')).toMatch(/^```json/);
  expect(await content('F12.prose')).toBe('2 + 3 is 5.');
});

test('thoughts eat the budget: no content and the finish length [F13]', async () => {
  const { json } = await chat('F13');
  expect(json.choices[0]).toMatchObject({
    finish_reason: 'length',
    message: { content: '', reasoning_content: expect.any(String) },
  });
});

describe('uploads [F15]', () => {
  const upload = (fault: string): Promise<Answered> => {
    const body = new FormData();
    body.set('purpose', 'agent');
    body.set('file', new Blob(['hello']), 'a.txt');
    return glm.send('POST', `${BASE}/files`, {
      headers: { ...KEY, 'x-emulate-fault': fault },
      body,
    });
  };

  test.each([
    ['F15.toolarge', 400, '1214'],
    ['F15.435', 435, '1214'],
    ['F15.zero', 400, '1214'],
    ['F15.count', 400, '1210'],
    ['F15.fast', 429, '1302'],
  ])('%s is %i with %s', async (fault, status, code) => {
    const answer = await upload(fault);
    expect([answer.status, answer.json.error.code]).toEqual([status, code]);
  });

  test('that are taken and of no use can be deleted', async () => {
    const { json } = await upload('F15.status');
    expect(json.status).toBe('error');
    expect((await glm.send('DELETE', `${BASE}/files/${json.id}`)).json.deleted).toBe(true);
  });

  test('whose text cannot be read are a 500', async () => {
    const { json } = await upload('F15.extract');
    const content = await glm.get(`${BASE}/files/${json.id}/content`, {
      'x-emulate-fault': 'F15.extract',
    });
    expect(content.status).toBe(500);
  });
});

test('format and tool choice are accepted and ignored [F21]', async () => {
  const { json } = await chat('F21', { response_format: { type: 'json_object' } });
  expect(json.choices[0].message.content).toBe('2 + 3 is 5.');
});
