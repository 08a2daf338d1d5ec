import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import type { ClientCapability } from '#core/tools/input-request.ts';
import {
  createBackgroundPolicy,
  isTimeoutCancellation,
  KNOWN_CLIENTS,
} from './background-policy.ts';
import { MODERN_META, notification, request } from './session.fixture.ts';
import { createTaskSession, HANDOFF_POLICY, TASKS_META, TIMES } from './tasks.fixture.ts';

const NOBODY = { preference: undefined, progressToken: undefined };
const HEARING = { preference: undefined, progressToken: 0 };
const TASKS: readonly ClientCapability[] = ['form', 'tasks'];

describe('how long a call is waited for', () => {
  test.each([
    ['a client that hears nothing', NOBODY, [], undefined, 45_000, 'job'],
    ['one that hears of progress', HEARING, [], undefined, 280_000, 'job'],
    ['one of an unknown name', HEARING, [], 'constructor', 280_000, 'job'],
    ['one that goes by progress', HEARING, [], 'claude-code', 280_000, 'job'],
    ['one that follows tasks', HEARING, TASKS, 'Zed', 5000, 'task'],
    ['Codex, which does not go by progress', HEARING, [], 'codex-mcp-client', 45_000, 'job'],
    ['Gemini CLI, which has ten minutes', HEARING, [], 'gemini-cli-mcp-client', 280_000, 'job'],
    [
      'one that wants to wait',
      { ...NOBODY, preference: 'wait' },
      TASKS,
      undefined,
      Infinity,
      'job',
    ],
    ['one that does not', { ...HEARING, preference: 'background' }, [], undefined, 0, 'job'],
    ['one that will look', { ...HEARING, preference: 'background' }, TASKS, undefined, 0, 'task'],
  ] as const)('by %s', (_who, facts, abilities, client, afterMs, as) => {
    const decision = HANDOFF_POLICY.decide(facts, abilities, client);
    expect(decision).toEqual({ afterMs, as, because: expect.stringMatching(/\w/) as string });
    expect(HANDOFF_POLICY.decide(facts, abilities, client)).toBe(decision);
  });

  verifies('jobs:patience', 'is less than the limit of every client whose limit is known', () => {
    const long = createBackgroundPolicy({
      ...TIMES,
      inlineWaitMs: 45_000,
      withProgressMs: 3_600_000,
    });
    for (const { name, limitMs } of KNOWN_CLIENTS) {
      const { afterMs } = long.decide(HEARING, [], name);
      expect(afterMs).toBeLessThan(limitMs === 'short' ? 60_000 : limitMs);
    }
    const hasty = createBackgroundPolicy({ ...TIMES, inlineWaitMs: 45_000, withProgressMs: 1000 });
    for (const { name } of KNOWN_CLIENTS) {
      expect(hasty.decide(HEARING, [], name).afterMs).toBe(1000);
    }
  });

  verifies('jobs:patience', 'is decided for each request, by what its client declared', () => {
    const legacy = createTaskSession();
    const clientInfo = { name: 'Zed', version: '1' };
    legacy.say(
      request(0, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }),
    );
    const call = (id: number, meta: object) =>
      legacy.say(request(id, 'tools/call', { name: 'wait', _meta: meta }));
    call(1, {});
    call(2, { progressToken: 'p' });
    call(3, { 'exai/wait': true });
    call(4, { 'exai/background': true, 'exai/wait': true });
    call(5, { 'exai/background': 'true', 'exai/wait': 1 });
    expect([0, 1, 2, 3, 4].map((index) => legacy.handOffOf(index)?.afterMs)).toEqual([
      45_000,
      45_000,
      Infinity,
      0,
      45_000,
    ]);
    const modern = createTaskSession();
    const named = { 'io.modelcontextprotocol/clientInfo': clientInfo, progressToken: 1 };
    for (const meta of [named, { progressToken: 2 }, TASKS_META]) {
      modern.say(
        request(1 + modern.calls.started.length, 'tools/call', {
          name: 'wait',
          _meta: { ...MODERN_META, ...meta },
        }),
      );
    }
    expect([0, 1, 2].map((index) => modern.handOffOf(index)?.afterMs)).toEqual([
      45_000, 280_000, 5000,
    ]);
  });

  test('is for tools alone, and only where there are jobs', () => {
    const { say, calls } = createTaskSession({ deps: { maxTokens: 25_000 } });
    say(request(1, 'prompts/get', { name: 'p' }));
    say(request(2, 'resources/read', { uri: 'test://r' }));
    say(request(3, 'tools/call', { name: 'wait', _meta: { 'exai/whole': true } }));
    say(request(4, 'tools/call', { name: 'wait' }));
    expect(calls.started.map((one) => [one.request.background?.as, one.request.maxTokens])).toEqual(
      [
        [undefined, undefined],
        [undefined, undefined],
        ['job', undefined],
        ['job', 25_000],
      ],
    );
    const none = createTaskSession({ deps: { jobs: undefined as never } });
    none.say(request(1, 'tools/call', { name: 'wait', _meta: TASKS_META }));
    expect(none.calls.started[0]?.request).not.toHaveProperty('background');
    expect(none.calls.started[0]?.request.clientCapabilities).toEqual([]);
  });
});

describe('a client that gives up', () => {
  test.each([
    'McpError: MCP error -32001: Request timed out',
    'SdkError: Maximum total timeout exceeded',
    'request timeout',
    'TimeoutError: The operation was aborted due to timeout',
  ])('because its time is up says "%s", and loses nothing', (reason) => {
    const { say, calls, channel } = createTaskSession();
    say(request(1, 'tools/call', { name: 'wait' }));
    say(notification('notifications/cancelled', { requestId: 1, reason }));
    expect(calls.started[0]).toMatchObject({ isHandedOff: true, cancelledWith: undefined });
    say(request(1, 'tools/call', { name: 'wait' }));
    expect([calls.started.length, channel.take()]).toEqual([2, []]);
  });

  test.each([undefined, null, 7, {}, '', 'The user pressed Escape', 'AbortError: aborted'])(
    'for another reason cancels: %j',
    (reason) => {
      const { say, calls } = createTaskSession();
      say(request(1, 'tools/call', { name: 'wait' }));
      say(notification('notifications/cancelled', { requestId: 1, reason }));
      expect(calls.started[0]).toMatchObject({ isHandedOff: false, cancelledWith: 'nothing' });
    },
  );

  test('cancels where the work cannot be detached', () => {
    const { say, calls } = createTaskSession({ deps: { jobs: undefined as never } });
    say(request(1, 'tools/call', { name: 'wait' }));
    say(notification('notifications/cancelled', { requestId: 1, reason: 'Request timed out' }));
    expect(calls.started[0]).toMatchObject({ isHandedOff: false, cancelledWith: 'nothing' });
  });

  test('may be quoted in a text', () => {
    expect(isTimeoutCancellation('x'.repeat(10_000_000))).toBe(false);
    expect(isTimeoutCancellation(`timed out ${'x'.repeat(10_000_000)}`)).toBe(true);
  });
});
