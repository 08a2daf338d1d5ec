import { writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { CallError } from '#core/errors/call-error.ts';
import { shellQuote } from '#core/text/text.ts';

/**
 * Writes a file that only its owner can read. An existing file is kept unless `existing` says
 * otherwise.
 */
export function writeOutputFile(file: string, text: string, existing: 'keep' | 'overwrite'): void {
  try {
    writeFileSync(file, text, { flag: existing === 'keep' ? 'wx' : 'w', mode: 0o600 });
  } catch (thrown) {
    throw outputFileError(file, thrown) ?? thrown;
  }
}

/** The error for the user; undefined for an unexpected one, which is reported with its stack. */
export function outputFileError(file: string, cause: unknown): CallError | undefined {
  const facts = { field: '--output', cause };
  const { code } = cause as NodeJS.ErrnoException;
  if (code === 'EEXIST') {
    return new CallError('conflict', `${file} is there already; nothing was written.`, {
      ...facts,
      fix: 'Choose another name, or overwrite it with --force.',
    });
  }
  const folder = dirname(file);
  if (code === 'ENOENT') {
    return new CallError('not_found', `There is no folder ${folder}; nothing was written.`, {
      ...facts,
      fix: `mkdir -p ${shellQuote(folder)}`,
    });
  }
  const { class: errorClass, message } = CallError.from(cause);
  if (errorClass === 'internal') return undefined;
  return new CallError(errorClass, message, { ...facts, fix: 'Choose another place.' });
}
