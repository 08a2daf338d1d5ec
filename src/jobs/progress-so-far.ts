import type { Progress } from '#core/call.ts';
import type { JobProgress } from '#core/jobs.ts';
import type { Json } from '#core/json.ts';
import type { JobChange } from '#core/stores/jobs.ts';

// Enough to go on reading after a restart; it is written again with every heartbeat.
const MAX_TEXT_CHARS = 65_536;

/** How far some work is, and what of that is not in the store yet. */
export interface ProgressSoFar {
  add(step: Progress): void;
  checkpoint(state: Json): void;
  now(): JobProgress;
  /** All of it. */
  all(): JobChange;
  /** What changed since it was last taken; nothing when nothing did. */
  take(): JobChange | undefined;
  /** What was taken could not be stored. */
  putBack(): void;
}

export function createProgressSoFar(nowMs: number, before: JobProgress = {}): ProgressSoFar {
  const { begunAt = nowMs } = before;
  let { note, done, total } = before;
  let text = before.text ?? '';
  let chars = before.chars ?? text.length;
  let checkpoint: Json | undefined;
  let isProgressNew = before.begunAt === undefined;
  let isCheckpointNew = false;
  // A run that begins again says its answer from the beginning; until then there is what the run before it said.
  let isTextOfBefore = true;

  const now = (): JobProgress => ({
    begunAt,
    ...(note !== undefined && { note }),
    ...(done !== undefined && { done }),
    ...(total !== undefined && { total }),
    ...(chars > 0 && { chars, text }),
  });
  const progress = (): JobChange => ({ note: note ?? '', progress: { ...now() } });

  return {
    now,
    add(step) {
      isProgressNew = true;
      if (step.note !== undefined) note = step.note;
      if (step.done !== undefined) done = step.done;
      if (step.total !== undefined) total = step.total;
      if (step.text === undefined) return;
      chars = (isTextOfBefore ? 0 : chars) + step.text.length;
      text = (isTextOfBefore ? '' : text) + step.text;
      isTextOfBefore = false;
      // Cut seldom, as each cut copies.
      if (text.length > 2 * MAX_TEXT_CHARS) text = endOf(text);
    },
    checkpoint(state) {
      checkpoint = state;
      isCheckpointNew = true;
    },
    all: () => ({ ...progress(), ...(checkpoint !== undefined && { checkpoint }) }),
    take() {
      if (!isProgressNew && !isCheckpointNew) return undefined;
      const change = {
        ...(isProgressNew && progress()),
        ...(isCheckpointNew && checkpoint !== undefined && { checkpoint }),
      };
      isProgressNew = false;
      isCheckpointNew = false;
      return change;
    },
    putBack() {
      isProgressNew = true;
      isCheckpointNew = checkpoint !== undefined;
    },
  };
}

/** As it came out of the store, from this version of the program or another. */
export function readProgress(json: Json): JobProgress {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return {};
  const { begunAt, note, done, total, chars, text } = json as Record<string, Json>;
  return {
    ...(typeof begunAt === 'number' && { begunAt }),
    ...(typeof note === 'string' && { note }),
    ...(typeof done === 'number' && { done }),
    ...(typeof total === 'number' && { total }),
    ...(typeof chars === 'number' && { chars }),
    ...(typeof text === 'string' && { text }),
  };
}

/** Never half of a character at its beginning. */
function endOf(text: string): string {
  const end = text.slice(-MAX_TEXT_CHARS);
  return /^[\uDC00-\uDFFF]/.test(end) ? end.slice(1) : end;
}
