import { formatDuration } from '#core/text/format.ts';
import type { Job, JobProgress } from '#core/calls/jobs.ts';
import { oneLine } from '#core/text/text.ts';
import type { JobStatus } from '#core/stores/jobs.ts';
import { estimateTokens } from '#models/estimate-tokens.ts';
import type { JobContent } from './job-content.ts';

const MAX_NOTE_CHARS = 200;
/** Length of the sample that estimates tokens per character. */
const SAMPLE_CHARS = 2000;

/** What a job is doing: `asking kimi-k3, about 300 tokens so far`; empty if unknown. */
export function describeProgress({ note = '', chars = 0, text = '' }: JobProgress): string {
  return [
    ...(note.trim() === '' ? [] : [oneLine(note, MAX_NOTE_CHARS)]),
    ...(chars > 0 ? [`about ${tokensOf(chars, text)} tokens so far`] : []),
  ].join(', ');
}

/** The same with the steps done: `2 of 5, asking kimi-k3`. */
function describeSteps(progress: JobProgress): string {
  const { done, total } = progress;
  const doing = describeProgress(progress);
  if (done === undefined || total === undefined) return doing;
  return `${done} of ${total}${doing === '' ? '' : `, ${doing}`}`;
}

function tokensOf(chars: number, text: string): number {
  const sample = text.slice(-SAMPLE_CHARS);
  const perChar = sample === '' ? 1 / 4 : estimateTokens(sample) / sample.length;
  return Math.max(1, Math.round(chars * perChar));
}

/** The text for a job that is still queued or running. */
export function renderRunning(
  { id, tool, status, createdAt, progress }: Job,
  nowMs: number,
): string {
  const far = describeSteps(progress);
  const doing =
    status === 'queued'
      ? `${tool} waits for its turn as job ${id}`
      : `${tool} still runs as job ${id}`;
  const since = `, for ${formatDuration((nowMs - createdAt) / 1000)}`;
  const again = `Nothing is lost: call job_result again with {"job_id": "${id}"} for the answer.`;
  return `${doing}${since}${far === '' ? '' : ` (${far})`}. ${again}`;
}

/** The last characters of a text, as a preview. */
export function lastChars(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const end = text.slice(-maxChars);
  // Half a surrogate pair is dropped.
  return /^[\uDC00-\uDFFF]/.test(end) ? end.slice(1) : end;
}

const ENDED: Readonly<Record<JobStatus, string>> = {
  queued: 'waits for its turn',
  running: 'is running',
  input_required: 'waits for an answer',
  done: 'is done',
  failed: 'has failed',
  cancelled: 'was cancelled',
};

export function describeStatus(status: JobStatus): string {
  return ENDED[status];
}

export const NO_JOBS = 'You have no jobs. A long call becomes one.';

/** Renders a job as one line. */
export function renderJobRow({
  id,
  tool,
  status,
  created_at: created,
  title = '',
  note = '',
  error_class,
}: JobContent): string {
  const more = error_class ?? oneLine(note, MAX_NOTE_CHARS);
  const about = title === '' || more === '' ? title || more : `${title} (${more})`;
  return [id, minute(created), status, tool, ...(about === '' ? [] : [about])].join('  ');
}

/** `2026-01-31 08:05Z`: short and the same in every time zone. */
function minute(iso: string): string {
  return `${iso.slice(0, 16).replace('T', ' ')}Z`;
}
