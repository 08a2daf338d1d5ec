import { describe, expect, test } from 'vitest';
import type { JsonObject } from '#core/json/json.ts';
import { settled } from '../../src/calls/calls.fixture.ts';
import {
  createTestHub,
  lastRequest,
  scriptServer,
  type ScriptedConnection,
  type ServerScript,
  type TestHubOptions,
} from '../hub-harness.ts';
import { verifies } from '../verifies.ts';

const ECHO = { name: 'echo', inputSchema: { type: 'object' } };
const BAD = 'mcp__bad__echo';
const GOOD = 'mcp__good__echo';

const answering: ServerScript = {
  tools: [ECHO],
  handlers: { 'tools/call': ({ id }, connection) => answerTo(connection, id) },
};

function answerTo({ send }: ScriptedConnection, id: unknown, text = 'well'): void {
  send({ id, result: { content: [{ type: 'text', text }] } });
}

/** A server that misbehaves beside one that does not. */
async function beside(bad: ServerScript, options: TestHubOptions = {}) {
  const servers = {
    bad: scriptServer({ tools: [ECHO], ...bad }),
    good: scriptServer(answering),
  };
  const hub = await createTestHub(servers, options);
  const expectOthersUnharmed = async () => expect((await hub.answer(GOOD)).text).toBe('well');
  return { ...hub, servers, expectOthersUnharmed };
}

function only(connections: readonly ScriptedConnection[]): ScriptedConnection {
  const connection = connections.at(-1);
  if (!connection) throw new Error('It is not connected.');
  return connection;
}

