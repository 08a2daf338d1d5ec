import { basename } from 'node:path';
import { CallError } from '#core/errors/call-error.ts';
import { fix } from '#core/messages/fixes.ts';
import { mayHoldSecrets } from '#core/secrets/secret-files.ts';
import { accessDenied, notAFile, type FoundPath } from './find-path.ts';
import type { Opened } from './open-inside.ts';
import { quotePath } from './to-absolute.ts';

/** The error for a named file that could not be opened. */
export function openFaultError(
  given: string,
  fault: Exclude<Opened['is'], 'open'>,
  field: string,
): CallError {
  switch (fault) {
    case 'special':
      return notAFile(given, field);
    case 'denied':
      return accessDenied(given, field);
    case 'changed':
    case 'gone': {
      const what = fault === 'gone' ? 'went away' : 'was replaced';
      return new CallError('conflict', `${quotePath(given)} ${what} while it was read.`, {
        field,
        fixes: [fix('retry')],
      });
    }
  }
}

/** Refuses a link with a harmless name to a file that may contain secrets. */
export function refuseSecretLink({ given, name: path, real, is }: FoundPath, field: string): void {
  const name = basename(real);
  if (is === 'folder' || !mayHoldSecrets(name)) return;
  // The file system may return the name in another case.
  if (basename(path).toLowerCase() === name.toLowerCase()) return;
  const message = `${quotePath(given)} is a link to a file that may hold secrets.`;
  throw new CallError('permission', message, { field, fix: 'Name that file itself.' });
}
