import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import type { Args, Command } from './command.ts';
import type { Io } from './io.ts';
import { plain } from './paint.ts';

export interface Heard {
  readonly id?: number;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly uri?: string;
    readonly arguments?: Record<string, unknown>;
    readonly _meta?: Record<string, unknown>;
  };
}

export interface Asked {
  readonly args: Record<string, unknown>;
  readonly meta: Record<string, unknown>;
  readonly tell: (message: string) => void;
  /** The connection breaks. */
  readonly cut: () => void;
}

/** What comes back: an envelope with its text, or a refusal, or nothing at all. */
export type Said =
  | { readonly text: string; readonly envelope: object; readonly isError?: true }
  | { readonly error: object }
  | undefined;

/** Each is asked by its name; a resource by its address. */
export type Sayings = Readonly<Record<string, (asked: Asked) => Said | { readonly json: object }>>;

/** A daemon in the place of ours, whose tools say what the test says. */
export async function daemonWith(sayings: Sayings) {
  const root = mkdtempSync(join(tmpdir(), 'exai-jobs-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const heard: Heard[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    const write = (message: object) => socket.write(`${JSON.stringify(message)}\n`);
    const say = (message: object) => write({ jsonrpc: '2.0', ...message });
    createInterface({ input: socket }).on('line', (line) => {
      const message = JSON.parse(line) as Heard & { readonly exai?: string };
      if (message.exai === 'hello') {
        return write({
          exai: 'welcome',
          version: '999.0.0',
          instance: 'i',
          replay: [],
          notices: [],
        });
      }
      heard.push(message);
      const { id, method, params } = message;
      if (method === 'initialize') return say({ id, result: { protocolVersion: '2025-11-25' } });
      const { name, uri, arguments: args = {}, _meta: meta = {} } = params ?? {};
      const saying = sayings[name ?? uri ?? ''];
      const said = saying?.({
        args,
        meta,
        tell: (words) =>
          say({
            method: 'notifications/progress',
            params: { progressToken: meta['progressToken'], progress: 1, message: words },
          }),
        cut: () => socket.destroy(),
      });
      if (said) say({ id, ...replyOf(said) });
    });
  });
  await new Promise<void>((resolve) => server.listen(join(root, 'daemon.sock'), resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { root, heard };
}

function replyOf(said: NonNullable<Said> | { readonly json: object }): object {
  if ('json' in said) return { result: { contents: [{ text: JSON.stringify(said.json) }] } };
  if ('error' in said) return said;
  const { text, envelope, isError } = said;
  const content = [{ type: 'text', text }];
  return { result: { content, structuredContent: envelope, ...(isError && { isError }) } };
}

export interface Ways {
  readonly output?: 'terminal' | 'pipe';
  readonly signal?: AbortSignal;
}

/** Runs a command as the command line does, without its words for failures. */
export async function runCommand(
  command: Command,
  root: string,
  { options = {}, positionals = {} }: Partial<Args>,
  ways: Ways = {},
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const texts = { out: '', err: '' };
  const isTerminal = ways.output === 'terminal';
  const io: Io = {
    stdout: { write: (text) => void (texts.out += text) },
    stderr: { write: (text) => void (texts.err += text) },
    env: { EXAI_HOME: root, HOME: root, EXAI_AUTOSTART: 'false', NO_COLOR: '1' },
    paint: plain,
    charset: 'ascii',
    ...(isTerminal && { width: 100 }),
    progress: isTerminal ? 'live' : 'none',
    signal: ways.signal ?? new AbortController().signal,
  };
  const code = (await command.run({ options, positionals }, io)) ?? 0;
  return { code, ...texts };
}
