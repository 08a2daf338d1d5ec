import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Replaces a file in one step, readable by its owner alone: after a crash it is the old one or the new one, whole.
 */
export function writePrivateFile(path: string, content: string): void {
  const draft = `${path}.${process.pid}.tmp`;
  // One of the same name can only be left from a crash.
  rmSync(draft, { force: true });
  try {
    writeFileSync(draft, content, { mode: 0o600, flag: 'wx', flush: true });
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
  syncFolder(dirname(path));
}

/** The rename itself lasts only once the folder is on disk. Windows cannot open a folder, and needs no such step. */
function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
