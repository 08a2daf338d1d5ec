import { CallError } from '#core/call-error.ts';
import type { Ops } from '#core/ops.ts';
import type { Resource } from '#core/resource.ts';
import { ICON } from '../icon.ts';
import { LOG_IS_LOCAL, ownsMachine } from '../reporting/viewer.ts';

export const LOGS_URI = 'exai://logs';
const MIME_TYPE = 'application/jsonl';
const MAX_LINES = 200;
/** One line can be half a megabyte. */
const MAX_CHARS = 200_000;

/** The last lines of the daemon's log, redacted as they are stored. */
export function logsResource(ops: Pick<Ops, 'logLines'>): Resource {
  return {
    uri: LOGS_URI,
    tellsChanges: true,
    name: 'logs',
    title: 'Logs',
    description:
      'The last lines of the log of EX-AI, oldest first, for the owner of the machine; the tool activity searches further.',
    mimeType: MIME_TYPE,
    icons: [ICON],
    async read({ caller }) {
      // Who may use every tool is not yet who owns the machine.
      if (!ownsMachine(caller)) throw new CallError('permission', LOG_IS_LOCAL, { field: 'uri' });
      const lines = newestWithin(await ops.logLines(MAX_LINES), MAX_CHARS);
      return [{ uri: LOGS_URI, mimeType: MIME_TYPE, text: lines.join('\n') }];
    },
  };
}

/** Whole lines, and the very last in any case. */
function newestWithin(lines: readonly string[], maxChars: number): readonly string[] {
  let chars = 0;
  const over = lines.findLastIndex((line) => (chars += line.length + 1) > maxChars);
  return lines.slice(Math.min(over + 1, lines.length - 1));
}
