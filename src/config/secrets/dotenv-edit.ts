import { lstatSync, realpathSync } from 'node:fs';
import { CallError } from '#core/errors/call-error.ts';
import { ASSIGNMENT, quoteDotenvValue } from '../load/dotenv.ts';
import { withFileLock } from '../home/file-lock.ts';
import { isLinkLoop, readTextFile } from '../load/read-text.ts';
import { createReport } from '../load/report.ts';
import { writePrivateFile } from '../home/private-files.ts';

// Edits by line, so that the rest of the file, comments and faults included, stays byte for byte.

/** Sets the first of `names` in the place of any of them, or at the end, and removes the others. */
export function setVariable(
  text: string,
  names: readonly [string, ...string[]],
  value: string,
): string {
  const assignment = `${names[0]}=${quoteDotenvValue(value)}`;
  const lines = splitLines(text);
  const index = lines.findIndex((line) => sets(line, names));
  if (index === -1) {
    const end = text.includes('\r\n') ? '\r\n' : '\n';
    const gap = text === '' || text.endsWith('\n') ? '' : end;
    return `${text}${gap}${assignment}${end}`;
  }
  return lines
    .filter((line, at) => at === index || !sets(line, names))
    .map((line) => (sets(line, names) ? replace(line, assignment) : line))
    .join('');
}

export function removeVariable(text: string, names: readonly string[]): string {
  return splitLines(text)
    .filter((line) => !sets(line, names))
    .join('');
}

/** The lines of a text, each with its line end. */
function splitLines(text: string): string[] {
  return text.split(/(?<=\n)/);
}

function sets(line: string, names: readonly string[]): boolean {
  const name = ASSIGNMENT.exec(line)?.[2];
  return name !== undefined && names.includes(name);
}

function replace(line: string, assignment: string): string {
  const before = ASSIGNMENT.exec(line)?.[1] ?? '';
  const end = /\r?\n?$/.exec(line)?.[0] ?? '';
  return `${before}${assignment}${end}`;
}

/** Changes a .env under a lock, and tells whether it changed. */
export function editEnvFile(path: string, edit: (text: string) => string): 'changed' | 'unchanged' {
  const target = targetOf(path);
  return withFileLock(target, () => {
    const before = textOf(target);
    const after = edit(before);
    if (after === before) return 'unchanged';
    writePrivateFile(target, after);
    return 'changed';
  });
}

/**
 * The file to replace: a .env that is a link stays one, and its target is replaced. A broken link
 * is an error.
 */
function targetOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (thrown) {
    if (isLinkLoop(thrown)) throw refuse(path, 'is a link that leads back to itself');
    const reason = CallError.from(thrown);
    if (reason.class !== 'not_found') throw reason;
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) {
      throw refuse(path, 'is a link to a file that is not there');
    }
    return path;
  }
}

function textOf(path: string): string {
  const report = createReport();
  const file = readTextFile(path, report);
  const refusal = report.refusal();
  if (refusal) throw refusal;
  return file?.text ?? '';
}

function refuse(path: string, reason: string): CallError {
  const fix = `Correct or remove the link ${path}.`;
  return new CallError('validation', `${path} ${reason}.`, { field: path, fix });
}
