import { ERROR_POLICY } from '#core/error-class.ts';
import { answeredBy } from './answered-by.ts';
import { failureOf, type CallResult } from './call-result.ts';
import type { Io } from './io.ts';
import { isUnderWay, jobOf } from './job-envelope.ts';
import { jobRenderer } from './messages/cli-sentences.ts';
import { jobText } from './messages/job-text.ts';
import { paintFor } from './paint.ts';
import { printAsIs } from './print-as-is.ts';
import { harmless } from './terminal-text.ts';

/** Prints what there is of a job; gives the exit code. Only an answer goes to standard output. */
export function printJobResult(
  io: Pick<Io, 'stdout' | 'stderr' | 'env' | 'progress'>,
  result: CallResult,
  format: 'words' | 'json',
): number {
  const { text, envelope } = result;
  const exit = exitOf(result);
  if (format === 'json') printAsIs(io, envelope);
  else if (exit === 0) io.stdout.write(`${text}\n`);
  else
    io.stderr.write(
      `exai: ${result.error ? failureOf(result, jobRenderer) : jobText(envelope, text)}\n`,
    );
  if (format === 'json') return exit;
  const line = answeredBy(envelope);
  const paint = paintFor(io.env, io.progress === 'live' ? 'terminal' : 'file');
  if (line !== '') io.stderr.write(`${paint('dim', harmless(line))}\n`);
  return exit;
}

/** What is no answer yet, or never will be, must not look like one to a script. */
function exitOf({ envelope, exit }: CallResult): number {
  if (exit !== 0) return exit;
  if (isUnderWay(envelope)) return ERROR_POLICY.timeout.exit;
  const status = jobOf(envelope)?.status;
  if (status === 'cancelled') return ERROR_POLICY.cancelled.exit;
  return status === 'input_required' ? ERROR_POLICY.bad_request.exit : 0;
}
