import { DaemonError, type DaemonClient, type RequestOptions } from '#client/daemon-client.ts';
import type { Progress } from '#core/calls/call.ts';
import { CallError } from '#core/errors/call-error.ts';
import { reason } from '#core/messages/reasons.ts';
import { sleep, type Clock } from '#core/time/clock.ts';
import { readCallResult, type ToolCallResult } from '../call-result.ts';
import type { Io } from '../io.ts';
import { jobRenderer } from '../messages/cli-sentences.ts';
import { rewordError } from '../messages/failure.ts';
import { runWithDaemon } from '../run-with-daemon.ts';
import { isJobRunning, readEnvelopeJob } from './job-result.ts';

export interface ListedJob {
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

/** The content of each tool's result, with the field names of the wire. */
interface JobToolResults {
  job_list: { readonly jobs: readonly ListedJob[]; readonly next?: string };
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

/** The part of DaemonClient that is used here. */
type JobClient = Pick<DaemonClient, 'request'>;

/** Runs work with the jobs of the environment's client. The daemon is started if needed. */
export function runWithJobs<T>(
  io: Pick<Io, 'env' | 'stderr'>,
  work: (client: JobClient) => Promise<T>,
): Promise<T> {
  return runWithDaemon(io, (client) => rewordJobErrors(() => work(client)), { as: 'bearer' });
}

/** Rewords failures so that they name commands instead of tools. */
export async function rewordJobErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    // Errors that are not from the daemon keep their stack.
    if (!(thrown instanceof CallError) || thrown.class === 'internal') throw thrown;
    throw rewordError(withIdField(thrown), jobRenderer);
  }
}

/** Names of the id in requests to the daemon; on the command line it is the argument `<id>`. */
const ID_FIELDS: ReadonlySet<string> = new Set(['uri', 'job_id']);

function withIdField(error: CallError): CallError {
  if (error.field === undefined || !ID_FIELDS.has(error.field)) return error;
  const { reason: why } = error;
  const renamed =
    why?.code === 'invalid_id' ? reason('invalid_id', { ...why.params, argument: 'id' }) : why;
  return new CallError(error.class, error.message, {
    ...error.facts(),
    field: 'id',
    ...(renamed && { reason: renamed }),
    cause: error,
  });
}

/** Calls a job tool; returns its content and throws its failure. */
export async function readJobTool<Name extends keyof JobToolResults>(
  client: JobClient,
  name: Name,
  args: object,
): Promise<JobToolResults[Name]> {
  const { envelope, error } = await callJobTool(client, name, args);
  if (error) throw error;
  // The daemon is of the same version; JobToolResults describes its results.
  return (envelope as Record<string, unknown>)['content'] as JobToolResults[Name];
}

export async function callJobTool(
  client: JobClient,
  name: string,
  args: object,
  options?: RequestOptions,
): Promise<ToolCallResult> {
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

/** Reads the state of a job without its answer. */
export async function readJobState(client: JobClient, id: string): Promise<JobState> {
  const uri = `exai://jobs/${encodeURIComponent(id)}`;
  const { contents } = (await client.request('resources/read', { uri })) as {
    readonly contents: readonly { readonly text: string }[];
  };
  return JSON.parse(contents[0]?.text ?? '{}') as JobState;
}

export interface FollowJobOptions {
  /** Runs work with the daemon, which is started if needed. */
  readonly connect: <T>(work: (client: JobClient) => Promise<T>) => Promise<T>;
  readonly clock: Clock;
  /** Ends following, not the job. */
  readonly signal: AbortSignal;
  readonly onProgress: (step: Progress) => void;
}

/** The longest wait of the tool in one call. */
const WAIT_S = 40;
/** How long to wait for a daemon that is not ours to start. */
const BACK_WITHIN_MS = 60_000;
const BETWEEN_TRIES_MS = 500;
/** The interval for a daemon that answers without waiting. */
const BETWEEN_LOOKS_MS = 1000;

/**
 * Waits for the answer of a job, or for its next input request. If the daemon restarts meanwhile,
 * it is waited for.
 */
export async function followJob(id: string, deps: FollowJobOptions): Promise<ToolCallResult> {
  const { connect, clock, signal } = deps;
  let isKnown = false;
  let lostAt: number | undefined;
  const onHeard = () => (lostAt = undefined);
  const onProgress = (step: Progress) => {
    onHeard();
    deps.onProgress(step);
  };
  for (;;) {
    try {
      return await connect((client) => {
        isKnown = true;
        return pollJob(client, id, { ...deps, onProgress }, onHeard);
      });
    } catch (thrown) {
      lostAt ??= clock.monotonic();
      // A daemon that was never reached is not waited for.
      const canBeBack = isKnown && clock.monotonic() - lostAt < BACK_WITHIN_MS;
      if (signal.aborted || !isLost(thrown) || !canBeBack) throw thrown;
    }
    deps.onProgress({ note: 'waiting for the daemon' });
    await sleep(clock, BETWEEN_TRIES_MS, signal);
  }
}

async function pollJob(
  client: JobClient,
  id: string,
  { clock, signal, onProgress }: FollowJobOptions,
  onHeard: () => void,
): Promise<ToolCallResult> {
  const args = { job_id: id, wait_seconds: WAIT_S };
  for (;;) {
    const askedAt = clock.monotonic();
    const result = await callJobTool(client, 'job_result', args, { signal, onProgress });
    if (isStopping(result)) throw new CallError('network', 'The daemon is stopping.');
    onHeard();
    if (!isJobRunning(result.envelope)) return result;
    await sleep(clock, Math.max(0, askedAt + BETWEEN_LOOKS_MS - clock.monotonic()), signal);
    signal.throwIfAborted();
  }
}

/** The poll was interrupted, not the job: the envelope of an interrupted job names the job. */
function isStopping({ envelope, exit }: ToolCallResult): boolean {
  const { error_class: name } = envelope as { readonly error_class?: unknown };
  return exit !== 0 && name === 'interrupted' && readEnvelopeJob(envelope) === undefined;
}

/** An error that the daemon sent came over a working connection. */
function isLost(thrown: unknown): boolean {
  return (
    thrown instanceof CallError && thrown.class === 'network' && !(thrown instanceof DaemonError)
  );
}
