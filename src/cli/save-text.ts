import { writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { CallError } from '#core/call-error.ts';
import { shellQuote } from '#core/shell-quote.ts';

/** Writes a file that only its owner can read. One that is there already stays unless told. */
export function saveText(file: string, text: string, existing: 'keep' | 'overwrite'): void {
  try {
    writeFileSync(file, text, { flag: existing === 'keep' ? 'wx' : 'w', mode: 0o600 });
  } catch (thrown) {
    throw refusal(file, thrown) ?? thrown;
  }
}

/** Nothing where nobody foresaw it, so that its place is reported. */
function refusal(file: string, cause: unknown): CallError | undefined {
  const about = { field: '--output', cause };
  const { code } = cause as NodeJS.ErrnoException;
  if (code === 'EEXIST') {
    return new CallError('conflict', `${file} is there already; nothing was written.`, {
      ...about,
      fix: 'Choose another name, or overwrite it with --force.',
    });
  }
  const folder = dirname(file);
  if (code === 'ENOENT') {
    return new CallError('not_found', `There is no folder ${folder}; nothing was written.`, {
      ...about,
      fix: `mkdir -p ${shellQuote(folder)}`,
    });
  }
  const { class: errorClass, message } = CallError.from(cause);
  if (errorClass === 'internal') return undefined;
  return new CallError(errorClass, message, { ...about, fix: 'Choose another place.' });
}
