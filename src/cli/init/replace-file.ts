import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { CallError } from '#core/call-error.ts';
import { readSettings, wordsOf, type SettingsFile } from './settings-file.ts';

/**
 * Puts other bytes into a file in one step: after a crash it is the old one or the new one, whole. It keeps its mode and
 * owner; if somebody changed it since it was read, nothing is written.
 */
export function replaceSettings(before: SettingsFile, bytes: Buffer): void {
  const { path, target, mode, owner } = before;
  writing(path, () => {
    withDraft(target, bytes, mode, (draft) => {
      const made = statSync(draft);
      if (made.uid !== owner.uid || made.gid !== owner.gid) chownSync(draft, owner.uid, owner.gid);
      chmodSync(draft, mode);
      if (!readSettings(path)?.bytes.equals(before.bytes)) throw changed(path);
      renameSync(draft, target);
    });
  });
}

/** Makes a file that was not there, and the folders that it lies in; names those that were missing, the innermost first. */
export function createSettings(path: string, bytes: Buffer, mode: number): string[] {
  return writing(path, () => {
    const folders = makeFolders(dirname(path));
    try {
      withDraft(path, bytes, mode, (draft) => {
        if (readSettings(path) !== undefined) throw changed(path);
        renameSync(draft, path);
      });
    } catch (thrown) {
      removeFolders(folders);
      throw thrown;
    }
    return folders;
  });
}

/** Removes a file that was made, if it is what it was, and the folders that were made for it if they hold nothing else. */
export function removeSettings(before: SettingsFile, folders: readonly string[]): void {
  const { path } = before;
  writing(path, () => {
    if (!readSettings(path)?.bytes.equals(before.bytes)) throw changed(path);
    unlinkSync(path);
  });
  removeFolders(folders);
}

function removeFolders(folders: readonly string[]): void {
  for (const folder of folders) {
    try {
      rmdirSync(folder);
    } catch {
      // Something else is in it by now, so it stays.
      return;
    }
  }
}

function withDraft(
  target: string,
  bytes: Buffer,
  mode: number,
  place: (draft: string) => void,
): void {
  const draft = `${target}.exai-${process.pid}.tmp`;
  // One of the same name can only be left from a crash.
  rmSync(draft, { force: true });
  try {
    writeFileSync(draft, bytes, { mode, flag: 'wx', flush: true });
    place(draft);
  } finally {
    rmSync(draft, { force: true });
  }
  syncFolder(dirname(target));
}

/** Level by level: asked to make a path under /proc by itself, Node's recursive mkdir never returns. */
function makeFolders(folder: string): string[] {
  if (existsSync(folder)) return [];
  const outer = makeFolders(dirname(folder));
  mkdirSync(folder, { mode: 0o755 });
  return [folder, ...outer];
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

/** What fails names the settings file, not the draft beside it. */
function writing<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    const reason = CallError.from(thrown);
    if (thrown instanceof CallError || reason.class === 'internal') throw thrown;
    throw new CallError(reason.class, `${path} cannot be written. ${wordsOf(reason)}.`, {
      field: path,
      fix: `Make ${dirname(path)} writable for you, then run exai init again.`,
      cause: thrown,
    });
  }
}

function changed(path: string): CallError {
  return new CallError('conflict', `${path} was changed by another program just now.`, {
    field: path,
    fix: 'Nothing was written to it; run exai init again.',
  });
}
