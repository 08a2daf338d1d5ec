import { expect, test } from 'vitest';
import { send, verifies } from '../emulator.fixture.ts';
import { useKimi } from './kimi.fixture.ts';

const harness = useKimi();
const { switches } = harness;

const REFUSED = {
  error: { message: 'Incorrect API key provided', type: 'incorrect_api_key_error' },
};

verifies('facts:kimi:bad-key', 'a missing or bad key is a 401 with the measured body', async () => {
  for (const headers of [
    {},
    { authorization: 'Basic sk-test' },
    { authorization: 'Bearer nonsense' },
    { authorization: 'Bearer sk-wrong-1' },
  ]) {
    const { status, json } = await send(`${harness.emulator.url}/kimi/v1/models`, { headers });
    expect([status, json]).toEqual([401, REFUSED]);
  }
  switches()['authError'] = 'invalid_authentication_error';
  expect((await harness.as('sk-wrong').get('/models')).json).toEqual({
    error: { message: 'Invalid Authentication', type: 'invalid_authentication_error' },
  });
});

verifies('facts:kimi:hosts', 'a key of one host gives 401 on the other', async () => {
  const statuses = async () => [
    (await harness.as('sk-cn-1').get('/models')).status,
    (await harness.as('sk-1').get('/models')).status,
  ];
  expect(await statuses()).toEqual([401, 200]);
  switches()['host'] = 'cn';
  expect(await statuses()).toEqual([200, 401]);
  expect((await harness.as('sk-kimi-coding').get('/models')).status).toBe(401);
});

verifies('facts:kimi:headers', 'every answer carries the request and trace ids', async () => {
  const { headers } = await harness.as().get('/models');
  for (const name of [
    'msh-request-id',
    'msh-uid',
    'msh-gid',
    'server-timing',
    'x-trace-id',
    'x-msh-trace-id',
  ])
    expect([name, headers.get(name)]).toEqual([name, expect.any(String)]);
  const refused = await harness.as().chat('Hello', { temperature: 5 });
  expect(refused.headers.get('x-msh-trace-id')).toEqual(expect.any(String));
  expect(refused.headers.get('x-ratelimit-limit-requests')).toBeNull();
});

verifies('facts:kimi:no-embeddings', 'there is no embeddings endpoint', async () => {
  const { status, json } = await harness.as().post('/embeddings', { input: 'x' });
  expect([status, json.error.type]).toEqual([404, 'resource_not_found_error']);
});

verifies(
  'facts:kimi:balance',
  'the balance has its wrapper, goes down with use, and cash may be negative',
  async () => {
    const { json } = await harness.as().get('/users/me/balance');
    expect(json).toEqual({
      code: 0,
      data: { available_balance: 1000, voucher_balance: 0, cash_balance: 1000 },
      scode: '0x0',
      status: true,
    });
    await harness.as().chat('[[tokens 10000]]');
    const after = (await harness.as().get('/users/me/balance')).json.data.available_balance;
    expect(after).toBeLessThan(1000 - 0.039);
    const poor = await harness.as('sk-poor').get('/users/me/balance');
    expect(poor.json.data).toMatchObject({ available_balance: 0, cash_balance: -0.42 });
  },
);

verifies(
  'facts:kimi:errors-quota',
  'an empty account is a 429 of the type exceeded_current_quota_error without a hint',
  async () => {
    for (const [key, status, type, words] of [
      ['sk-poor-1', 429, 'exceeded_current_quota_error', 'insufficient balance'],
      ['sk-quota-1', 429, 'exceeded_current_quota_error', 'You exceeded your current token quota'],
      ['sk-inactive-1', 403, 'exceeded_current_quota_error', 'is not active, current state:'],
      ['sk-denied-1', 403, 'permission_denied_error', 'The API you are accessing is not open'],
      [
        'sk-busy-1',
        429,
        'engine_overloaded_error',
        'The engine is currently overloaded, please try again later',
      ],
    ] as const) {
      const answer = await harness.as(key).chat('Hello');
      expect([answer.status, answer.json.error.type]).toEqual([status, type]);
      expect(answer.json.error.message).toContain(words);
      expect(answer.headers.has('retry-after')).toBe(key === 'sk-busy-1');
    }
  },
);

test('money that runs out suspends the account', async () => {
  switches()['startBalance'] = 0.001;
  const { chat } = harness.as('sk-small');
  expect((await chat('[[tokens 1000]]')).status).toBe(200);
  expect((await chat('Hello')).json.error.type).toBe('exceeded_current_quota_error');
});

