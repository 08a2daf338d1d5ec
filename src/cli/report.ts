import { inspect } from 'node:util';
import { CallError } from '#core/call-error.ts';
import { printJson, type Io } from './io.ts';
import { cliRenderer } from './messages/cli-sentences.ts';
import { failureLines, failureText } from './messages/failure.ts';
import { harmless } from './terminal-text.ts';

const BUG = 'Something failed inside EX-AI that nobody foresaw';

/** The one way a failure leaves the command line: words for people, data for `--json`, the exit code of its class. */
export function report(
  thrown: unknown,
  io: Pick<Io, 'stdout' | 'stderr'>,
  format: 'words' | 'json',
): number {
  const error = CallError.from(thrown);
  const place = placeOfBug(error);
  if (format === 'words') io.stderr.write(place === undefined ? words(error) : bugWords(place));
  else if (place === undefined) printJson(io, { error: data(error) });
  else {
    const message = `${BUG}. Without --json it says where.`;
    printJson(io, { error: { ...error.toJSON(), message } });
  }
  return error.policy.exit;
}

function words(error: CallError): string {
  return harmless(`exai: ${failureLines(error, cliRenderer)}\n`);
}

/** As data, with texts that name commands in the place of tools. */
function data(error: CallError): object {
  const { message, fix } = failureText(error, cliRenderer);
  return { ...error.toJSON(), message, ...(fix !== '' && { fix }) };
}

/** Whoever reports a bug needs its place, and the command line has no log to look in. */
function bugWords(place: string): string {
  return `exai: ${BUG}. Please report it with these lines:\n${place}\n`;
}

/** Where an unexpected error was thrown. One with a fix was expected. */
function placeOfBug({ class: errorClass, fixes, cause }: CallError): string | undefined {
  if (errorClass !== 'internal' || fixes.length > 0 || cause === undefined) return undefined;
  return cause instanceof Error ? cause.stack : inspect(cause);
}
