import { variable } from '#config/environment.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Clock } from '#core/time/clock.ts';
import { VERSION } from '#core/version.ts';
import { findProgram, searchFolders } from '#programs/find-program.ts';
import { readProgramLines } from '#programs/program-lines.ts';
import { startProgram, type RunningProgram } from '#programs/start-program.ts';
import { isAbsolute } from 'node:path';
import { programFailure } from '../service/run-program.ts';
import { withTimeout } from '../with-timeout.ts';

/** An MCP server over stdio, as a client starts it. */
export interface McpServerProgram {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment, with the PATH on which the command is searched. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

export interface CountToolsOptions {
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

interface RpcMessage {
  readonly id?: unknown;
  readonly result?: { readonly tools?: unknown; readonly nextCursor?: unknown };
  readonly error?: { readonly message?: unknown };
}

const PROTOCOL = '2025-11-25';
const MAX_STDERR_CHARS = 4_000;
const MAX_TEXT_CHARS = 500;
/** How long a server has to end by itself after its input has ended. */
const END_WITHIN_MS = 2_000;

/**
 * Starts an MCP server, greets it, counts its tools and ends it. Throws `not_configured` where the
 * program cannot be started, `timeout` where it does not answer in time, `bad_response` where it
 * answers with an error, and `tool_error` where it ends instead.
 */
export async function countTools(
  server: McpServerProgram,
  { timeoutMs, clock, signal }: CountToolsOptions,
): Promise<number> {
  const file = await resolveCommand(server);
  const { args, cwd, env } = server;
  const program = await startProgram({ file, args, cwd, env, clock });
  const stop = () => void program.stop();
  signal.addEventListener('abort', stop, { once: true });
  // It may have been cancelled while the program started.
  if (signal.aborted) stop();
  try {
    const counted = await withTimeout(clock, timeoutMs, talk(program, server.command));
    if (counted === 'late') throw tooLate(timeoutMs);
    return counted;
  } catch (thrown) {
    if (signal.aborted) throw new CallError('cancelled', 'The check was cancelled.');
    throw thrown;
  } finally {
    signal.removeEventListener('abort', stop);
    program.stdin.end();
    const ended = await withTimeout(clock, END_WITHIN_MS, program.exited);
    if (ended === 'late') await program.stop();
  }
}

async function resolveCommand({ command, env }: McpServerProgram): Promise<string> {
  if (isAbsolute(command)) return command;
  const folders = searchFolders(variable(env, 'PATH') ?? '');
  const file = await findProgram({ names: [command], folders });
  if (file !== undefined) return file;
  throw new CallError('not_configured', `${command} is not on the PATH of this client.`, {
    fix: `Put ${command} on PATH, or run exai init by the path of the program.`,
  });
}

/** The exchange of a client: initialize, initialized, then every page of tools/list. */
async function talk(program: RunningProgram, command: string): Promise<number> {
  let stderr = '';
  program.stderr.on('data', (chunk) => {
    stderr = `${stderr}${String(chunk)}`.slice(0, MAX_STDERR_CHARS);
  });
  const send = (message: object) =>
    void program.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  let lastId = 0;
  const request = (method: string, params: object) => send({ id: ++lastId, method, params });

  const clientInfo = { name: 'exai-init', version: VERSION };
  request('initialize', { protocolVersion: PROTOCOL, capabilities: {}, clientInfo });
  let tools = 0;
  for await (const { text } of readProgramLines(program.stdout)) {
    const message = parseMessage(text);
    if (message?.id !== lastId) continue;
    if (message.error) throw refused(message.error.message);
    if (lastId === 1) {
      send({ method: 'notifications/initialized' });
      request('tools/list', {});
      continue;
    }
    const { tools: page, nextCursor } = message.result ?? {};
    tools += Array.isArray(page) ? page.length : 0;
    if (typeof nextCursor !== 'string') return tools;
    request('tools/list', { cursor: nextCursor });
  }
  const { code } = await program.exited;
  throw programFailure(command, { code, stdout: '', stderr });
}

function parseMessage(line: string): RpcMessage | undefined {
  try {
    return JSON.parse(line) as RpcMessage;
  } catch {
    // Not a message of MCP; clients pass over such lines.
    return undefined;
  }
}

function refused(detail: unknown): CallError {
  const line = typeof detail === 'string' ? oneLine(detail) : 'without a message';
  return new CallError('bad_response', `It answers with an error: ${line}`);
}

function oneLine(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, ' ').slice(0, MAX_TEXT_CHARS);
}

function tooLate(timeoutMs: number): CallError {
  return new CallError('timeout', `It did not answer within ${timeoutMs / 1000} seconds.`, {
    fix: 'See what holds it up: exai doctor',
  });
}
