import type { DaemonClient, RequestOptions } from '#client/daemon-client.ts';
import { CallError } from '#core/call-error.ts';
import { askDaemon } from './ask-daemon.ts';
import { readCallResult, type CallResult } from './call-result.ts';
import type { Io } from './io.ts';
import { jobRenderer } from './messages/cli-sentences.ts';
import { retold } from './messages/failure.ts';

export interface JobRow {
  readonly id: string;
  readonly tool: string;
  readonly status: string;
  readonly title?: string;
  readonly note?: string;
  readonly error_class?: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly finished_at?: string;
}

/** What each of the tools tells, by the names that clients know. */
export interface JobAnswers {
  job_list: { readonly jobs: readonly JobRow[]; readonly next?: string };
  job_cancel: {
    readonly id: string;
    readonly outcome: 'cancelled' | 'already_over';
    readonly status: string;
  };
  read_result: {
    readonly id: string;
    readonly tool: string;
    readonly offset: number;
    readonly chars: number;
    readonly next?: number;
    readonly text: string;
  };
}

/** As much of the daemon as is asked here. */
export type Asked = Pick<DaemonClient, 'request'>;

/** Works with the jobs of whoever the environment says we are, at the daemon, which is started if need be. */
export function withJobs<T>(
  io: Pick<Io, 'env' | 'stderr'>,
  work: (client: Asked) => Promise<T>,
): Promise<T> {
  return askDaemon(io, (client) => inWords(() => work(client)), { as: 'bearer' });
}

/** Failures are told with the commands that one can type. */
export async function inWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    // What is no refusal of the daemon's keeps its place.
    if (!(thrown instanceof CallError) || thrown.class === 'internal') throw thrown;
    throw retold(thrown, jobRenderer);
  }
}

/** What a tool tells as data; throws its failure. */
export async function tellOf<Name extends keyof JobAnswers>(
  client: Asked,
  name: Name,
  args: object,
): Promise<JobAnswers[Name]> {
  const { envelope, error } = await callJobTool(client, name, args);
  if (error) throw error;
  // The daemon is ours; what its tools answer is told in one place.
  return (envelope as Record<string, unknown>)['content'] as JobAnswers[Name];
}

export async function callJobTool(
  client: Asked,
  name: string,
  args: object,
  options?: RequestOptions,
): Promise<CallResult> {
  const params = { name, arguments: args };
  return readCallResult(await client.request('tools/call', params, options));
}

export interface JobState {
  readonly id: string;
  readonly tool: string;
  readonly status: string;
  readonly title?: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly finished_at?: string;
  readonly kept_until?: string;
  readonly note?: string;
  readonly done?: number;
  readonly total?: number;
  readonly chars?: number;
  readonly runs: number;
  readonly asks?: readonly { readonly name: string; readonly message?: string }[];
  readonly error_class?: string;
  readonly detail?: string;
}

/** How a job stands, without its answer. */
export async function stateOfJob(client: Asked, id: string): Promise<JobState> {
  const uri = `exai://jobs/${encodeURIComponent(id)}`;
  const { contents } = (await client.request('resources/read', { uri })) as {
    readonly contents: readonly { readonly text: string }[];
  };
  return JSON.parse(contents[0]?.text ?? '{}') as JobState;
}
