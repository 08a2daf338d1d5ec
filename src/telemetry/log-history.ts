import { lastLines, openLog, pathOfAge, type OpenLog } from './log-reading.ts';

/** Whole lines up to now, oldest first, and where they end in the newest file. */
export interface History {
  lines: string[];
  end: number;
}

/** Goes back through rotated files when the newest, if there is one, has fewer lines than wanted. */
export async function historyOf(
  file: string,
  newest: OpenLog | undefined,
  wanted: number,
): Promise<History> {
  let { lines, end } = newest ? await lastLines(newest, wanted) : { lines: [], end: 0 };
  const seen = new Set(newest && [newest.ino]);
  for (let age = 1; lines.length < wanted; age++) {
    const older = await openLog(pathOfAge(file, age));
    if (!older) break;
    try {
      // A rotation between two opens shows the same file again under its next name.
      if (seen.has(older.ino)) continue;
      seen.add(older.ino);
      const more = await lastLines(older, wanted - lines.length);
      lines = [...more.lines, ...lines];
    } finally {
      await older.handle.close();
    }
  }
  return { lines, end };
}
