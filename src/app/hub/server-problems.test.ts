import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import type { ServerSummary } from './server-methods.ts';
import { countServers, findServerProblems, formatServerFix } from './server-problems.ts';

function server(name: string, more: Partial<ServerSummary> = {}): ServerSummary {
  const base = { transport: 'stdio', state: 'stopped', connections: 0, disabledTools: [] } as const;
  return { name, ...base, ...more };
}

function failing(code: string, params: object): ServerSummary {
  return server('a', { state: 'waiting', reason: { code, params }, because: 'It failed.' });
}

verifies('hub:health', 'a broken server comes with the command that mends it', () => {
  const fixOf = (code: string, params: object = {}) =>
    findServerProblems([failing(code, params)])
      .map(formatServerFix)
      .join();
  expect(fixOf('server_variables_missing', { variables: ['ONE', 'TWO'] })).toBe(
    'Write ONE=… and TWO=… to EXAI_HOME/.env, then: exai config reload',
  );
  expect(fixOf('server_settings_unclear')).toBe('exai servers remove a');
  expect(fixOf('server_unauthorized', { status: 401 })).toContain('exai servers restart a');
  expect(fixOf('server_start_timeout', { timeoutMs: 60_000 })).toBe(
    'exai config set mcpServers.a.startTimeoutMs 120000',
  );
  expect(fixOf('server_exited')).toBe('exai servers logs a');
  expect(fixOf('server_not_reached')).toBe('exai servers restart a');
});

test('servers that work, wait for a call or are switched off are no problems', () => {
  const off = { code: 'server_disabled', params: {} };
  const servers = [
    server('one', { state: 'connected', tools: 4 }),
    server('two', { tools: 1 }),
    server('three', { state: 'disabled', reason: off, because: 'It is disabled.' }),
  ];
  expect(findServerProblems(servers)).toEqual([]);
  expect(countServers(servers)).toBe('2 MCP servers, 5 tools, 1 off');
});

test('tools in quarantine come with the command that shows them', () => {
  const servers = [
    server('one', { state: 'connected', tools: 4, quarantined: 1 }),
    server('two', { quarantined: 2 }),
  ];
  expect(findServerProblems(servers).map(({ because }) => because)).toEqual([
    '1 tool of the MCP server one waits in quarantine for your decision.',
    '2 tools of the MCP server two wait in quarantine for your decision.',
  ]);
  expect(findServerProblems(servers).map(formatServerFix)).toEqual([
    'exai pins diff one',
    'exai pins diff two',
  ]);
});
