import { describe, expect, test } from 'vitest';
import type { Caller } from '#core/calls/call.ts';
import type { Json } from '#core/json/json.ts';
import type { Tracer } from '#core/telemetry/telemetry.ts';
import { isObject } from '#mcp/json-rpc.ts';
import { OWNER, settled } from '../../src/calls/calls.fixture.ts';
import {
  createTestHub,
  scriptServer,
  type RpcMessage,
  type ScriptedConnection,
  type ServerScript,
  type TestHubOptions,
} from '../hub-harness.ts';
import { verifies } from '../verifies.ts';

const NAME = 'mcp__one__wait';
const TOOL = { name: 'wait', inputSchema: { type: 'object' } };

/** A server whose calls end when the test says so. */
async function open(options: TestHubOptions = {}, script: ServerScript = {}) {
  const calls: { message: RpcMessage; connection: ScriptedConnection }[] = [];
  const server = scriptServer({
    tools: [TOOL],
    handlers: { 'tools/call': (message, connection) => void calls.push({ message, connection }) },
    ...script,
  });
  const hub = await createTestHub({ one: server }, options);
  const end = () => {
    const { message, connection } = calls.shift() ?? {};
    connection?.send({ id: message?.id, result: { content: [{ type: 'text', text: 'done' }] } });
  };
  const call = (index: number, caller: Caller = OWNER) =>
    hub.start(NAME, { index }, { caller, session: caller.principal }).answer;
  const running = () => calls.map(({ message }) => indexOf(message));
  return { ...hub, server, calls, call, end, running };
}

function indexOf({ params }: RpcMessage): unknown {
  const args = params?.['arguments'];
  return isObject(args) ? args['index'] : undefined;
}

const caller = (principal: string): Caller => ({ principal, scopes: ['*'], roots: [] });