verifies(
  'facts:kimi:retry-hints',
  'a limit says when to come back, in two headers and in words',
  async () => {
    const { chat } = harness.as('sk-tier0-rpm');
    for (let at = 0; at < 3; at += 1) expect((await chat('Hello')).status).toBe(200);
    harness.nowMs += 20_000;
    const limited = await chat('Hello');
    expect(limited.status).toBe(429);
    expect(limited.json.error).toEqual({
      type: 'rate_limit_reached_error',
      message: expect.stringMatching(
        /^Your account org-\w+<ak-\w+> request reached organization max RPM: 3, please try again after 40 seconds$/,
      ),
    });
    expect([limited.headers.get('retry-after'), limited.headers.get('x-retry-after')]).toEqual([
      '40',
      '40',
    ]);
    harness.nowMs += 40_000;
    expect((await chat('Hello')).status).toBe(200);
  },
);

test('tokens are limited by the minute and by the day', async () => {
  switches()['tier'] = 'T0';
  const { chat } = harness.as('sk-heavy');
  const big = `${'word '.repeat(200_000)} Say exactly: ok`;
  expect([(await chat(big)).status, (await chat(big)).status]).toEqual([200, 200]);
  expect((await chat(big)).json.error.message).toMatch(
    /TPM rate limit, current:\d+, limit:500000$/,
  );
  for (let minutes = 0; minutes < 5; minutes += 1) {
    harness.nowMs += 60_000;
    await chat(big);
  }
  harness.nowMs += 60_000;
  expect((await chat(big)).json.error.message).toMatch(
    /TPD rate limit, current:\d+, limit:1500000$/,
  );
});

verifies(
  'facts:kimi:concurrency',
  'tier 0 has one request at a time, and the place is free when it ends or its client leaves',
  async () => {
    const { chat } = harness.as('sk-tier0-one');
    harness.emulator.fault({ id: 'slow', with: { chunkMs: 60_000 } });
    const leaving = new AbortController();
    const first = send(harness.as().at('/chat/completions'), {
      body: { model: 'kimi-k2.6', stream: true, messages: [{ role: 'user', content: 'Hello' }] },
      headers: { authorization: 'Bearer sk-tier0-one' },
      signal: leaving.signal,
    });
    const left = first.catch((error: unknown) => String(error));
    while (harness.emulator.requests().at(-1)?.status !== 200) await new Promise(setImmediate);
    const second = await chat('Hello');
    expect(second.status).toBe(429);
    expect(second.json.error.message).toContain(
      'request reached max organization concurrency: 1, please try again after 1 seconds',
    );
    leaving.abort();
    expect(await left).toContain('abort');
    while (harness.emulator.requests().at(0)?.left !== true) await new Promise(setImmediate);
    expect((await chat('Hello')).status).toBe(200);
  },
);

verifies(
  'facts:kimi:responses-trap',
  'the Responses face ignores thinking, refuses effort none, and leaves no message',
  async () => {
    const { post } = harness.as();
    const body = {
      model: 'kimi-k3',
      input: 'Hello [[think 64]]',
      max_output_tokens: 64,
      thinking: { type: 'disabled' },
      stranger: 1,
    };
    const { status, json } = await post('/responses', body);
    expect([status, json.status, json.output.map((item: { type: string }) => item.type)]).toEqual([
      200,
      'incomplete',
      ['reasoning'],
    ]);
    const none = await post('/responses', { ...body, reasoning: { effort: 'none' } });
    expect([none.status, none.json.error.message]).toEqual([
      400,
      'reasoning.effort value "none" is not supported',
    ]);
  },
);

verifies(
  'facts:kimi:rate-headers',
  'answers of an account with limits say how many requests are left',
  async () => {
    const shown = ({ headers }: Awaited<ReturnType<typeof harness.ask>>) =>
      ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}`));
    const tier0 = harness.as('sk-tier0-1');
    expect(shown(await tier0.chat('Hello'))).toEqual(['3', '2', '60']);
    harness.nowMs += 10_000;
    expect(shown(await tier0.chat('Hello'))).toEqual(['3', '1', '50']);
    expect(shown(await tier0.chat('Hello'))).toEqual(['3', '0', '50']);
    const refused = await tier0.chat('Hello');
    expect([refused.status, ...shown(refused)]).toEqual([429, '3', '0', '50']);
    expect(shown(await harness.as().chat('Hello'))).toEqual([null, null, null]);
  },
);
