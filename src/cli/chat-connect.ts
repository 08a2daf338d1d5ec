import type { DaemonClient } from '#client/daemon-client.ts';
import { CallError } from '#core/call-error.ts';
import { askDaemon } from './ask-daemon.ts';
import { readCallResult, type CallResult } from './call-result.ts';
import type { Io } from './io.ts';
import { chatRenderer } from './messages/chat-sentences.ts';
import { retold } from './messages/failure.ts';
import type { CallThreads } from './threads-tool.ts';

/** Works with the daemon, which is started if need be; a chat holds no connection while nobody asks anything. */
export type Connect = <T>(
  work: (client: DaemonClient) => Promise<T>,
  as?: 'owner' | 'bearer',
) => Promise<T>;

/** `tell` hears each notice of the daemon's once. */
export function createConnect(
  io: Pick<Io, 'env' | 'stderr'>,
  tell: (notice: string) => void,
): (signal: AbortSignal) => Connect {
  const told = new Set<string>();
  return (signal) =>
    (work, as = 'bearer') =>
      unlessAborted(signal, () =>
        askDaemon(
          io,
          async (client) => {
            for (const { text } of client.notices) {
              if (!told.has(text)) tell(text);
              told.add(text);
            }
            return work(client);
          },
          { notices: 'left to the work', as },
        ),
      );
}

/** A daemon that is just starting cannot be told to stop; nobody has to wait for it. */
async function unlessAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
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

/** The result of a tool; throws its failure. */
export async function callTool(
  client: DaemonClient,
  name: string,
  args: object,
): Promise<Pick<CallResult, 'text' | 'envelope'> & { readonly content: unknown }> {
  const result = await client.request('tools/call', { name, arguments: args });
  const { envelope, text, error } = readCallResult(result);
  if (error) throw retold(error, chatRenderer);
  const { content } = envelope as Record<string, unknown>;
  return { envelope, text, content };
}

/** The conversations of whoever chats. */
export function threadsOver(client: DaemonClient): CallThreads {
  return async (action, args) => {
    const { content } = await callTool(client, 'threads', { action, ...args });
    // The daemon is ours; what it answers to an action is told in one place.
    return content as never;
  };
}
