/** The SDK's own client, in each way it can open a connection, over a real WebSocket. */
import { Client, ProtocolError, type ClientOptions } from '@modelcontextprotocol/client';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { createListLog } from '../../../test/list-log.ts';
import { envelopeOf } from '../../../test/read-envelope.ts';
import { verifies } from '../../../test/verifies.ts';
import type { Channel } from '../channel.ts';
import { sinkOverChannel } from './mcp-sink.ts';
import { createMcpSession } from './mcp-session.ts';
import { createServerInfo } from './server-info.ts';
import {
  CALLER,
  createTestCalls,
  SERVER_META,
  success,
  type TestCalls,
} from './session.fixture.ts';

let calls: TestCalls;
let listener: WebSocketServer;
let client: Client;

async function listen(): Promise<void> {
  calls = createTestCalls();
  listener = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
  listener.on('connection', (socket) => {
    const channel: Channel = {
      transport: 'ws',
      isClear: true,
      send: (text) => socket.send(text),
      close: (code, reason) => socket.close(code, reason),
    };
    const about = { caller: CALLER, session: 's1', transport: 'ws' };
    const serverInfo = createServerInfo('1.2.3', 'Ask.');
    const deps = {
      calls,
      clock: createFakeClock(),
      log: createListLog(),
      serverInfo: () => serverInfo,
      watching: { chars: 0 },
    };
    const session = createMcpSession(sinkOverChannel(channel), about, deps);
    socket.on('message', (data: Buffer) => session.onMessage(data.toString()));
    socket.on('close', () => session.onClose());
  });
  await once(listener, 'listening');
}

function createWsTransport(socket: WebSocket): Transport {
  const transport: Transport = {
    async start() {
      await once(socket, 'open');
      socket.on('message', (data: Buffer) =>
        transport.onmessage?.(JSON.parse(data.toString()) as JSONRPCMessage),
      );
      socket.on('close', () => transport.onclose?.());
    },
    send: (message) => Promise.resolve(socket.send(JSON.stringify(message))),
    close() {
      socket.close();
      return Promise.resolve();
    },
  };
  return transport;
}

async function connect(versionNegotiation: ClientOptions['versionNegotiation']): Promise<void> {
  const { port } = listener.address() as AddressInfo;
  client = new Client(
    { name: 'test', version: '1' },
    { ...(versionNegotiation && { versionNegotiation }) },
  );
  await client.connect(createWsTransport(new WebSocket(`ws://127.0.0.1:${port}`)));
}

/** Until the server has started so many calls. */
async function untilStarted(count: number): Promise<void> {
  await expect.poll(() => calls.started.length).toBe(count);
}

describe.each([
  { as: 'by default', negotiation: undefined, version: '2025-11-25' },
  { as: 'as it finds out itself', negotiation: { mode: 'auto' as const }, version: '2026-07-28' },
  {
    as: 'pinned to 2026-07-28',
    negotiation: { mode: { pin: '2026-07-28' } },
    version: '2026-07-28',
  },
])('the client of the SDK, $as', ({ negotiation, version }) => {
  beforeEach(async () => {
    await listen();
    await connect(negotiation);
  });
  afterEach(async () => {
    await client.close();
    listener.close();
    for (const socket of listener.clients) socket.terminate();
  });

  verifies('mcp:eras', 'agrees on the version and learns what there is', () => {
    expect({
      version: client.getNegotiatedProtocolVersion(),
      capabilities: client.getServerCapabilities(),
      instructions: client.getInstructions(),
      server: client.getServerVersion(),
    }).toEqual({
      version,
      capabilities: createServerInfo('', '').capabilities,
      instructions: 'Ask.',
      server: SERVER_META['io.modelcontextprotocol/serverInfo'],
    });
  });

  verifies('mcp:eras', 'lists the tools', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['echo', 'wait']);
  });

  verifies('mcp:eras', 'calls one, and many at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) => client.callTool({ name: 'echo', arguments: { n } })),
    );
    expect(answers.map(envelopeOf)).toEqual(
      answers.map((_, n) => success('echo', `req_${n + 1}`, { n }).envelope),
    );
  });

  verifies('mcp:eras', 'gets progress', async () => {
    const steps: unknown[] = [];
    const answer = client.callTool({ name: 'wait' }, { onprogress: (step) => steps.push(step) });
    await untilStarted(1);
    const [call] = calls.started;
    call?.request.onProgress?.({ done: 1, total: 2, note: 'half' });
    call?.request.onProgress?.({ done: 2, total: 2 });
    // The client forgets a call's progress with its answer, which it may read first.
    await expect.poll(() => steps.length).toBe(2);
    call?.answer(success('wait', 'req_1', 'done'));
    await answer;
    expect(steps).toEqual([
      { progress: 1, total: 2, message: 'half' },
      { progress: 2, total: 2 },
    ]);
  });

  verifies('mcp:eras', 'cancels a call, whose work then stops', async () => {
    const controller = new AbortController();
    const answer = client.callTool({ name: 'wait' }, { signal: controller.signal });
    const failed = answer.catch((error: unknown) => error);
    await untilStarted(1);
    controller.abort('enough');
    expect(String(await failed)).toContain('enough');
    await expect.poll(() => calls.started[0]?.cancelledWith).toBe('nothing');
    const result = await client.callTool({ name: 'echo' });
    expect(envelopeOf(result)).toMatchObject({ status: 'success' });
  });

  verifies('mcp:eras', 'gets an error for an unknown tool', async () => {
    const thrown: unknown = await client
      .callTool({ name: 'ecco' })
      .catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(ProtocolError);
    expect(thrown).toMatchObject({
      code: -32602,
      message: expect.stringContaining('did you mean "echo"') as string,
      data: { error_class: 'not_found' },
    });
  });

  verifies('mcp:eras', 'is notified that the list changed', async () => {
    let heard = 0;
    client.setNotificationHandler('notifications/tools/list_changed', () => void (heard += 1));
    if (version === '2026-07-28') await client.listen({ toolsListChanged: true });
    // Answered behind `initialized`, so that has arrived.
    await client.listTools();
    calls.change();
    await expect.poll(() => heard).toBe(1);
  });

  verifies('mcp:eras', 'leaves, and what runs for it is cancelled', async () => {
    const answer = client.callTool({ name: 'wait' });
    const failed = answer.catch((error: unknown) => error);
    await untilStarted(1);
    await client.close();
    expect(String(await failed)).toContain('Connection closed');
    await expect.poll(() => calls.started[0]?.cancelledWith).toMatchObject({ class: 'cancelled' });
    await expect.poll(() => calls.listeners).toBe(0);
  });
});
