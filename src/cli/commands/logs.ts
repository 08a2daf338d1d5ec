import { follow, logFile, parseTimestamp, tail } from '#app/admin/log-files.ts';
import { systemClock } from '#app/system.ts';
import { homePaths } from '#config/home/home.ts';
import { CallError } from '#core/errors/call-error.ts';
import { didYouMean, oneLine } from '#core/text/text.ts';
import { defineCommand } from '../command.ts';
import { escapeJsonControls } from '../format/escape-controls.ts';
import { formatLogLine } from '../format/log-line.ts';
import {
  judgeLogLine,
  LOG_LINE_LEVELS,
  readFilteredTail,
  type LogFilter,
  type LogLineLevel,
} from '../log-filter.ts';

const DEFAULT_LINES = '50';

export const command = defineCommand({
  name: 'logs',
  summary: 'Show the last lines of a log, and follow it',
  about:
    'Lines about clients that connect and disconnect are left out, and their number is said; --all shows them, and ' +
    'so does --json.\n' +
    '  exai logs --level warn --since 2h\n' +
    '  exai logs --name attempts -f',
  options: {
    follow: { type: 'boolean', short: 'f', help: 'Follow new lines until Ctrl-C' },
    lines: {
      type: 'string',
      short: 'n',
      value: 'N',
      help: `Maximum number of lines (default: ${DEFAULT_LINES}; all with --since)`,
    },
    level: { type: 'string', value: 'LEVEL', help: 'Only from this on: info, warn or error' },
    since: { type: 'string', value: 'TIME', help: 'Only later ones: 15m, 2h, 1d or ISO 8601' },
    all: { type: 'boolean', help: 'Also clients that connect and disconnect' },
    name: { type: 'string', value: 'LOG', help: 'Which log (default: daemon)' },
    json: { type: 'boolean', help: 'Print one JSON document a line, as it is stored' },
  },
  async run({ options }, io) {
    const filter: LogFilter = {
      ...(options.level !== undefined && { level: levelOf(options.level) }),
      ...(options.since !== undefined && {
        sinceMs: parseTimestamp(options.since, systemClock.now(), '--since'),
      }),
      connections: options.all || options.json ? 'shown' : 'hidden',
    };
    const isTimed = options.since !== undefined && options.lines === undefined;
    const count = isTimed ? Number.POSITIVE_INFINITY : lineCount(options.lines ?? DEFAULT_LINES);
    const file = logFile(homePaths(io.env), options.name ?? 'daemon');
    const print = (line: string) => {
      if (judgeLogLine(line, filter) !== 'shown') return;
      io.stdout.write(
        `${options.json ? escapeJsonControls(line) : formatLogLine(line, io.paint)}\n`,
      );
    };
    const found = await readFilteredTail((lines) => tail(file, lines), count, filter);
    const { hiddenConnections } = found;
    if (hiddenConnections > 0) {
      const what = hiddenConnections === 1 ? 'line' : 'lines';
      const text = `${hiddenConnections} ${what} about connections left out; --all shows them.`;
      io.stderr.write(`exai: ${text}\n`);
    }
    if (options.follow) await follow(file, io.signal, print, systemClock, found.lines.length);
    else found.lines.forEach(print);
  },
});

function levelOf(text: string): LogLineLevel {
  const found = LOG_LINE_LEVELS.find((level) => level === text);
  if (found) return found;
  const near = didYouMean(text, LOG_LINE_LEVELS) || '.';
  throw new CallError(
    'validation',
    `--level must be a level, but is "${oneLine(text, 40)}"${near}`,
    {
      field: '--level',
      fix: `Use one of ${LOG_LINE_LEVELS.join(', ')}.`,
    },
  );
}

function lineCount(text: string): number {
  if (/^\d{1,7}$/.test(text)) return Number(text);
  throw new CallError('validation', `--lines must be a whole number, but is "${text}".`, {
    field: '--lines',
    fix: 'exai logs -n 100',
  });
}
