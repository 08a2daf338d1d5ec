import { hash } from 'node:crypto';
import { copyFileSync, existsSync, lstatSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { writePrivateFile } from '#config/home/private-files.ts';
import { CallError } from '#core/errors/call-error.ts';
import { shellQuote } from '#core/text/text.ts';

/** The state of the service file. */
export type ServiceFile =
  | { readonly is: 'absent' }
  /** Equal to what would be written now. */
  | { readonly is: 'current'; readonly home: string }
  /** Written by us and unchanged, but for another program path or other settings. */
  | { readonly is: 'outdated'; readonly home: string }
  /** Written by us, for the daemon of another home. */
  | { readonly is: 'of_another_home'; readonly home: string }
  | { readonly is: 'edited'; readonly home: string }
  /** Not written by us. */
  | { readonly is: 'foreign' }
  /** A link, such as one that masks the unit, or a folder. */
  | { readonly is: 'no_file' };

/** Our files are a few lines; a longer file is foreign and is not read. */
const MOST_BYTES = 65_536;

export function readServiceFile(file: string, wanted: string, home: string): ServiceFile {
  const stats = attempt(file, 'looked at', () => lstatSync(file, { throwIfNoEntry: false }));
  if (!stats) return { is: 'absent' };
  if (!stats.isFile()) return { is: 'no_file' };
  if (stats.size > MOST_BYTES) return { is: 'foreign' };
  const text = attempt(file, 'read', () => readFileSync(file, 'utf8'));
  const mark = readMark(text);
  if (!mark) return { is: 'foreign' };
  if (text === wanted) return { is: 'current', home };
  if (mark.isEdited) return { is: 'edited', home: mark.home };
  return { is: mark.home === home ? 'outdated' : 'of_another_home', home: mark.home };
}

export function writeServiceFile(file: string, text: string): void {
  attempt(file, 'written', () => {
    makeFolder(dirname(file));
    writePrivateFile(file, text);
  });
}

/**
 * Copies the file that is about to be replaced, under a name that service managers ignore. Returns
 * the path.
 */
export function copyServiceFile(file: string): string {
  const copy = `${file}.bak`;
  attempt(copy, 'written', () => copyFileSync(file, copy));
  return copy;
}

export function removeServiceFile(file: string): void {
  attempt(file, 'removed', () => rmSync(file, { force: true }));
}

/** Creates each level separately: Node's recursive mkdir never returns for a path under /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (thrown) {
    // Another process may have been faster.
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
  }
}

function attempt<T>(file: string, action: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    const reason = CallError.from(thrown);
    throw new CallError(
      reason.class,
      `The service file ${file} cannot be ${action}. ${reason.message}.`,
      { fix: `Make ${dirname(file)} a folder that you may write to.`, cause: thrown },
    );
  }
}

/**
 * The mark in a comment of our service files: the home whose daemon it starts, and a digest that
 * detects edits.
 */
interface ServiceMark {
  readonly home: string;
  readonly isEdited: boolean;
}

const UNSEALED = 'exai-check none';
const SEALED = /exai-check ([\da-f]{64})(?!\S)/;
const HOME = /exai-home ("(?:[^"\\\n]|\\.)*")/;

/** The two lines of the mark. An XML comment must not contain two hyphens in a row. */
export function markNotes(home: string): readonly [home: string, check: string] {
  return [`exai-home ${JSON.stringify(home).replaceAll('-', String.raw`\u002d`)}`, UNSEALED];
}

/** Inserts the draft's digest into the draft. */
export function seal(draft: string): string {
  return draft.replace(UNSEALED, `exai-check ${digest(draft)}`);
}

/** Undefined if the text was not written by us. */
export function readMark(text: string): ServiceMark | undefined {
  const [sealed, found] = SEALED.exec(text) ?? [];
  const home = readHome(text);
  if (sealed === undefined || home === undefined) return undefined;
  return { home, isEdited: digest(text.replace(sealed, UNSEALED)) !== found };
}

function readHome(text: string): string | undefined {
  try {
    const home: unknown = JSON.parse(HOME.exec(text)?.[1] ?? 'null');
    return typeof home === 'string' ? home : undefined;
  } catch {
    // Not in our format, so it was not written by us.
    return undefined;
  }
}

function digest(text: string): string {
  return hash('sha256', text, 'hex');
}

export interface ServiceFileAction {
  readonly verb: 'install' | 'remove';
  readonly force: 'asked' | 'never';
}

/**
 * Protects files from being overwritten: foreign files always; edited files and services of other
 * homes unless forced.
 */
export function refuseServiceFile(
  found: ServiceFile,
  file: string,
  action: ServiceFileAction,
): void {
  const { verb, force } = action;
  const anyway = `To do it anyway: exai service ${verb} --force`;
  switch (found.is) {
    case 'absent':
    case 'current':
    case 'outdated':
      return;
    case 'no_file':
      throw conflict(`${file} is a link or a folder.`, `Look at it, and move it away.`);
    case 'foreign':
      if (verb === 'install' && force === 'asked') return;
      throw conflict(
        `${file} was not written by EX-AI.`,
        verb === 'install' ? anyway : `If it may go: rm ${shellQuote(file)}`,
      );
    case 'edited':
      if (force === 'asked') return;
      throw conflict(`${file} was changed since EX-AI wrote it.`, anyway);
    case 'of_another_home':
      if (force === 'asked') return;
      throw conflict(`The service starts the daemon of another home, ${found.home}.`, anyway);
  }
}

function conflict(message: string, fix: string): CallError {
  return new CallError('conflict', message, { fix });
}
