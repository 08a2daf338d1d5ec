import { readFileSync, statSync } from 'node:fs';
import { CallError } from '#core/call-error.ts';
import { isOpenToOthers } from './home.ts';
import type { Report } from './report.ts';

export interface TextFile {
  readonly path: string;
  readonly text: string;
  readonly readableBy: 'owner' | 'others';
}

const MAX_BYTES = 1_048_576;

/** The file's text without a byte order mark, or nothing if there is no such file. Any other obstacle is a problem. */
export function readText(path: string, report: Report): TextFile | undefined {
  const refuse = (message: string): undefined => {
    report.problems.push({ field: path, message, fix: `Correct ${path}.` });
  };
  try {
    const stats = statSync(path);
    if (!stats.isFile()) return refuse(`${path} is not a file.`);
    if (stats.size > MAX_BYTES) return refuse(`${path} is larger than ${MAX_BYTES} bytes.`);
    const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
    return { path, text, readableBy: isOpenToOthers(stats.mode) ? 'others' : 'owner' };
  } catch (thrown) {
    const reason = CallError.from(thrown);
    if (reason.class === 'not_found') return undefined;
    if (thrown instanceof TypeError) return refuse(`${path} is not UTF-8 text.`);
    return refuse(`${reason.message}.`);
  }
}
