import { CallError } from '#core/call-error.ts';

const MAX_SECONDS = 86_400;

/** The value of an option in seconds, as milliseconds. */
export function secondsMs(text: string, option: string, maxSeconds = MAX_SECONDS): number {
  const seconds = /^\d{1,6}(?:\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  if (seconds > 0 && seconds <= maxSeconds) return seconds * 1000;
  throw new CallError('validation', `${option} must be a number of seconds, but is "${text}".`, {
    field: option,
    fix: `Use more than 0 and at most ${maxSeconds}, such as ${option} 30.`,
  });
}
