import { duration } from '#core/duration.ts';
import type { Job, JobProgress } from '#core/jobs.ts';
import { oneLine } from '#core/one-line.ts';
import type { JobStatus } from '#core/stores/jobs.ts';
import { estimateTokens } from '#models/estimate-tokens.ts';
import type { JobRow } from './content.ts';

const MAX_NOTE_CHARS = 200;
/** Enough of a text to tell how many tokens its characters are. */
const SAMPLE_CHARS = 2000;

/** What it does: `asking kimi-k3, about 300 tokens so far`; nothing when nothing was told. */
export function doingWords({ note = '', chars = 0, text = '' }: JobProgress): string {
  return [
    ...(note.trim() === '' ? [] : [oneLine(note, MAX_NOTE_CHARS)]),
    ...(chars > 0 ? [`about ${tokensOf(chars, text)} tokens so far`] : []),
  ].join(', ');
}

/** The same with how far it is: `2 of 5, asking kimi-k3`. */
function soFarWords(progress: JobProgress): string {
  const { done, total } = progress;
  const doing = doingWords(progress);
  if (done === undefined || total === undefined) return doing;
  return `${done} of ${total}${doing === '' ? '' : `, ${doing}`}`;
}

function tokensOf(chars: number, text: string): number {
  const sample = text.slice(-SAMPLE_CHARS);
  const perChar = sample === '' ? 1 / 4 : estimateTokens(sample) / sample.length;
  return Math.max(1, Math.round(chars * perChar));
}

/** How one stands that nobody waits for any longer. */
export function runningWords(
  { id, tool, status, createdAt, progress }: Job,
  nowMs: number,
): string {
  const far = soFarWords(progress);
  const doing =
    status === 'queued'
      ? `${tool} waits for its turn as job ${id}`
      : `${tool} still runs as job ${id}`;
  const since = `, for ${duration((nowMs - createdAt) / 1000)}`;
  const again = `Nothing is lost: call job_result again with {"job_id": "${id}"} for the answer.`;
  return `${doing}${since}${far === '' ? '' : ` (${far})`}. ${again}`;
}

/** The last of what has been written so far; a few lines show what it is about. */
export function endOf(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const end = text.slice(-maxChars);
  // Half a character means nothing without the other half.
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

export function statusWords(status: JobStatus): string {
  return ENDED[status];
}

export const NO_JOBS = 'You have no jobs: a call that takes long becomes one.';

/** A line for each. */
export function rowWords({
  id,
  tool,
  status,
  created_at: created,
  title = '',
  note = '',
  error_class,
}: JobRow): string {
  const more = error_class ?? oneLine(note, MAX_NOTE_CHARS);
  const about = title === '' || more === '' ? title || more : `${title} (${more})`;
  return [id, minute(created), status, tool, ...(about === '' ? [] : [about])].join('  ');
}

/** `2026-01-31 08:05Z`: short, and the same wherever it is read. */
function minute(iso: string): string {
  return `${iso.slice(0, 16).replace('T', ' ')}Z`;
}
