import { isAbsolute } from 'node:path';
import type { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import { reason } from '#core/messages/reasons.ts';
import type { Clock } from '#core/time/clock.ts';
import { createErrorLine } from '#programs/error-line.ts';
import { findProgram, searchFolders } from '#programs/find-program.ts';
import { createLineSplitter } from '#programs/program-lines.ts';
import { startProgram, type ProgramExit, type RunningProgram } from '#programs/start-program.ts';
import { createLineReader } from './line-reader.ts';
import type { LinkHandlers, MessageLink } from './message-link.ts';

export interface StdioOptions {
  /** The name of the server. */
  readonly server: string;
  /** An absolute path, or a name that is searched on the PATH of `env`. */
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly maxMessageBytes: number;
  readonly newMark: () => string;
  readonly clock: Clock;
  /** A line of stderr. */
  readonly onStderr: (line: string) => void;
}

const MAX_STDERR_LINE_BYTES = 2_000;
/** How long a program has to end by itself after its stdin was closed, as MCP demands. */
const END_WITHIN_MS = 500;

/** Starts a program and exchanges lines of JSON with it. */
export async function openStdioLink(
  options: StdioOptions,
  handlers: LinkHandlers,
): Promise<MessageLink> {
  const { server, args, cwd, env, clock } = options;
  const file = await resolveCommand(options);
  const program = await startProgram({ file, args, cwd, env, clock });
  const errorLine = createErrorLine();
  let isClosing = false;
  const reader = createLineReader({
    maxBytes: options.maxMessageBytes,
    newMark: options.newMark,
    handlers,
  });
  program.stdout.on('data', (chunk: Buffer) => reader.push(chunk));
  const stderr = createLineSplitter(MAX_STDERR_LINE_BYTES);
  program.stderr.on('data', (chunk: Buffer) => {
    for (const { text } of stderr.push(chunk)) {
      if (text.trim() === '') continue;
      errorLine.push(text);
      options.onStderr(text);
    }
  });
  void program.exited.then((exit) => {
    // What it wrote before its end is read first.
    const end = () => handlers.onClose(isClosing ? stopped(server) : ended(exit));
    if (program.stdout.readableEnded || program.stdout.destroyed) end();
    else {
      program.stdout.once('close', end);
      // A process that left the group may hold the pipe open.
      clock.after(END_WITHIN_MS, () => program.stdout.destroy());
    }
  });

  function ended({ code, signal }: ProgramExit): CallError {
    const said = errorLine.text();
    return codedError(
      'network',
      reason('server_exited', {
        server,
        ...(code !== null && { code }),
        ...(signal !== null && { signal }),
        ...(said !== '' && { stderr: said.slice(0, 200) }),
      }),
    );
  }

  return {
    send: createCorkedSend(program),
    get unsentBytes() {
      return program.stdin.writableLength;
    },
    async close() {
      isClosing = true;
      program.stdin.end();
      const timer = clock.after(END_WITHIN_MS, () => void program.stop());
      await program.exited;
      timer.stop();
    },
  };
}

/** Writes of one turn of the event loop go out together. */
function createCorkedSend({ stdin }: RunningProgram): (json: string) => void {
  let isCorked = false;
  return (json) => {
    if (!isCorked) {
      isCorked = true;
      stdin.cork();
      process.nextTick(() => {
        isCorked = false;
        stdin.uncork();
      });
    }
    stdin.write(`${json}\n`);
  };
}

async function resolveCommand({ command, env, server }: StdioOptions): Promise<string> {
  if (isAbsolute(command)) return command;
  const folders = searchFolders(env['PATH'] ?? '');
  const file = await findProgram({ names: [command], folders });
  if (file !== undefined) return file;
  const detail = `${command} is not on PATH`;
  throw codedError('not_configured', reason('server_not_reached', { server, detail }), {
    fix: `Install ${command}, or set mcpServers.${server}.command to its absolute path.`,
  });
}

function stopped(server: string): CallError {
  return codedError('interrupted', reason('server_stopped', { server }));
}
