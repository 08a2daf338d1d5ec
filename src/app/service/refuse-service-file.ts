import { CallError } from '#core/call-error.ts';
import { shellQuote } from '#core/shell-quote.ts';
import type { ServiceFile } from './service-file.ts';

export interface Deed {
  readonly verb: 'install' | 'remove';
  readonly force: 'asked' | 'never';
}

/** Keeps what somebody wrote: their own files always, changes and services of other homes unless told. */
export function refuseServiceFile(found: ServiceFile, file: string, deed: Deed): void {
  const { verb, force } = deed;
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
