import { copyFileSync, existsSync, lstatSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { writePrivateFile } from '#config/write-private.ts';
import { CallError } from '#core/call-error.ts';
import { readMark } from './service-mark.ts';

/** What stands where the service file belongs. */
export type ServiceFile =
  | { readonly is: 'absent' }
  /** As it would be written now. */
  | { readonly is: 'current'; readonly home: string }
  /** Ours and as we wrote it, but for another place of the program or other settings. */
  | { readonly is: 'outdated'; readonly home: string }
  /** Ours, and starts the daemon of another home. */
  | { readonly is: 'of_another_home'; readonly home: string }
  | { readonly is: 'edited'; readonly home: string }
  /** Somebody else's file. */
  | { readonly is: 'foreign' }
  /** A link, such as one that masks the unit, or a folder. */
  | { readonly is: 'no_file' };

/** Ours are a few lines; what is longer need not be read to know whose it is. */
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

/** A copy of what is about to be replaced, under a name that no service manager looks at. */
export function keepServiceFile(file: string): string {
  const copy = `${file}.bak`;
  attempt(copy, 'written', () => copyFileSync(file, copy));
  return copy;
}

export function removeServiceFile(file: string): void {
  attempt(file, 'removed', () => rmSync(file, { force: true }));
}

/** Level by level: asked to make a path under /proc by itself, Node's recursive mkdir never returns. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (thrown) {
    // Somebody else may have been first.
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
  }
}

function attempt<T>(file: string, deed: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    const reason = CallError.from(thrown);
    throw new CallError(
      reason.class,
      `The service file ${file} cannot be ${deed}. ${reason.message}.`,
      { fix: `Make ${dirname(file)} a folder that you may write to.`, cause: thrown },
    );
  }
}
