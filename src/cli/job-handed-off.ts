import { ERROR_POLICY } from '#core/error-class.ts';
import { type CallResult } from './call-result.ts';
import type { Io } from './io.ts';
import { isUnderWay, jobOf } from './job-envelope.ts';
import { jobText } from './messages/job-text.ts';
import { harmless } from './terminal-text.ts';

export interface Wanted {
  /** `json`: the envelope tells all, and is printed by whoever asked. */
  readonly format: 'words' | 'json';
  readonly what: 'answer' | 'job';
}

/** Tells how to get an answer that is still to come, and gives the exit code; nothing where the answer is there. */
export function tellHandedOff(
  io: Pick<Io, 'stdout' | 'stderr'>,
  { text, envelope, exit }: CallResult,
  { format, what }: Wanted,
): number | undefined {
  const job = exit === 0 && isUnderWay(envelope) ? jobOf(envelope) : undefined;
  if (!job) return undefined;
  const id = harmless(job.id);
  if (what === 'job') {
    // Alone on standard output, for scripts.
    if (format === 'words') io.stdout.write(`${id}\n`);
    if (format === 'words') io.stderr.write(`Follow it: exai jobs result ${id} --wait\n`);
    return 0;
  }
  if (format === 'words') io.stderr.write(`exai: ${jobText(envelope, text)}\n`);
  // Whoever waited for the answer has none to go on with.
  return ERROR_POLICY.timeout.exit;
}
