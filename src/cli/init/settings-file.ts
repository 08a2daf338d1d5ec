import { hash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { CallError } from '#core/errors/call-error.ts';

/** A settings file as it was read. */
export interface SettingsFile {
  /** The path that the client uses. */
  readonly path: string;
  /** The target of links. The target is changed, so that links stay links. */
  readonly target: string;
  readonly bytes: Buffer;
  /** Without the byte order mark, which `encodeSettings` restores. */
  readonly text: string;
  readonly mark: 'none' | 'utf-8';
  readonly mode: number;
  readonly owner: { readonly uid: number; readonly gid: number };
}

const MAX_SETTINGS_BYTES = 4 * 1_048_576;
const MARK = '\uFEFF';

/** Reads the file; undefined if there is none. Anything but a regular text file is rejected. */
export function readSettingsFile(path: string): SettingsFile | undefined {
  try {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
    const target = followLinks(path);
    const { bytes, stats } = readRegular(path, target);
    const marked = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const mark = marked.startsWith(MARK) ? 'utf-8' : 'none';
    return {
      path,
      target,
      bytes,
      text: mark === 'none' ? marked : marked.slice(MARK.length),
      mark,
      mode: stats.mode & 0o7777,
      owner: { uid: stats.uid, gid: stats.gid },
    };
  } catch (thrown) {
    throw readError(path, thrown);
  }
}

export function encodeSettings(text: string, mark: SettingsFile['mark']): Buffer {
  return Buffer.from(mark === 'none' ? text : MARK + text);
}

export function sha256(bytes: Buffer): string {
  return hash('sha256', bytes, 'hex');
}

function followLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
    throw invalidFileError('validation', path, `${path} is a link that leads nowhere.`, thrown);
  }
}

function readError(path: string, thrown: unknown): unknown {
  const { code } = thrown as NodeJS.ErrnoException;
  if (code === 'ELOOP') {
    return invalidFileError(
      'validation',
      path,
      `${path} is a link that leads back to itself.`,
      thrown,
    );
  }
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') {
    return invalidFileError('validation', path, `${path} is not UTF-8 text.`, thrown);
  }
  const reason = CallError.from(thrown);
  if (thrown instanceof CallError || reason.class === 'internal') return thrown;
  return new CallError(reason.class, `${path} cannot be read. ${describeSystemError(reason)}.`, {
    field: path,
    fix: `Make ${path} readable for you, then run exai init again.`,
    cause: thrown,
  });
}

/** The error without the path, which the message already has. */
function describeSystemError({ message, reason }: CallError): string {
  return reason?.code === 'system_failure' ? reason.params.what : message;
}

/**
 * Checked before opening, because opening a device may have effects, and after, because the file
 * may have been replaced.
 */
function readRegular(path: string, target: string) {
  checkKind(path, statSync(target));
  // With O_NONBLOCK, opening a pipe does not wait for a writer. Windows does not have the flag.
  const file = openSync(target, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(file);
    checkKind(path, stats);
    return { stats, bytes: readFileSync(file) };
  } finally {
    closeSync(file);
  }
}

function checkKind(path: string, stats: ReturnType<typeof fstatSync>): void {
  if (stats.isDirectory()) {
    throw invalidFileError('validation', path, `${path} is a folder, where a file is expected.`);
  }
  if (!stats.isFile()) throw invalidFileError('validation', path, `${path} is not a file.`);
  if (stats.size > MAX_SETTINGS_BYTES) {
    const limit = `${MAX_SETTINGS_BYTES / 1_048_576} MiB`;
    throw invalidFileError(
      'too_large',
      path,
      `${path} is larger than ${limit}; that is not a settings file.`,
    );
  }
}

function invalidFileError(
  errorClass: 'validation' | 'too_large',
  path: string,
  message: string,
  cause?: unknown,
): CallError {
  return new CallError(errorClass, message, {
    field: path,
    fix: `Look at ${path} and put it right, then run exai init again.`,
    ...(cause !== undefined && { cause }),
  });
}

/**
 * Replaces the content of a file atomically: after a crash it has the old or the new content. Mode
 * and owner are kept; if the file was changed since it was read, nothing is written.
 */
export function replaceSettingsFile(before: SettingsFile, bytes: Buffer): void {
  const { path, target, mode, owner } = before;
  withWriteErrors(path, () => {
    withDraft(target, bytes, mode, (draft) => {
      const made = statSync(draft);
      if (made.uid !== owner.uid || made.gid !== owner.gid) chownSync(draft, owner.uid, owner.gid);
      chmodSync(draft, mode);
      if (!readSettingsFile(path)?.bytes.equals(before.bytes)) throw changedMeanwhileError(path);
      renameSync(draft, target);
    });
  });
}

/** Creates a file and its folders; returns the folders that were created, innermost first. */
export function createSettingsFile(path: string, bytes: Buffer, mode: number): string[] {
  return withWriteErrors(path, () => {
    const folders = makeFolders(dirname(path));
    try {
      withDraft(path, bytes, mode, (draft) => {
        if (readSettingsFile(path) !== undefined) throw changedMeanwhileError(path);
        renameSync(draft, path);
      });
    } catch (thrown) {
      removeFolders(folders);
      throw thrown;
    }
    return folders;
  });
}

/**
 * Removes a file that was created, if it is unchanged, and the folders that were created for it, if
 * they are empty.
 */
export function removeSettingsFile(before: SettingsFile, folders: readonly string[]): void {
  const { path } = before;
  withWriteErrors(path, () => {
    if (!readSettingsFile(path)?.bytes.equals(before.bytes)) throw changedMeanwhileError(path);
    unlinkSync(path);
  });
  removeFolders(folders);
}

function removeFolders(folders: readonly string[]): void {
  for (const folder of folders) {
    try {
      rmdirSync(folder);
    } catch {
      // The folder has other content by now, so it stays.
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
  // A file of this name is left from a crash.
  rmSync(draft, { force: true });
  try {
    writeFileSync(draft, bytes, { mode, flag: 'wx', flush: true });
    place(draft);
  } finally {
    rmSync(draft, { force: true });
  }
  syncFolder(dirname(target));
}

/** Creates one level at a time: Node's recursive mkdir never returns for a path under /proc. */
function makeFolders(folder: string): string[] {
  if (existsSync(folder)) return [];
  const outer = makeFolders(dirname(folder));
  mkdirSync(folder, { mode: 0o755 });
  return [folder, ...outer];
}

/**
 * A rename is durable once the folder is synced. Windows cannot open a folder and does not need
 * this.
 */
function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Errors name the settings file rather than the draft beside it. */
function withWriteErrors<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    const reason = CallError.from(thrown);
    if (thrown instanceof CallError || reason.class === 'internal') throw thrown;
    throw new CallError(
      reason.class,
      `${path} cannot be written. ${describeSystemError(reason)}.`,
      {
        field: path,
        fix: `Make ${dirname(path)} writable for you, then run exai init again.`,
        cause: thrown,
      },
    );
  }
}

function changedMeanwhileError(path: string): CallError {
  return new CallError('conflict', `${path} was changed by another program just now.`, {
    field: path,
    fix: 'Nothing was written to it; run exai init again.',
  });
}
