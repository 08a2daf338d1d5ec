import { writeFileSync } from 'node:fs';
import { CallError } from '#core/call-error.ts';

/** Writes a file that only its owner can read. One that is there already stays unless told. */
export function saveText(file: string, text: string, existing: 'keep' | 'overwrite'): void {
  try {
    writeFileSync(file, text, { flag: existing === 'keep' ? 'wx' : 'w', mode: 0o600 });
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
    throw new CallError('conflict', `${file} is there already; nothing was written.`, {
      field: '--output',
      fix: 'Choose another name, or overwrite it with --force.',
      cause: thrown,
    });
  }
}
