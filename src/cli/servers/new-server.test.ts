import { describe, expect, test } from 'vitest';
import { describeDownload, readNewServer, requireServerName, unknownPreset } from './new-server.ts';

describe('a new server', () => {
  test('is a command with its arguments, or a URL with headers', () => {
    expect(
      readNewServer('memory', { env: ['HOME_DIR', 'LEVEL=debug'] }, ['npx', '-y', 'x']),
    ).toEqual({
      command: 'npx',
      args: ['-y', 'x'],
      env: { HOME_DIR: '${HOME_DIR}', LEVEL: 'debug' },
    });
    const header = ['Authorization: Bearer ${TOKEN}'];
    expect(readNewServer('far', { url: 'https://mcp.example.com/mcp', header }, [])).toEqual({
      url: 'https://mcp.example.com/mcp',
      headers: { Authorization: 'Bearer ${TOKEN}' },
    });
  });

  test.each([
    [{}, [], 'command'],
    [{ url: 'https://a.example' }, ['npx'], 'command'],
    [{ env: ['GITHUB_TOKEN=ghp_1'] }, ['npx'], '--env'],
    [{ url: 'https://a.example', header: ['Authorization: Bearer abc'] }, [], '--header'],
    [{ url: 'https://a.example', header: ['nothing'] }, [], '--header'],
    [{ type: 'pigeon' }, ['npx'], 'type'],
  ] as const)('with %j and %j is refused, and %s is named', (options, words, field) => {
    expect(() => readNewServer('x', options, words)).toThrow(expect.objectContaining({ field }));
  });

  test.each(['__proto__', '', 'a b', 'a.b', '-x', 'x'.repeat(65), 'exai'])(
    'is not named %j',
    (name) => {
      expect(() => requireServerName(name)).toThrow(
        expect.objectContaining({ field: 'name', message: expect.stringContaining('The name "') }),
      );
    },
  );

  test('without a command or a URL is the name of a preset', () => {
    expect(unknownPreset('githb', ['github']).message).toBe(
      'No preset has the name "githb", did you mean "github"?',
    );
  });

  test('keeps the headers and variables of its preset beside given ones', () => {
    const preset = { url: 'https://a.example', headers: { Authorization: 'Bearer ${TOKEN}' } };
    expect(readNewServer('x', { header: ['X-Team: one'] }, [], preset)['headers']).toEqual({
      Authorization: 'Bearer ${TOKEN}',
      'X-Team': 'one',
    });
  });

  test('never repeats a secret', () => {
    expect(() => readNewServer('x', { env: ['API_KEY=sk-1234'] }, ['npx'])).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('sk-1234') }),
    );
  });

  test.each([
    ['npx', 'npm'],
    ['/usr/bin/uvx', 'PyPI'],
    ['C:\\node\\npx.cmd', 'npm'],
  ])('that is started with %s downloads code from %s, which is said', (command, from) => {
    expect(describeDownload({ command })).toContain(from);
    expect(describeDownload({ command: 'node' })).toBeUndefined();
  });
});
