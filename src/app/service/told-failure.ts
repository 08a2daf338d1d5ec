import { CallError } from '#core/call-error.ts';
import type { Ran } from './run-program.ts';

const MOST_CHARS = 300;

/** What a program that failed said about it, in one line. */
export function toldFailure(command: string, { code, stderr, stdout }: Ran): CallError {
  const [line = ''] = (stderr.trim() || stdout.trim()).split('\n');
  const words = line.replaceAll(/\p{Cc}/gu, ' ').slice(0, MOST_CHARS);
  const how = code === null ? 'was killed' : `failed with code ${code}`;
  return new CallError('tool_error', `${command} ${how}${words === '' ? '.' : `: ${words}`}`);
}
