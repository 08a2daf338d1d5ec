import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toSent } from '../messages/render.ts';
import { notice } from '../messages/notices.ts';
import { CallError } from '../errors/call-error.ts';
import { readOutputLimit } from './hello.ts';
import {
  helloLine,
  isDrainLine,
  readDaemonHandshake,
  readHello,
  refusedLine,
  welcomeLine,
} from './handshake.ts';

const HELLO = {
  kind: 'shim',
  version: '0.1.0',
  cwd: '/work/project',
  settings: { KIMI_API_KEY: '0123456789abcdef' },
} as const;

test('a hello survives serialising and parsing', () => {
  expect(readHello(helloLine(HELLO))).toEqual(HELLO);
});

test('what a client takes in one answer comes through, where its environment says so soundly', () => {
  const limited = { ...HELLO, ...readOutputLimit({ MAX_MCP_OUTPUT_TOKENS: '50000' }) };
  expect(readHello(helloLine(limited)).maxTokens).toBe(50_000);
  for (const text of ['', '0', '-5', '1.5', 'many', '1e400']) {
    expect(readOutputLimit({ MAX_MCP_OUTPUT_TOKENS: text })).toEqual({});
  }
});

test('a welcome and a refusal survive serialising and parsing', () => {
  const welcome = {
    version: '1',
    instance: 'a',
    replay: ['status'],
    notices: [toSent(notice('text', { text: 'x' })), { text: 'y' }],
  };
  expect(readDaemonHandshake(welcomeLine(welcome))).toEqual({ is: 'welcome', welcome });
  const limited = { ...welcome, maxLineBytes: 1024 };
  expect(readDaemonHandshake(welcomeLine(limited))).toEqual({ is: 'welcome', welcome: limited });
  const error = new CallError('over_capacity', 'Full.', { retryAfterMs: 1000 });
  expect(readDaemonHandshake(refusedLine(error))).toEqual({ is: 'refused', error });
});

const json = (changes: object) => JSON.stringify({ exai: 'hello', ...HELLO, ...changes });

test.each([
  ['not JSON', '{"exai":', undefined],
  ['no object', '[1]', undefined],
  ['null', 'null', undefined],
  ['an answer of no tokens', json({ maxTokens: 0 }), 'maxTokens'],
  ['tokens in words', json({ maxTokens: 'many' }), 'maxTokens'],
  ['another word', json({ exai: 'goodbye' }), 'exai'],
  ['a message of MCP', '{"jsonrpc":"2.0","id":1,"method":"initialize"}', 'exai'],
  ['an unknown kind', json({ kind: 'robot' }), 'kind'],
  ['a kind of the prototype', json({ kind: '__proto__' }), 'kind'],
  ['no version', json({ version: undefined }), 'version'],
  ['an endless folder', json({ cwd: '/'.repeat(5000) }), 'cwd'],
  ['settings that are a list', json({ settings: [] }), 'settings'],
  ['a value in the place of a digest', json({ settings: { A: 'sk-secret' } }), 'settings'],
  ['a name that is none', json({ settings: { 'a b': '0123456789abcdef' } }), 'settings'],
  [
    'thousands of settings',
    json({
      settings: Object.fromEntries(
        Array.from({ length: 600 }, (_, i) => [`A${i}`, '0'.repeat(16)]),
      ),
    }),
    'settings',
  ],
])('a hello with %s is refused by name', (_what, line, field) => {
  const error = thrownBy(() => readHello(line));
  expect({ class: error.class, field: error.field }).toEqual({ class: 'bad_request', field });
  expect(error.message).not.toContain('sk-secret');
});

test('settings named like parts of every object are only names', () => {
  const line =
    '{"exai":"hello","kind":"cli","version":"1","cwd":"/","settings":{"__proto__":"0123456789abcdef"}}';
  const { settings } = readHello(line);
  expect(Object.keys(settings)).toEqual(['__proto__']);
});

test('whatever a stranger sends, reading it gives a value or one typed error', () => {
  fc.assert(
    fc.property(fc.oneof(fc.json(), fc.string()), (line) => {
      const outcomes = [
        outcomeOf(() => readHello(line)),
        outcomeOf(() => readDaemonHandshake(line)),
      ];
      expect(outcomes.filter((each) => each === 'something else was thrown')).toEqual([]);
    }),
  );
});

test('only the word itself asks a daemon to drain', () => {
  expect(isDrainLine('{"exai":"drain"}')).toBe(true);
  for (const line of ['{"exai":"drained"}', '{"exai"', '{"jsonrpc":"2.0","exai":"drain"}'])
    expect(isDrainLine(line)).toBe(false);
});

function outcomeOf(act: () => unknown): unknown {
  try {
    return act();
  } catch (thrown) {
    return thrown instanceof CallError ? thrown : 'something else was thrown';
  }
}

function thrownBy(act: () => unknown): CallError {
  const outcome = outcomeOf(act);
  if (outcome instanceof CallError) return outcome;
  throw new Error('nothing was thrown');
}
