import { CallError } from '#core/errors/call-error.ts';
import type { Diagnostics } from '#core/diagnostics/diagnostics.ts';
import type { Resource } from '#core/tools/resource.ts';
import { ICON } from '../icon.ts';
import { LOG_IS_LOCAL, isMachineOwner } from '../reporting/visibility.ts';

export const LOGS_URI = 'exai://logs';
const MIME_TYPE = 'application/jsonl';
const MAX_LINES = 200;
/** One line may have half a megabyte. */
const MAX_CHARS = 200_000;

/** The last lines of the daemon's log, as stored and redacted. */
export function logsResource(ops: Pick<Diagnostics, 'logLines'>): Resource {
  return {
    uri: LOGS_URI,
    subscribable: true,
    name: 'logs',
    title: 'Logs',
    description:
      'The last lines of the log of EX-AI, oldest first, for the owner of the machine; the tool activity searches further.',
    mimeType: MIME_TYPE,
    icons: [ICON],
    async read({ caller }) {
      // Access to all tools does not make a caller the owner.
      if (!isMachineOwner(caller))
        throw new CallError('permission', LOG_IS_LOCAL, { field: 'uri' });
      const lines = newestWithin(await ops.logLines(MAX_LINES), MAX_CHARS);
      return [{ uri: LOGS_URI, mimeType: MIME_TYPE, text: lines.join('\n') }];
    },
  };
}

/** Whole lines, always including the last one. */
function newestWithin(lines: readonly string[], maxChars: number): readonly string[] {
  let chars = 0;
  const over = lines.findLastIndex((line) => (chars += line.length + 1) > maxChars);
  return lines.slice(Math.min(over + 1, lines.length - 1));
}
