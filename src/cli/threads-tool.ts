import { askDaemon } from './ask-daemon.ts';
import { readCallResult } from './call-result.ts';
import type { Io } from './io.ts';
import { jobRenderer } from './messages/cli-sentences.ts';
import { retold } from './messages/failure.ts';

export interface ThreadRow {
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

/** What each action of the tool `threads` tells, by the names that clients know. */
export interface ThreadAnswers {
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

export type CallThreads = <Action extends keyof ThreadAnswers>(
  action: Action,
  args: Readonly<Record<string, unknown>>,
) => Promise<ThreadAnswers[Action]>;

const TOOL = 'threads';

/** Works with the conversations of whoever the environment says we are, at the daemon, which is started if need be. */
export function withThreads<T>(
  io: Pick<Io, 'env' | 'stderr'>,
  work: (call: CallThreads) => Promise<T>,
): Promise<T> {
  return askDaemon(
    io,
    (client) =>
      work(async <Action extends keyof ThreadAnswers>(action: Action, args: object) => {
        const params = { name: TOOL, arguments: { action, ...args } };
        const { envelope, error } = readCallResult(await client.request('tools/call', params));
        if (error) throw retold(error, jobRenderer);
        return (envelope as Record<string, unknown>)['content'] as ThreadAnswers[Action];
      }),
    { as: 'bearer' },
  );
}