describe('a server behind the hub', () => {
  verifies('hub:idle', 'is stopped when idle, and started by the next call', async () => {
    const { call, end, clock, server, hub } = await open({
      config: { one: { idleStopMs: 60_000 } },
    });
    const first = call(1);
    await settled();
    clock.advance(600_000);
    // A running call keeps it.
    expect(hub.find('one')?.state().is).toBe('connected');
    end();
    await first;
    clock.advance(59_999);
    expect(hub.find('one')?.state().is).toBe('connected');
    clock.advance(1);
    await settled();
    expect(hub.find('one')?.state().is).toBe('stopped');
    const second = call(2);
    await settled();
    end();
    expect((await second).text).toBe('done');
    expect(server.connections).toHaveLength(2);
  });

  verifies('hub:span', 'has a span for each call, whose context it is given', async () => {
    const spans: string[] = [];
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const tracer: Tracer = {
      span(name, { attributes = {} }, work) {
        spans.push(`${name} of ${String(attributes['exai.upstream'])}`);
        return work({ traceId: 'a'.repeat(32), traceparent, set() {} });
      },
    };
    const { call, end, calls } = await open({ tracer });
    const answer = call(1);
    await settled();
    expect(calls[0]?.message.params?.['_meta']).toMatchObject({ traceparent });
    end();
    await answer;
    expect(spans).toEqual(['tools/call wait of one']);
  });

  verifies('hub:pool', 'works on 16 calls at once; others queue, callers in turn', async () => {
    const { call, end, running } = await open();
    const [anna, bert] = [caller('anna'), caller('bert')];
    // The limits of the calls themselves are wider for several sessions.
    const greedy = [1, 2, 3, 4].flatMap((session) =>
      Array.from({ length: 8 }, (_, n) => call(session * 100 + n, caller(`anna${session}`))),
    );
    await settled();
    expect(running().length).toBeLessThanOrEqual(16);
    const before = running().length;
    expect(before).toBe(16);
    const late = [call(1, anna), call(2, bert)];
    await settled();
    expect(running()).toHaveLength(16);
    for (let ended = 0; ended < greedy.length + late.length; ended++) {
      end();
      await settled();
      expect(running().length).toBeLessThanOrEqual(16);
    }
    for (const { text } of await Promise.all([...greedy, ...late])) expect(text).toBe('done');
  });

  verifies('hub:own', 'has a connection for each caller where its settings say so', async () => {
    const { call, end, calls, hub } = await open({ config: { one: { shared: false } } });
    const answers = ['anna', 'bert', 'anna'].map((principal, n) => call(n, caller(principal)));
    await settled();
    const connectionOf = (n: number) =>
      calls.find(({ message }) => indexOf(message) === n)?.connection;
    expect(connectionOf(0)).toBeDefined();
    expect(connectionOf(1)).not.toBe(connectionOf(0));
    expect(connectionOf(2)).toBe(connectionOf(0));
    expect(hub.find('one')?.connections()).toBeGreaterThanOrEqual(2);
    for (let n = 0; n < 3; n++) end();
    await Promise.all(answers);
  });

  test('is followed over any of its connections', async () => {
    let version = 0;
    const script: ServerScript = {
      handlers: {
        'tools/list': ({ id }, { send }) =>
          send({ id, result: { tools: [{ ...TOOL, name: `tool_${version}` }] } }),
        'tools/call': ({ id }, { send }) => send({ id, result: { content: [] } }),
      },
    };
    const options = { config: { one: { shared: false, idleStopMs: 0 } } };
    const { start, hub, server, clock, registry } = await open(options, script);
    for (const principal of ['anna', 'bert']) {
      await start('mcp__one__tool_0', {}, { caller: caller(principal) }).answer;
    }
    server.connections.at(-1)?.hangUp();
    version = 1;
    clock.advance(60_000);
    for (const { send } of server.connections) send({ method: 'notifications/tools/list_changed' });
    clock.advance(5_000);
    await settled();
    // It was added later, so it waits for the owner.
    const { quarantined = [] } = hub.find('one')?.review?.() ?? {};
    expect(quarantined.map(({ name }) => name)).toEqual(['tool_1']);
    expect(registry.find('mcp__one__tool_1')?.quarantine).toBeDefined();
  });

  test('that lists more tools than are used says so', async () => {
    const many = (from: number) =>
      Array.from({ length: 600 }, (_, at) => ({ ...TOOL, name: `tool_${from + at}` }));
    const pages = [[...many(0), TOOL, TOOL], many(600), many(1_200)];
    const script: ServerScript = {
      handlers: {
        'tools/list': ({ id, params }, { send }) => {
          const page = Number(params?.['cursor'] ?? 0);
          const more = page < 2 ? { nextCursor: String(page + 1) } : {};
          send({ id, result: { tools: pages[page] ?? [], ...more } });
        },
      },
    };
    const { hub, server } = await open({}, script);
    await hub.find('one')?.connect();
    expect(server.connections).not.toEqual([]);
    expect(hub.find('one')?.tools()).toHaveLength(1_000);
    // A repeated one, 201 of the second page, and those of the page that is not read.
    expect(hub.find('one')?.leftOut?.()).toBe(203);
  });

  test('that hangs at its start is not waited for when it is restarted or closed', async () => {
    const script: ServerScript = { handlers: { initialize: () => undefined } };
    const { hub, server } = await open({ start: 'in_background' }, script);
    await settled();
    expect(hub.find('one')?.state().is).toBe('starting');
    // The clock stands still, so neither waits for the limit of the start.
    await hub.find('one')?.restart();
    expect(hub.find('one')?.state().is).toBe('stopped');
    const connecting = hub.find('one')?.connect();
    await settled();
    await hub.close();
    await expect(connecting).rejects.toMatchObject({ class: 'interrupted' });
    expect(server.connections).toHaveLength(2);
  });

  test('keeps at most 32 connections, and ends those that are idle first', async () => {
    const { call, end, hub } = await open({ config: { one: { shared: false } } });
    for (let n = 0; n < 40; n++) {
      const answer = call(n, caller(`client${n}`));
      await settled();
      end();
      expect((await answer).text).toBe('done');
    }
    expect(hub.find('one')?.connections()).toBeLessThanOrEqual(32);
  });

  verifies(
    'hub:era',
    'is asked in the era that it spoke before, also after a restart',
    async () => {
      const stored = new Map<string, Json>();
      const methods = ({ connections }: { connections: ScriptedConnection[] }) =>
        connections.flatMap(({ received }) => received.map(({ method }) => method));
      const first = await open({ stored }, { era: 'modern' });
      expect(methods(first.server).slice(0, 2)).toEqual(['initialize', 'server/discover']);
      const next = await open({ stored }, { era: 'modern' });
      expect(methods(next.server)).toEqual([]);
      const answer = next.call(1);
      await settled();
      expect(methods(next.server)[0]).toBe('server/discover');
      expect(methods(next.server)).not.toContain('initialize');
      next.end();
      expect((await answer).text).toBe('done');
      // One that has changed its era is found again.
      const back = await open({ stored }, { era: 'legacy' });
      const again = back.call(1);
      await settled();
      expect(methods(back.server).slice(0, 2)).toEqual(['server/discover', 'initialize']);
      back.end();
      expect((await again).text).toBe('done');
    },
  );

  verifies('hub:backoff', 'is not tried again too early after failures, then is', async () => {
    let isBroken = true;
    const { call, end, clock, server, hub } = await open(
      {},
      {
        tools: [TOOL],
        handlers: {
          initialize: ({ id }, connection) => {
            if (isBroken) return connection.hangUp();
            connection.send({
              id,
              result: {
                protocolVersion: '2025-11-25',
                capabilities: { tools: {} },
                serverInfo: {},
              },
            });
          },
          'tools/call': ({ id }, { send }) =>
            send({ id, result: { content: [{ type: 'text', text: 'done' }] } }),
        },
      },
    );
    const upstream = hub.find('one');
    const delays: number[] = [];
    for (let failure = 1; failure <= 9; failure++) {
      const state = upstream?.state();
      if (state?.is !== 'waiting') throw new Error(`It is ${state?.is}.`);
      expect(state.failures).toBe(failure);
      delays.push(state.until - clock.now());
      await expect(upstream?.connect()).rejects.toMatchObject({
        reason: { code: 'server_waiting' },
      });
      expect(server.connections).toHaveLength(failure);
      clock.advance(state.until - clock.now());
      if (failure === 9) isBroken = false;
      await upstream?.connect().catch(() => undefined);
    }
    for (const [index, delayMs] of delays.entries()) {
      expect(delayMs).toBeGreaterThanOrEqual(Math.min(60_000, 1_000 * 2 ** index) / 2);
      expect(delayMs).toBeLessThanOrEqual(60_000);
    }
    expect(upstream?.state().is).toBe('connected');
    const answer = call(1);
    end();
    expect((await answer).text).toBe('done');
  });
});
