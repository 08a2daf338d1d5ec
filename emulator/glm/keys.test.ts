import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { NOW_MS, user, useEmulator, type Answered } from '../client.fixture.ts';
import { createGlm } from './glm.ts';

const glm = useEmulator(() => [createGlm()], {});

const ask = (
  authorization: string | undefined,
  headers: Record<string, string> = {},
  path = '/paas/v4',
): Promise<Answered> =>
  glm.post(
    `/glm/api${path}/chat/completions`,
    { model: 'glm-4.6', messages: [user('Hi')] },
    { ...(authorization === undefined ? {} : { authorization }), ...headers },
  );

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function jwt(
  payload: object,
  secret = 'secret',
  header: object = { alg: 'HS256', sign_type: 'SIGN' },
): string {
  const signed = `${encode(header)}.${encode(payload)}`;
  return `Bearer ${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

const fresh = { api_key: 'emulated', exp: NOW_MS + 210_000, timestamp: NOW_MS };

test('a raw key of id and secret works [facts:glm:key]', async () => {
  expect((await ask('Bearer emulated.secret')).status).toBe(200);
});

test('a signed token with milliseconds works [facts:glm:jwt]', async () => {
  expect((await ask(jwt(fresh))).status).toBe(200);
});

test.each([
  ['seconds instead of milliseconds', { ...fresh, exp: Math.floor(NOW_MS / 1_000) + 210 }, '1003'],
  ['a time that has passed', { ...fresh, exp: NOW_MS - 1 }, '1003'],
  ['no api_key', { exp: fresh.exp, timestamp: NOW_MS }, '1002'],
])('a token with %s is refused [facts:glm:jwt]', async (_what, payload, code) => {
  const { status, json } = await ask(jwt(payload));
  expect([status, json.error.code]).toEqual([401, code]);
});

test('a token that another secret signed, or without sign_type, is refused [facts:glm:jwt]', async () => {
  expect((await ask(jwt(fresh, 'guess'))).json.error.code).toBe('1004');
  expect((await ask(jwt(fresh, 'secret', { alg: 'HS256' }))).json.error.code).toBe('1002');
  expect((await ask('Bearer a.b.c')).json.error.code).toBe('1002');
});

test('a token expires as time goes by', async () => {
  glm.now += 210_001;
  expect((await ask(jwt(fresh))).json.error.code).toBe('1003');
});

test.each([
  [undefined, 401, '1001'],
  ['Bearer sk-of-somebody-else', 401, '1002'],
  ['Bearer wrong.key', 401, '1004'],
  ['Bearer other.host', 401, '1004'],
  ['Bearer inactive.key', 401, '1110'],
  ['Bearer locked.key', 429, '1112'],
  ['Bearer poor.key', 429, '1113'],
])('the key %s gets %i with %s [facts:glm:keys]', async (key, status, code) => {
  const answer = await ask(key);
  expect([answer.status, answer.json.error.code]).toEqual([status, code]);
});

test('a key without a plan is refused on the coding path alone', async () => {
  expect((await ask('Bearer unplanned.key')).status).toBe(200);
  expect((await ask('Bearer unplanned.key', {}, '/coding/paas/v4')).json.error.code).toBe('1309');
});

test('a wrong key is refused in Chinese unless English is asked for [facts:glm:error-language]', async () => {
  expect((await ask('Bearer wrong.key')).json.error.message).toMatch(/令牌/);
  expect(
    (await ask('Bearer wrong.key', { 'accept-language': 'en-US,en' })).json.error.message,
  ).toMatch(/token/);
  glm.emulator.switches['glm']!['language'] = 'en';
  expect((await ask('Bearer wrong.key')).json.error.message).toMatch(/token/);
});

test('an error is nested with a string of digits, or flat when the OpenAPI is right [facts:glm:error-shape]', async () => {
  expect((await ask('Bearer poor.key', { 'accept-language': 'en' })).json).toEqual({
    error: {
      code: '1113',
      message: 'Insufficient balance or no resource package. Please recharge.',
    },
  });
  glm.emulator.switches['glm']!['errorShape'] = 'flat';
  expect((await ask('Bearer poor.key', { 'accept-language': 'en' })).json).toEqual({
    code: 1113,
    message: 'Insufficient balance or no resource package. Please recharge.',
  });
});

test('a path that is not there is a 404', async () => {
  const { status } = await glm.post(
    '/glm/api/v4/chat/completions',
    {},
    { authorization: 'Bearer a.b' },
  );
  expect(status).toBe(404);
});

test('a plan without a balance chats at the coding path only [facts:glm:plan-without-balance]', async () => {
  const key = 'Bearer planned.secret';
  expect((await ask(key, {}, '/coding/paas/v4')).status).toBe(200);
  const { status, json } = await ask(key);
  expect([status, json.error.code]).toEqual([429, '1113']);
});
