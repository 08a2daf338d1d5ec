import { stat } from 'node:fs/promises';
import { sleep, type Clock } from '#core/clock.ts';
import { historyOf } from './log-history.ts';
import { linesFrom, openLog, pathOfAge, type OpenLog } from './log-reading.ts';

const LOOK_EVERY_MS = 250;

/**
 * Hands over each line as it is written, across rotation and truncation, until the signal aborts. The file need not
 * exist yet. With `last`, so many lines from before come first, and none is missed between them and the new ones.
 */
export async function follow(
  file: string,
  signal: AbortSignal,
  onLine: (line: string) => void,
  clock: Clock,
  last = 0,
): Promise<void> {
  let reading = await openLog(file);
  // Without a file to start from, what has been rotated by now is history, and all that follows is news.
  let lastSeen = reading?.ino ?? (await inoOf(pathOfAge(file, 1)));
  let position = 0;
  try {
    const history = await historyOf(file, reading, last);
    history.lines.forEach(onLine);
    position = history.end;
    while (!signal.aborted) {
      for (const next of await newerFiles(file, lastSeen)) {
        await readOn();
        await reading?.handle.close();
        reading = next;
        lastSeen = next.ino;
        position = 0;
      }
      await readOn();
      await sleep(clock, LOOK_EVERY_MS, signal);
    }
  } finally {
    await reading?.handle.close();
  }

  async function readOn(): Promise<void> {
    if (!reading) return;
    const { size } = await reading.handle.stat();
    if (size < position) position = 0;
    position = await linesFrom(reading, position, onLine);
  }
}

/** The files that came after the one with `ino`, oldest first; all there are when there was none before. */
async function newerFiles(file: string, ino: number | undefined): Promise<OpenLog[]> {
  const current = await inoOf(file);
  if (current === undefined || current === ino) return [];
  const newer: OpenLog[] = [];
  for (let age = 0; ; age++) {
    const log = await openLog(pathOfAge(file, age));
    if (log && log.ino !== ino) {
      // A rotation between two opens shows the same file again under its next name.
      if (newer.some((known) => known.ino === log.ino)) await log.handle.close();
      else newer.push(log);
      continue;
    }
    await log?.handle.close();
    if (log || ino === undefined) return newer.reverse();
    // The one we read is gone, so which of the rotated are news cannot be told; the current one certainly is.
    for (const other of newer.splice(1)) await other.handle.close();
    return newer;
  }
}

async function inoOf(path: string): Promise<number | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found?.ino;
}
