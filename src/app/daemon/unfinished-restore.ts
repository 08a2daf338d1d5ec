import { rmSync } from 'node:fs';
import type { Home } from '#config/home/home.ts';
import { readFirstBytes, writePrivateFile } from '#config/home/private-files.ts';
import { notice, type Notice } from '#core/messages/notices.ts';

const MAX_BYTES = 16_384;
const DAY_MS = 86_400_000;
/** The owner has read it by then, or wants the data as it is. */
const SHOWN_MS = 7 * DAY_MS;

type RestoreHome = Pick<Home, 'restoreFile'>;

/** Before anything changes: a restore that is killed leaves the file behind. */
export function noteRestore({ restoreFile }: RestoreHome, backup: string, nowMs: number): void {
  writePrivateFile(restoreFile, `${JSON.stringify({ backup, begun: nowMs })}\n`);
}

export function forgetRestore({ restoreFile }: RestoreHome): void {
  rmSync(restoreFile, { force: true });
}

/** What the owner should know after a restore that was killed before it replaced anything. */
export function unfinishedRestoreNotices(home: RestoreHome, nowMs: number): readonly Notice[] {
  const { backup, begun } = readNote(home) ?? {};
  if (backup === undefined || begun === undefined) return [];
  if (Math.abs(nowMs - begun) < SHOWN_MS)
    return [notice('restore_not_finished', { backup, begun: new Date(begun).toISOString() })];
  forgetRestore(home);
  return [];
}

function readNote({ restoreFile }: RestoreHome) {
  try {
    const { backup, begun } = JSON.parse(
      readFirstBytes(restoreFile, MAX_BYTES).toString('utf8'),
    ) as Readonly<Record<string, unknown>>;
    const isNote = typeof backup === 'string' && Number.isSafeInteger(begun);
    return isNote ? { backup, begun: Number(begun) } : undefined;
  } catch {
    // There is none, or it is not ours.
    return undefined;
  }
}
