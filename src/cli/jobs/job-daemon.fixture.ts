import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { withEnvelope } from '../../../test/read-envelope.ts';
import type { CommandArgs, Command } from '../command.ts';
import { createTestIo } from '../test-io.fixture.ts';

export interface ReceivedMessage {
  readonly id?: number;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly uri?: string;
    readonly arguments?: Record<string, unknown>;
    readonly _meta?: Record<string, unknown>;
  };
}

export interface FakeToolCall {
  readonly args: Record<string, unknown>;
  readonly meta: Record<string, unknown>;
  readonly notify: (message: string) => void;
  /** Breaks the connection. */
  readonly cut: () => void;
}

/** The result of a call: an envelope with its text, an error, or none at all. */
export type FakeToolResult =
  | { readonly text: string; readonly envelope: object; readonly isError?: true }
  | { readonly error: object }
  | undefined;

/** Answers by tool name; resources by address. */
export type FakeTools = Readonly<
  Record<string, (asked: FakeToolCall) => FakeToolResult | { readonly json: object }>
>;

/** A fake daemon whose tools answer as the test says. */
export async function startFakeDaemon(tools: FakeTools) {
  const root = mkdtempSync(join(tmpdir(), 'exai-jobs-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const received: ReceivedMessage[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    const write = (message: object) => socket.write(`${JSON.stringify(message)}\n`);
    const send = (message: object) => write({ jsonrpc: '2.0', ...message });
    createInterface({ input: socket }).on('line', (line) => {
      const message = JSON.parse(line) as ReceivedMessage & { readonly exai?: string };
      if (message.exai === 'hello') {
        return write({
          exai: 'welcome',
          version: '999.0.0',
          instance: 'i',
          replay: [],
          notices: [],
        });
      }
      received.push(message);
      const { id, method, params } = message;
      if (method === 'initialize') return send({ id, result: { protocolVersion: '2025-11-25' } });
      const { name, uri, arguments: args = {}, _meta: meta = {} } = params ?? {};
      const tool = tools[name ?? uri ?? ''];
      const result = tool?.({
        args,
        meta,
        notify: (words) =>
          send({
            method: 'notifications/progress',
            params: { progressToken: meta['progressToken'], progress: 1, message: words },
          }),
        cut: () => socket.destroy(),
      });
      if (result) send({ id, ...toRpcReply(result) });
    });
  });
  await new Promise<void>((resolve) => server.listen(join(root, 'daemon.sock'), resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { root, received };
}

function toRpcReply(result: NonNullable<FakeToolResult> | { readonly json: object }): object {
  if ('json' in result) return { result: { contents: [{ text: JSON.stringify(result.json) }] } };
  if ('error' in result) return result;
  const { text, envelope, isError } = result;
  const content = [{ type: 'text', text }];
  return { result: { content, ...withEnvelope(envelope), ...(isError && { isError }) } };
}

export interface RunOptions {
  readonly output?: 'terminal' | 'pipe';
  readonly signal?: AbortSignal;
}

/** Runs a command without reporting its failures. */
export async function runCommand(
  command: Command,
  root: string,
  { options = {}, positionals = {} }: Partial<CommandArgs>,
  run: RunOptions = {},
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const { output, signal } = run;
  const { io, texts } = createTestIo(root, {
    charset: 'ascii',
    ...(output === 'terminal' && { width: 100 }),
    ...(signal && { signal }),
  });
  const code = (await command.run({ options, positionals }, io)) ?? 0;
  return { code, ...texts };
}
