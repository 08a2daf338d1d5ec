import { systemClock } from '#app/system.ts';
import type { CallPhase, Progress } from '#core/calls/call.ts';
import { every, type Clock, type Timer } from '#core/time/clock.ts';
import type { Io } from '../io.ts';
import { createSpinner } from '../terminal/spinner.ts';
import { noColor, type Paint } from './colors.ts';
import { escapeControls } from './escape-controls.ts';

const MAX_CHARS = 72;
/** The interval between lines in a pipe, where few are wanted. */
const BETWEEN_LINES_MS = 10_000;
/**
 * Heartbeats, when a tool reports nothing. The seconds of their notes are left out, as current ones
 * are shown here.
 */
const PHASE_NOTES: Readonly<Record<CallPhase, string>> = {
  queued: 'awaiting capacity',
  running: 'running',
  input_required: 'awaiting an answer',
};

interface ProgressLine {
  readonly show: (step: Progress) => void;
  /** Removes the line until the next step. */
  readonly clear: () => void;
}

/**
 * The progress of a call: one line that rewrites itself on a terminal, an occasional line in a
 * pipe.
 */
export function createProgressLine(
  io: Pick<Io, 'stderr' | 'progress' | 'charset'>,
  clock: Clock = systemClock,
  paint: Paint = noColor,
): ProgressLine {
  const startedAt = clock.monotonic();
  const spinner =
    io.progress === 'live'
      ? createSpinner({
          output: io.stderr,
          clock,
          charset: io.charset,
          paint,
          sinceMs: startedAt,
        })
      : undefined;
  let shown = '';
  /** The last note of the tool itself. */
  let lastNote = '';
  let writing: Timer | undefined;

  function write(): void {
    const seconds = Math.floor((clock.monotonic() - startedAt) / 1000);
    io.stderr.write(`exai: ${seconds} s: ${shown}\n`);
  }

  /** The text to show for a step. */
  function describeStep(step: Progress): string {
    const { phase } = step;
    if (phase === undefined) {
      const described = formatProgress(step);
      if (described !== '') lastNote = described;
      return described;
    }
    // A note of the tool says more than "running".
    return phase === 'running' && lastNote !== '' ? lastNote : PHASE_NOTES[phase];
  }

  return {
    show(step) {
      const next = describeStep(step);
      if (next === '') return;
      if (spinner) return spinner.show(next);
      shown = next;
      writing ??= every(clock, BETWEEN_LINES_MS, write);
    },
    clear() {
      spinner?.stop();
      writing?.stop();
      writing = undefined;
    },
  };
}

function formatProgress({ note = '', done, total }: Progress): string {
  // Counts may be fractions, because each progress message needs a higher number than the one
  // before.
  const count = total === undefined || done === undefined ? '' : `${Math.floor(done)} of ${total}`;
  return escapeControls([count, note].filter((part) => part !== '').join(': '))
    .replaceAll(/\s+/g, ' ')
    .slice(0, MAX_CHARS);
}

const CLEAR = '\r\u001b[K';

function toMib(bytes: number): number {
  return Math.round(bytes / 1024 ** 2);
}

/** A row or byte count on one line of a terminal; silent in a pipe. */
export function createRowCounter(io: Pick<Io, 'stderr' | 'progress'>, what: string) {
  const live = io.progress === 'live';
  return {
    show(count: number): void {
      if (live) io.stderr.write(`${CLEAR}${count} rows ${what}`);
    },
    showBytes({ doneBytes, totalBytes }: { doneBytes: number; totalBytes: number }): void {
      if (live) io.stderr.write(`${CLEAR}${toMib(doneBytes)} of ${toMib(totalBytes)} MiB ${what}`);
    },
    clear(): void {
      if (live) io.stderr.write(CLEAR);
    },
  };
}
