import type { Clock, Timer } from '#core/clock.ts';
import { createRotatingFile, type RotatingFileOptions } from './rotating-file.ts';

export interface LogFile {
  /** Takes a line that ends in a newline. Never throws, never waits. `soon`: it may wait a moment for others to join it. */
  write(line: string, need: 'now' | 'soon'): void;
  /** Resolves when all lines so far are on disk, or when the disk has refused them once more. */
  flush(): Promise<void>;
  /** Flushes; lines that the disk still refuses are given up, and writing ends. */
  close(): Promise<void>;
}

export interface LogFileOptions extends RotatingFileOptions {
  clock: Clock;
  /** The line that says how many were lost, once writing works again. */
  dropNotice: (dropped: number) => string;
  /** Called when writing begins to fail, and for lines given up at the end. */
  onProblem: (message: string) => void;
}

/** What may wait in memory while the disk is slow, full or gone. */
const MAX_WAITING_CHARS = 4_194_304;
/** An append costs the same for one line as for a hundred. */
const GATHER_MS = 25;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 30_000;

/** Lines in the order they came; those that arrive while an append runs, or within a moment, make up one. */
export function createLogFile(options: LogFileOptions): LogFile {
  const file = createRotatingFile(options);
  let waiting: string[] = [];
  let waitingChars = 0;
  let dropped = 0;
  let failures = 0;
  let writing: Promise<void> | undefined;
  let retry: Timer | undefined;
  let gathering: Timer | undefined;
  let closing: Promise<void> | undefined;

  function start(): Promise<void> {
    retry?.stop();
    retry = undefined;
    gathering?.stop();
    gathering = undefined;
    writing ??= drain().then((outcome) => {
      writing = undefined;
      if (outcome === 'refused') retryLater();
      // A line that came between the end of the loop and this moment found `writing` still set.
      else if (waiting.length > 0) void start();
    });
    return writing;
  }

  async function drain(): Promise<'written' | 'refused'> {
    try {
      while (waiting.length > 0) {
        await appendSome();
        failures = 0;
        noticeDrops();
      }
      return 'written';
    } catch (error) {
      failures++;
      if (failures === 1) options.onProblem(`Cannot write ${options.path}: ${String(error)}`);
      return 'refused';
    }
  }

  function retryLater(): void {
    if (closing) return;
    const delay = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** (failures - 1));
    retry = options.clock.after(delay, () => void start());
  }

  async function appendSome(): Promise<void> {
    const count = await file.append(waiting);
    for (const line of waiting.splice(0, count)) waitingChars -= line.length;
  }

  function noticeDrops(): void {
    if (dropped === 0) return;
    push(options.dropNotice(dropped));
    dropped = 0;
  }

  function push(line: string): void {
    waiting.push(line);
    waitingChars += line.length;
  }

  async function flush(): Promise<void> {
    await writing;
    if (waiting.length > 0) await start();
  }

  async function close(): Promise<void> {
    await flush();
    const lost = waiting.length + dropped;
    if (lost > 0) options.onProblem(`${lost} log lines could not be written to ${options.path}.`);
    waiting = [];
    // Nothing is left to write, so a failing close loses nothing.
    await file.close().catch(() => {});
  }

  return {
    write(line, need) {
      if (closing) return;
      if (waitingChars + line.length > MAX_WAITING_CHARS) {
        dropped++;
        return;
      }
      push(line);
      if (writing || retry) return;
      if (need === 'now') void start();
      else gathering ??= options.clock.after(GATHER_MS, () => void start());
    },
    flush,
    close: () => (closing ??= close()),
  };
}
