import { CallError } from '#core/call-error.ts';
import { printJson, type Io } from './io.ts';

/** The one way a failure leaves the command line: words for people, data for `--json`, the exit code of its class. */
export function report(thrown: unknown, io: Io, format: 'words' | 'json'): number {
  const error = CallError.from(thrown);
  if (format === 'json') printJson(io, { error });
  else io.stderr.write(words(error));
  return error.policy.exit;
}

function words(error: CallError): string {
  const lines = [`exai: ${error.message}`];
  if (error.fix !== undefined) lines.push(`  fix: ${error.fix}`);
  // A bug: whoever reports it needs the place, and the command line has no log to look in.
  if (error.class === 'internal' && error.cause instanceof Error)
    lines.push(error.cause.stack ?? '');
  return `${lines.join('\n')}\n`;
}
