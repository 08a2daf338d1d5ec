import { readCallResult } from '../call-result.ts';
import type { Io } from '../io.ts';
import { jobRenderer } from '../messages/cli-sentences.ts';
import { rewordError } from '../messages/failure.ts';
import { runWithDaemon } from '../run-with-daemon.ts';

interface ThreadRow {
  readonly id: string;
  readonly title: string;
  readonly turns: number;
  readonly model?: string;
  readonly parent_id?: string;
  readonly created: string;
  readonly updated: string;
}

export interface TurnRow {
  readonly turn: number;
  readonly role: 'user' | 'assistant';
  readonly tool: string;
  readonly provider?: string;
  readonly model?: string;
  readonly at: string;
  readonly files?: readonly string[];
  readonly text: string;
  readonly left_out?: number;
}

/** The result of each action of the tool `threads`, with the field names of the wire. */
interface ThreadsToolResults {
  list: { readonly threads: readonly ThreadRow[]; readonly next?: string };
  show: { readonly thread: ThreadRow; readonly turns: readonly TurnRow[]; readonly next?: number };
  search: {
    readonly matches: readonly {
      readonly id: string;
      readonly title: string;
      readonly turn: number;
      readonly at: string;
      readonly snippet: string;
    }[];
  };
  fork: { readonly thread: ThreadRow };
  rename: { readonly thread: ThreadRow };
  delete: { readonly deleted: string };
}

export type CallThreadsTool = <Action extends keyof ThreadsToolResults>(
  action: Action,
  args: Readonly<Record<string, unknown>>,
) => Promise<ThreadsToolResults[Action]>;

const TOOL = 'threads';

/** Runs work with the threads of the environment's client. The daemon is started if needed. */
export function runWithThreads<T>(
  io: Pick<Io, 'env' | 'stderr'>,
  work: (call: CallThreadsTool) => Promise<T>,
): Promise<T> {
  return runWithDaemon(
    io,
    (client) =>
      work(async <Action extends keyof ThreadsToolResults>(action: Action, args: object) => {
        const params = { name: TOOL, arguments: { action, ...args } };
        const { envelope, error } = readCallResult(await client.request('tools/call', params));
        if (error) throw rewordError(error, jobRenderer);
        return (envelope as Record<string, unknown>)['content'] as ThreadsToolResults[Action];
      }),
    { as: 'bearer' },
  );
}

export interface FullThread {
  readonly thread: ThreadRow;
  readonly turns: readonly TurnRow[];
}

/** The longest text of a turn that the tool returns. */
const MAX_TURN_CHARS = 8_000_000;

/** All turns of a conversation, oldest first. */
export async function loadFullThread(call: CallThreadsTool, id: string): Promise<FullThread> {
  const args = { id, limit: 100, max_chars: MAX_TURN_CHARS };
  const newest = await call('show', args);
  const pages = [newest.turns];
  // Each page starts before the previous one, so that the loop ends even if the conversation grows
  // meanwhile.
  for (let { next } = newest; next !== undefined;) {
    const page = await call('show', { ...args, before: next });
    pages.push(page.turns);
    next = page.next !== undefined && page.next < next ? page.next : undefined;
  }
  return { thread: newest.thread, turns: pages.toReversed().flat() };
}
