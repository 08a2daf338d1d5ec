import { expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { checkWsUrl, insecureOf } from './daemon-ws-url.ts';

function classOf(url: string, insecure?: 'allowed' | 'refused'): string {
  try {
    checkWsUrl(url, insecure);
    return 'accepted';
  } catch (thrown) {
    return CallError.from(thrown).class;
  }
}

test.each([
  ['ws://127.0.0.1:8765', 'accepted'],
  ['ws://localhost:8765', 'accepted'],
  ['ws://[::1]:8765', 'accepted'],
  ['wss://exai.example:8765', 'accepted'],
  ['wss://192.168.1.5', 'accepted'],
  ['ws://exai.example:8765', 'permission'],
  ['ws://192.168.1.5:8765', 'permission'],
  ['ws://127.0.0.1.evil.example', 'permission'],
  ['ws://localhost.evil.example', 'permission'],
  ['ws://127.0.0.1@evil.example', 'permission'],
  ['ws://0.0.0.0:8765', 'permission'],
  ['http://127.0.0.1:8765', 'validation'],
  ['http://exai.example', 'validation'],
  ['exai.example', 'validation'],
])('%s is %s', (url, outcome) => {
  expect(classOf(url)).toBe(outcome);
});

test('a refusal names both ways to allow it, and they allow it', () => {
  expect(() => checkWsUrl('ws://exai.example')).toThrow(
    expect.objectContaining({
      fix: expect.stringMatching(/--insecure, or EXAI_INSECURE=true/) as string,
    }),
  );
  expect(classOf('ws://exai.example', 'allowed')).toBe('accepted');
  expect(classOf('http://exai.example', 'allowed')).toBe('validation');
});

test.each([
  [{}, undefined, 'refused'],
  [{}, true, 'allowed'],
  [{ EXAI_INSECURE: 'true' }, undefined, 'allowed'],
  [{ EXAI_INSECURE: '1' }, undefined, 'allowed'],
  [{ EXAI_INSECURE: 'false' }, undefined, 'refused'],
  [{ EXAI_INSECURE: '' }, undefined, 'refused'],
] as const)('with %j and the flag %s it is %s', (env, flag, outcome) => {
  expect(insecureOf(env, flag)).toBe(outcome);
});
