import type { Progress } from '#core/calls/call.ts';
import type { JobProgress } from '#core/calls/jobs.ts';
import type { Json } from '#core/json/json.ts';
import type { JobChange } from '#core/stores/jobs.ts';

// Enough to continue reading after a restart; it is written with every heartbeat.
const MAX_TEXT_CHARS = 65_536;

/** Accumulates the progress of a job, and knows which part is not stored yet. */
export interface JobProgressTracker {
  add(step: Progress): void;
  checkpoint(state: Json): void;
  now(): JobProgress;
  all(): JobChange;
  /** The change since the last `take`; undefined when there is none. */
  take(): JobChange | undefined;
  /** Marks the taken change as not stored. */
  putBack(): void;
}

export function createJobProgress(nowMs: number, before: JobProgress = {}): JobProgressTracker {
  const { begunAt = nowMs } = before;
  let { note, done, total } = before;
  let text = before.text ?? '';
  let chars = before.chars ?? text.length;
  let checkpoint: Json | undefined;
  let isProgressNew = before.begunAt === undefined;
  let isCheckpointNew = false;
  // A rerun emits its answer from the start; until its first text, the text of the previous run
  // stays.
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
      // Cut rarely, as each cut copies.
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

/** Parses the stored form, from this version of the program or another. */
export function parseJobProgress(json: Json): JobProgress {
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

/** The end of a text, without half a surrogate pair at its start. */
function endOf(text: string): string {
  const end = text.slice(-MAX_TEXT_CHARS);
  return /^[\uDC00-\uDFFF]/.test(end) ? end.slice(1) : end;
}
