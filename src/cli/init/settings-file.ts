import { hash } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { CallError } from '#core/call-error.ts';

/** A settings file as it was found. */
export interface SettingsFile {
  /** By the name that the client knows. */
  readonly path: string;
  /** Where links lead: that one is changed, so that they stay links. */
  readonly target: string;
  readonly bytes: Buffer;
  /** Without the byte order mark, which `toBytes` puts back. */
  readonly text: string;
  readonly mark: 'none' | 'utf-8';
  readonly mode: number;
  readonly owner: { readonly uid: number; readonly gid: number };
}

export const MAX_SETTINGS_BYTES = 4 * 1_048_576;
const MARK = '\uFEFF';

/** The file, or nothing if there is none. Whatever else is there is refused. */
export function readSettings(path: string): SettingsFile | undefined {
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
    throw unreadable(path, thrown);
  }
}

export function toBytes(text: string, mark: SettingsFile['mark']): Buffer {
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
    throw refused('validation', path, `${path} is a link that leads nowhere.`, thrown);
  }
}

function unreadable(path: string, thrown: unknown): unknown {
  const { code } = thrown as NodeJS.ErrnoException;
  if (code === 'ELOOP') {
    return refused('validation', path, `${path} is a link that leads back to itself.`, thrown);
  }
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') {
    return refused('validation', path, `${path} is not UTF-8 text.`, thrown);
  }
  const reason = CallError.from(thrown);
  if (thrown instanceof CallError || reason.class === 'internal') return thrown;
  return new CallError(reason.class, `${path} cannot be read. ${wordsOf(reason)}.`, {
    field: path,
    fix: `Make ${path} readable for you, then run exai init again.`,
    cause: thrown,
  });
}

/** What happened, without the path, which is said already. */
export function wordsOf({ message, reason }: CallError): string {
  return reason?.code === 'system_failure' ? reason.params.what : message;
}

/** Looked at before it is opened, as opening a device may do things; and again after, as it may have been exchanged. */
function readRegular(path: string, target: string) {
  checkKind(path, statSync(target));
  // Without O_NONBLOCK, which Windows does not have, opening a pipe waits for somebody to write to it.
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
    throw refused('validation', path, `${path} is a folder, where a file is expected.`);
  }
  if (!stats.isFile()) throw refused('validation', path, `${path} is not a file.`);
  if (stats.size > MAX_SETTINGS_BYTES) {
    const limit = `${MAX_SETTINGS_BYTES / 1_048_576} MiB`;
    throw refused('too_large', path, `${path} is larger than ${limit}; that is no settings file.`);
  }
}

function refused(
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
