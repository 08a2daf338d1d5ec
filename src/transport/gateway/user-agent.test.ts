import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readUserAgent } from './user-agent.ts';

test.each([
  ['OpenAI/JS 6.1.0', 'OpenAI/JS', '6.1.0'],
  ['OpenAI/Python 2.1.0', 'OpenAI/Python', '2.1.0'],
  ['AsyncOpenAI/Python 2.1.0', 'AsyncOpenAI/Python', '2.1.0'],
  ['Anthropic/JS 0.60.0', 'Anthropic/JS', '0.60.0'],
  ['openai-node/4.0.1', 'openai-node', '4.0.1'],
  ['claude-cli/2.1.197 (external, cli)', 'claude-cli', '2.1.197'],
  ['opencode/1.18.33 ai-sdk/provider-utils/3.0.9 runtime/bun/1.3.0', 'opencode', '1.18.33'],
  ['ai-sdk/openai-compatible/1.0.19 runtime/node.js/22', 'ai-sdk/openai-compatible', '1.0.19'],
  ['python-requests/2.32.3', 'python-requests', '2.32.3'],
  ['curl/8.5.0', 'curl', '8.5.0'],
  ['node', 'node', undefined],
  ['Go-http-client/1.1', 'Go-http-client', '1.1'],
  ['name/', 'name', undefined],
  ['tool v3', 'tool', 'v3'],
  [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36',
    'browser',
    undefined,
  ],
  [
    'Mozilla/5.0 (Macintosh) AppleWebKit/537.36 (KHTML, like Gecko) Obsidian/1.9.1 Chrome/138.0 Electron/37.2 Safari/537.36',
    'Obsidian',
    '1.9.1',
  ],
])('%s is of %s', (header, name, version) => {
  expect(readUserAgent(header)).toEqual({ name, ...(version !== undefined && { version }) });
});

test.each([undefined, '', ' ', '(only a comment)', '/', '\u001b'])(
  '%j names no program',
  (header) => expect(readUserAgent(header)).toBeUndefined(),
);

test('any header gives a short name or none', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 3000 }), (header) => {
      expect((readUserAgent(header)?.name ?? '').length).toBeLessThanOrEqual(64);
    }),
  );
});
