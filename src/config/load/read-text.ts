import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  statSync,
  type Stats,
} from 'node:fs';
import { CallError } from '#core/errors/call-error.ts';
import { fix } from '#core/messages/fixes.ts';
import { isOpenToOthers } from '../home/home.ts';
import type { ConfigReport } from './report.ts';

export interface TextFile {
  readonly path: string;
  readonly text: string;
  readonly readableBy: 'owner' | 'others';
}

const MAX_BYTES = 1_048_576;

/**
 * Reads a file as text without a byte order mark; undefined if there is no such file. Other
 * failures are reported.
 */
export function readTextFile(path: string, report: ConfigReport): TextFile | undefined {
  const refuse = (message: string): undefined => {
    report.problem(() => ({
      field: path,
      message,
      fixes: [fix('correct_setting', { setting: path })],
    }));
  };
  try {
    const { bytes, stats } = readRegular(path);
    if (bytes === undefined) return refuse(whyNotRead(path, stats));
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { path, text, readableBy: isOpenToOthers(stats.mode) ? 'others' : 'owner' };
  } catch (thrown) {
    if (thrown instanceof TypeError) return refuse(`${path} is not UTF-8 text.`);
    if (isLinkLoop(thrown)) return refuse(`${path} is a link that leads back to itself.`);
    const reason = CallError.from(thrown);
    if (reason.class !== 'not_found') return refuse(`${reason.message}.`);
    // The settings exist, but somewhere that is not there now; the defaults may permit more.
    return isLink(path) ? refuse(`${path} is a link to a file that is not there.`) : undefined;
  }
}

export function isLinkLoop(thrown: unknown): boolean {
  return (thrown as NodeJS.ErrnoException).code === 'ELOOP';
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

/**
 * Opens a regular file. The type is checked before, because opening a device may have effects, and
 * after, because the file may have been replaced.
 */
function readRegular(path: string): { stats: Stats; bytes?: Buffer } {
  const before = statSync(path);
  if (!isReadable(before)) return { stats: before };
  // Without O_NONBLOCK, which Windows does not have, opening a pipe waits for a writer.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(file);
    return isReadable(stats) ? { stats, bytes: readFileSync(file) } : { stats };
  } finally {
    closeSync(file);
  }
}

function isReadable(stats: Stats): boolean {
  return stats.isFile() && stats.size <= MAX_BYTES;
}

function whyNotRead(path: string, stats: Stats): string {
  return stats.isFile() ? `${path} is larger than ${MAX_BYTES} bytes.` : `${path} is not a file.`;
}
