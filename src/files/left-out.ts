import type { FileLimits, LeftOutReason } from '#core/messages/file-notices.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { oneLine } from '#core/one-line.ts';
import {
  MAX_ALL_BYTES,
  MAX_DEPTH,
  MAX_ENTRIES,
  MAX_FILE_BYTES,
  MAX_FILES,
  MAX_OPENED,
} from './limits.ts';

/** Why something of a folder is not among its texts. */
export type Reason = LeftOutReason;

const LIMITS: FileLimits = {
  fileBytes: MAX_FILE_BYTES,
  totalBytes: MAX_ALL_BYTES,
  texts: MAX_FILES,
  openedFiles: MAX_OPENED,
  folderDepth: MAX_DEPTH,
};

/** Keeps count of what was left out, and tells it in one notice. */
export interface LeftOut {
  add(reason: Reason, name: string): void;
  /** Not everything was even looked at. */
  stop(): void;
  notices(): readonly Notice[];
}

const MAX_NAMES = 5;
const MAX_NAME_CHARS = 100;

/** `from`: the folder that it would stand in; without one, the changes of a repository. */
export function createLeftOut(from?: string): LeftOut {
  const counts = new Map<Reason, { count: number; names: string[] }>();
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
        ...(groups.length > 0
          ? [notice('files_left_out', { ...folder, groups, limits: LIMITS })]
          : []),
        ...(isWhole ? [] : [notice('folder_cut', { ...folder, limit: MAX_ENTRIES })]),
      ];
    },
  };
}
