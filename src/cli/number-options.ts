import type { RequestOptions } from '#client/daemon-client.ts';
import { CallError } from '#core/errors/call-error.ts';
import { oneLine } from '#core/text/text.ts';
import { CLI_WAIT_MS, MAX_CLI_WAIT_SECONDS } from '#core/time/call-times.ts';

/** The value of an option as a whole number; undefined where the option was not given. */
export function parseCountOption(
  text: string | undefined,
  option: string,
  max: number,
): number | undefined {
  if (text === undefined) return undefined;
  const count = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= max) return count;
  throw new CallError(
    'validation',
    `${option} must be a whole number from 1 to ${max}, but is "${oneLine(text, 40)}".`,
    { field: option },
  );
}

/** How long a command waits for an answer. */
export type CallWait = Required<Pick<RequestOptions, 'timeoutMs' | 'timeoutOf'>>;

/** A long call, such as one that indexes files, is not given up while it makes progress. */
export const DEFAULT_WAIT: CallWait = { timeoutMs: CLI_WAIT_MS, timeoutOf: 'silence' };

/** `--timeout`: how long a command waits for an answer, whatever its progress. */
export function parseTimeoutOption(text: string | undefined): CallWait {
  if (text === undefined) return DEFAULT_WAIT;
  return { timeoutMs: parseSecondsOption(text, '--timeout'), timeoutOf: 'answer' };
}

/** The value of an option in seconds, converted to milliseconds. */
export function parseSecondsOption(
  text: string,
  option: string,
  maxSeconds = MAX_CLI_WAIT_SECONDS,
): number {
  const seconds = /^\d{1,6}(?:\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  if (seconds > 0 && seconds <= maxSeconds) return seconds * 1000;
  throw new CallError(
    'validation',
    `${option} must be more than 0 and at most ${maxSeconds} seconds, but is "${oneLine(text, 40)}".`,
    { field: option, fix: `Write it like: ${option} 30` },
  );
}
