import { ERROR_POLICY } from '#core/errors/error-class.ts';
import { formatEnvelopeFooter } from '../ask/answer-footer.ts';
import { formatCallFailure, type ToolCallResult } from '../call-result.ts';
import { paintFor } from '../format/colors.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { printRawJson, type Io } from '../io.ts';
import { jobRenderer } from '../messages/cli-sentences.ts';

/** The job that an envelope's answer belongs to, or that continues in the background. */
interface EnvelopeJob {
  readonly id: string;
  readonly status: string;
}

export function readEnvelopeJob(envelope: unknown): EnvelopeJob | undefined {
  const { job } = asRecord(envelope);
  const { id, status } = asRecord(job);
  return typeof id === 'string' && typeof status === 'string' ? { id, status } : undefined;
}

/** Whether the envelope has no answer yet because its job still runs. */
export function isJobRunning(envelope: unknown): boolean {
  const status = readEnvelopeJob(envelope)?.status;
  return status === 'queued' || status === 'running';
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

interface JobFacts {
  readonly id: string;
  readonly status: string;
  readonly tool?: string;
  readonly note?: string;
  readonly asks?: readonly { readonly name: string; readonly message?: string }[];
}

/**
 * The state of a job without an answer, with the commands for it. `text` is used for anything that
 * is not a job.
 */
function describeJobState(envelope: unknown, text: string): string {
  const { job, content } = (envelope ?? {}) as {
    readonly job?: unknown;
    readonly content?: unknown;
  };
  const facts = job as Partial<JobFacts> | undefined;
  if (typeof facts?.id !== 'string' || typeof facts.status !== 'string') return text;
  const sentence = describeJobStatus({ ...facts, id: facts.id, status: facts.status });
  if (sentence === undefined) return text;
  const written = typeof content === 'string' && content !== '' ? content : undefined;
  return escapeControls(
    written === undefined ? sentence : `${sentence}\n\nWhat it had written by then:\n${written}`,
  );
}

function describeJobStatus({
  id,
  status,
  tool = 'The call',
  note,
  asks = [],
}: JobFacts): string | undefined {
  const doing = typeof note === 'string' && note !== '' ? ` (${note})` : '';
  const onward = `Get the answer with: exai jobs result ${id} --wait, or stop it with: exai jobs cancel ${id}`;
  switch (status) {
    case 'queued':
      return `${tool} waits for its turn as job ${id}${doing}. ${onward}`;
    case 'running':
      return `${tool} still runs as job ${id}${doing}. ${onward}`;
    case 'cancelled':
      return `Job ${id} was cancelled.`;
    case 'input_required': {
      const known = Array.isArray(asks)
        ? asks.filter((each) => typeof each?.name === 'string')
        : [];
      const wants = known.map(({ name, message }) =>
        message === undefined ? name : `"${message}"`,
      );
      const what = wants.length === 0 ? '' : `: ${wants.join('; ')}`;
      return (
        `${tool} (job ${id}) waits for an answer that it cannot be given here${what}. ` +
        `Look at the job from a client that can be asked (one with MCP elicitation), or stop it with: exai jobs cancel ${id}`
      );
    }
    default:
      return undefined;
  }
}

interface DetachedJobOptions {
  /** `json`: the envelope has everything, and the caller prints it. */
  readonly format: 'text' | 'json';
  readonly what: 'answer' | 'job';
}

/**
 * Prints how to get the answer of a call that continues as a job; returns the exit code. Undefined
 * where the answer is there.
 */
export function reportDetachedJob(
  io: Pick<Io, 'stdout' | 'stderr'>,
  { text, envelope, exit }: ToolCallResult,
  { format, what }: DetachedJobOptions,
): number | undefined {
  const job = exit === 0 && isJobRunning(envelope) ? readEnvelopeJob(envelope) : undefined;
  if (!job) return undefined;
  const id = escapeControls(job.id);
  if (what === 'job') {
    // The id alone on standard output, for scripts.
    if (format === 'text') io.stdout.write(`${id}\n`);
    if (format === 'text') io.stderr.write(`Follow it: exai jobs result ${id} --wait\n`);
    return 0;
  }
  if (format === 'text') io.stderr.write(`exai: ${describeJobState(envelope, text)}\n`);
  // The caller waited for an answer and has none.
  return ERROR_POLICY.timeout.exit;
}

/**
 * Prints the result or the state of a job; returns the exit code. Only an answer goes to standard
 * output.
 */
export function printJobResult(
  io: Pick<Io, 'stdout' | 'stderr' | 'env' | 'progress'>,
  result: ToolCallResult,
  format: 'text' | 'json',
): number {
  const { text, envelope } = result;
  const exit = jobExitCode(result);
  if (format === 'json') printRawJson(io, envelope);
  else if (exit === 0) io.stdout.write(`${text}\n`);
  else
    io.stderr.write(
      `exai: ${result.error ? formatCallFailure(result, jobRenderer) : describeJobState(envelope, text)}\n`,
    );
  if (format === 'json') return exit;
  const line = formatEnvelopeFooter(envelope);
  const paint = paintFor(io.env, io.progress === 'live' ? 'terminal' : 'file');
  if (line !== '') io.stderr.write(`${paint('dim', escapeControls(line))}\n`);
  return exit;
}

/** A missing answer must not look like success to a script. */
function jobExitCode({ envelope, exit }: ToolCallResult): number {
  if (exit !== 0) return exit;
  if (isJobRunning(envelope)) return ERROR_POLICY.timeout.exit;
  const status = readEnvelopeJob(envelope)?.status;
  if (status === 'cancelled') return ERROR_POLICY.cancelled.exit;
  return status === 'input_required' ? ERROR_POLICY.bad_request.exit : 0;
}