describe('a server that misbehaves harms only its own calls:', () => {
  verifies('hub:chaos', 'it hangs in initialize', async () => {
    const servers = {
      bad: scriptServer({ handlers: { initialize: () => undefined } }),
      good: scriptServer(answering),
    };
    const { hub, clock, answer } = await createTestHub(servers, {
      config: { bad: { startTimeoutMs: 2_000 } },
      start: 'in_background',
    });
    await settled();
    expect((await answer(GOOD)).text).toBe('well');
    expect(hub.find('bad')?.state().is).toBe('starting');
    const waiting = hub.find('bad')?.connect();
    clock.advance(2_000);
    await expect(waiting).rejects.toMatchObject({
      class: 'timeout',
      reason: { code: 'server_start_timeout' },
    });
    expect(hub.find('bad')?.state()).toMatchObject({ is: 'waiting', failures: 1 });
    // Within the pause a call fails at once.
    await expect(hub.find('bad')?.connect()).rejects.toMatchObject({
      class: 'network',
      reason: { code: 'server_waiting' },
    });
    expect(servers.bad.connections).toHaveLength(1);
  });

  verifies('hub:chaos', 'it answers with ids that nobody used', async () => {
    const { start, servers, clock, hub, expectOthersUnharmed } = await beside(
      {
        handlers: {
          'tools/call': (_message, connection) => {
            for (const id of [9_999, -1, 1.5, '3', null]) answerTo(connection, id);
          },
        },
      },
      { config: { bad: { callTimeoutMs: 5_000 } } },
    );
    const call = start(BAD);
    await settled();
    await expectOthersUnharmed();
    clock.advance(5_000);
    const { error } = await call.answer;
    expect(error).toMatchObject({ class: 'timeout', reason: { code: 'server_timeout' } });
    // It is told, and its late answer is not taken for that of another call.
    const connection = only(servers.bad.connections);
    const { params } = lastRequest(connection, 'notifications/cancelled');
    answerTo(connection, params?.['requestId']);
    const lines =
      hub
        .find('bad')
        ?.logs()
        .map(({ text }) => text) ?? [];
    expect(lines.filter((text) => text === 'unknown_id')).toHaveLength(5);
    expect(lines).toContain('late_answer');
  });

  verifies('hub:chaos', 'it answers twice', async () => {
    const { answer, hub, expectOthersUnharmed } = await beside({
      handlers: {
        'tools/call': ({ id }, connection) => {
          answerTo(connection, id, 'first');
          answerTo(connection, id, 'second');
        },
      },
    });
    for (let count = 0; count < 3; count++) expect((await answer(BAD)).text).toBe('first');
    await expectOthersUnharmed();
    const lines = hub.find('bad')?.logs() ?? [];
    expect(lines.filter(({ text }) => text === 'answered_twice')).toHaveLength(3);
  });

  verifies('hub:chaos', 'it changes its tools every second', async () => {
    let version = 0;
    const { clock, servers, registry, expectOthersUnharmed } = await beside({
      handlers: {
        'tools/list': ({ id }, { send }) => {
          version += 1;
          send({ id, result: { tools: [{ ...ECHO, name: `echo_${version}` }] } });
        },
      },
    });
    const connection = only(servers.bad.connections);
    const before = version;
    for (let second = 0; second < 60; second++) {
      connection.send({ method: 'notifications/tools/list_changed' });
      clock.advance(1_000);
      await settled();
    }
    // Read again every 5 seconds, however often it changes.
    expect(version - before).toBeLessThanOrEqual(12);
    expect(version - before).toBeGreaterThanOrEqual(10);
    expect(registry.find(`mcp__bad__echo_${version}`)).toBeDefined();
    expect(registry.find(`mcp__bad__echo_${version - 1}`)).toBeUndefined();
    await expectOthersUnharmed();
  });

  verifies('hub:chaos', 'it ends in the middle of calls', async () => {
    let isEnding = true;
    const { start, answer, servers, clock, expectOthersUnharmed } = await beside({
      handlers: {
        'tools/call': ({ id }, connection) =>
          isEnding ? connection.hangUp() : answerTo(connection, id),
      },
    });
    const calls = [start(BAD), start(BAD, { topic: 'b' }), start(BAD, { topic: 'c' })];
    const answers = await Promise.all(calls.map((call) => call.answer));
    for (const { error } of answers) expect(error?.class).toBe('network');
    await expectOthersUnharmed();
    isEnding = false;
    clock.advance(60_000);
    expect((await answer(BAD)).text).toBe('well');
    expect(servers.bad.connections.length).toBeLessThanOrEqual(3);
  });

  verifies('hub:chaos', 'it breaks the rules of JSON-RPC and MCP', async () => {
    const results: readonly [JsonObject, string][] = [
      [{ result: null }, 'server_protocol_error'],
      [{ result: 'text' }, 'server_protocol_error'],
      [{ result: { content: 'text' } }, 'server_protocol_error'],
      [{ result: { content: [1] } }, 'server_protocol_error'],
      [{ result: { content: [], isError: true } }, 'server_tool_failed'],
      [{ error: { code: 'x', message: 1 } }, 'server_refused'],
      [{ error: { code: -32_602, message: 'no' } }, 'server_refused'],
    ];
    let next: JsonObject = {};
    const { answer, servers, expectOthersUnharmed } = await beside({
      handlers: { 'tools/call': ({ id }, { send }) => send({ id, ...next }) },
    });
    for (const [response, code] of results) {
      next = response;
      const { error } = await answer(BAD);
      expect([response, error?.reason?.code]).toEqual([response, code]);
    }
    const connection = only(servers.bad.connections);
    for (const noise of [{ id: 1 }, { id: {}, method: 'ping' }, { jsonrpc: '1.0' }, []])
      connection.send(noise);
    await expectOthersUnharmed();
  });

  test('what it leaves behind is nothing: no timer, no place in the queue', async () => {
    const { start, answer, clock, servers } = await beside(
      { handlers: { 'tools/call': () => undefined } },
      { config: { bad: { callTimeoutMs: 1_000, maxConcurrent: 2 } } },
    );
    await answer(GOOD);
    const timers = clock.waiting;
    for (let round = 0; round < 5; round++) {
      const calls = [1, 2, 3, 4].map((depth) => start(BAD, { topic: `${round}`, depth }));
      for (let step = 0; step < 6; step++) {
        await settled();
        clock.advance(1_000);
      }
      for (const { answer: each } of calls) expect((await each).error?.class).toBe('timeout');
    }
    expect(clock.waiting).toBeLessThanOrEqual(timers);
    expect(only(servers.bad.connections).received.filter(isCall)).toHaveLength(20);
  });
});

function isCall({ method }: { readonly method?: string }): boolean {
  return method === 'tools/call';
}
