import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Home } from '#config/home/home.ts';
import { CallError } from '#core/errors/call-error.ts';
import { commandFix } from '#core/messages/fixes.ts';
import { didYouMean } from '#core/text/text.ts';

export { follow, tail } from '#telemetry/logs/log-reader.ts';
export { parseTimestamp } from '#tools/reporting/time-range.ts';

const SUFFIX = '.jsonl';

/** The path of an existing log file by its name. */
export function logFile(home: Home, name: string): string {
  const names = logNames(home);
  if (names.includes(name)) return join(home.logDir, `${name}${SUFFIX}`);
  const known = names.length === 0 ? 'there is none yet' : `there are: ${names.join(', ')}`;
  throw new CallError('not_found', `No log "${name}"${didYouMean(name, names) || `; ${known}.`}`, {
    field: '--name',
    fixes: [
      names.length === 0
        ? commandFix('exai start', 'start the daemon, which writes it,')
        : commandFix('exai logs --name <log>'),
    ],
  });
}

function logNames(home: Home): string[] {
  try {
    return readdirSync(home.logDir)
      .filter((file) => file.endsWith(SUFFIX) && !file.slice(0, -SUFFIX.length).includes('.'))
      .map((file) => file.slice(0, -SUFFIX.length));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
