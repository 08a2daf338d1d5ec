import { pause } from '../turns.ts';
import { requireSimpleJson } from '../json/json-guard.ts';
import { liftStrings, restoreStrings } from './lift-strings.ts';

/** Larger bodies never become one string. */
export const LARGE_BODY_BYTES = 4 * 1024 * 1024;
/** Shorter strings stay in the text that is parsed. */
const MIN_LIFTED_BYTES = 16 * 1024;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/**
 * Parses a large body in steps of a few milliseconds, with pauses for other work between them.
 * `reqId` is the id of its request, which its sender cannot know. Rejects with a SyntaxError for
 * invalid JSON, and as `requireSimpleJson` does.
 */
export async function parseLargeBody(body: Buffer, reqId: string): Promise<unknown> {
  const hasMark = body.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  const json = hasMark ? body.subarray(BYTE_ORDER_MARK.length) : body;
  const mark = `${reqId}-lifted-`;
  const { text, strings } = await inSteps(liftStrings(json, { minBytes: MIN_LIFTED_BYTES, mark }));
  await pause();
  requireSimpleJson(text);
  await pause();
  const value: unknown = JSON.parse(text);
  await pause();
  if (strings.length === 0) return value;
  return inSteps(restoreStrings(value, strings, mark));
}

async function inSteps<T>(work: Generator<undefined, T>): Promise<T> {
  let step = work.next();
  while (step.done !== true) {
    await pause();
    step = work.next();
  }
  return step.value;
}

/** Calls `work` with each slice of some bytes, with pauses between them. */
export async function inSlices(body: Buffer, work: (slice: Buffer) => void): Promise<void> {
  for (let at = 0; at < body.length; at += LARGE_BODY_BYTES) {
    work(body.subarray(at, at + LARGE_BODY_BYTES));
    await pause();
  }
}
