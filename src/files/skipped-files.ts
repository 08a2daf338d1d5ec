import type { FileLimits, LeftOutReason } from '#core/messages/file-notices.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { oneLine } from '#core/text/text.ts';
import {
  MAX_ALL_BYTES,
  MAX_FOLDER_DEPTH,
  MAX_ENTRIES,
  MAX_FILE_BYTES,
  MAX_FILES,
  MAX_OPENED,
} from './limits.ts';

/** Why a file was skipped. */
export type SkipReason = LeftOutReason;

const LIMITS: FileLimits = {
  fileBytes: MAX_FILE_BYTES,
  totalBytes: MAX_ALL_BYTES,
  texts: MAX_FILES,
  openedFiles: MAX_OPENED,
  folderDepth: MAX_FOLDER_DEPTH,
};

/** Counts skipped files and summarises them in notices. */
export interface SkippedFiles {
  add(reason: SkipReason, name: string): void;
  /** Marks the listing as incomplete. */
  stop(): void;
  notices(): readonly Notice[];
}

const MAX_NAMES = 5;
const MAX_NAME_CHARS = 100;

/** `from`: the folder of the files; absent for the changes of a repository. */
export function createSkippedFiles(from?: string, limits: FileLimits = LIMITS): SkippedFiles {
  const counts = new Map<SkipReason, { count: number; names: string[] }>();
  let isWhole = true;
  return {
    add(reason, name) {
      const known = counts.get(reason) ?? { count: 0, names: [] };
      known.count++;
      if (known.names.length < MAX_NAMES) known.names.push(oneLine(name, MAX_NAME_CHARS));
      counts.set(reason, known);
    },
    stop() {
      isWhole = false;
    },
    notices() {
      const folder = from === undefined ? {} : { folder: oneLine(from, MAX_NAME_CHARS) };
      const groups = [...counts].map(([reason, known]) => ({ reason, ...known }));
      return [
        ...(groups.length > 0 ? [notice('files_left_out', { ...folder, groups, limits })] : []),
        ...(isWhole ? [] : [notice('folder_cut', { ...folder, limit: MAX_ENTRIES })]),
      ];
    },
  };
}
