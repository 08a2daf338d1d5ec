import { CallError } from '#core/errors/call-error.ts';
import type { FileIntake } from '#core/files/file-intake.ts';
import { notice } from '#core/messages/notices.ts';
import { intakeOver } from './intake-over.ts';

/** Which paths were read, within which roots. */
export type DiskRead = readonly [paths: readonly string[], roots: readonly string[]];

/** An intake that reads from a map by path; a path that ends in a slash is a folder. */
export function intakeOfDisk(
  disk: () => ReadonlyMap<string, string>,
  reads: DiskRead[],
): FileIntake {
  return intakeOver({
    async read(paths, field, { roots }) {
      reads.push([paths, roots]);
      const texts = paths.flatMap((path) => {
        const found = [...disk()].filter(([name]) => name === path || isIn(name, path));
        if (found.length === 0) {
          throw new CallError('not_found', `There is no file ${path}.`, { field });
        }
        return found.map(([name, text]) => ({ name, text }));
      });
      const hasFolder = paths.some((path) => path.endsWith('/'));
      return { texts, notices: hasFolder ? [notice('text', { text: 'a.png is no text.' })] : [] };
    },
  });
}

function isIn(name: string, folder: string): boolean {
  return folder.endsWith('/') && name.startsWith(folder);
}
