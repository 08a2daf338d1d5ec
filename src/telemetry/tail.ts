import { historyOf } from './log-history.ts';
import { openLog } from './log-reading.ts';

export { follow } from './follow.ts';

/** The last whole lines of a log, from its rotated files too when the newest has fewer. None when there is no log. */
export async function tail(file: string, lines: number): Promise<string[]> {
  const newest = await openLog(file);
  try {
    return (await historyOf(file, newest, lines)).lines;
  } finally {
    await newest?.handle.close();
  }
}
