import type { DaemonClient } from '#client/daemon-client.ts';
import { CallError } from '#core/errors/call-error.ts';
import { readCallResult, type ToolCallResult } from '../call-result.ts';
import type { Io } from '../io.ts';
import { chatRenderer } from '../messages/chat-sentences.ts';
import { rewordError } from '../messages/failure.ts';
import { runWithDaemon } from '../run-with-daemon.ts';
import type { CallThreadsTool } from '../threads/threads-tool.ts';

/**
 * Runs work with the daemon, which is started if needed. A chat holds no connection while it is
 * idle.
 */
export type ChatConnect = <T>(
  work: (client: DaemonClient) => Promise<T>,
  as?: 'owner' | 'bearer',
) => Promise<T>;

/** Each notice of the daemon is passed to `showNotice` once. */
export function createChatConnect(
  io: Pick<Io, 'env' | 'stderr'>,
  showNotice: (notice: string) => void,
): (signal: AbortSignal) => ChatConnect {
  const shown = new Set<string>();
  return (signal) =>
    (work, as = 'bearer') =>
      rejectOnAbort(signal, () =>
        runWithDaemon(
          io,
          async (client) => {
            for (const { text } of client.notices) {
              if (!shown.has(text)) showNotice(text);
              shown.add(text);
            }
            return work(client);
          },
          { noticeOutput: 'skip', as },
        ),
      );
}

/** A daemon that is starting cannot be cancelled, so the wait for it is abandoned. */
async function rejectOnAbort<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  let onAbort: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(new CallError('cancelled', 'Cancelled.'));
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([aborted, work()]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Calls a tool; throws its failure. */
export async function callTool(
  client: DaemonClient,
  name: string,
  args: object,
): Promise<Pick<ToolCallResult, 'text' | 'envelope'> & { readonly content: unknown }> {
  const result = await client.request('tools/call', { name, arguments: args });
  const { envelope, text, error } = readCallResult(result);
  if (error) throw rewordError(error, chatRenderer);
  const { content } = envelope as Record<string, unknown>;
  return { envelope, text, content };
}

/** The tool `threads`, called through this client. */
export function threadsTool(client: DaemonClient): CallThreadsTool {
  return async (action, args) => {
    const { content } = await callTool(client, 'threads', { action, ...args });
    // The daemon is of the same version; ThreadsToolResults describes its results.
    return content as never;
  };
}
