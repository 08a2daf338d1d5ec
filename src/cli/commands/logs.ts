import { follow, logFile, tail } from '#app/admin/log-files.ts';
import { systemClock } from '#app/system.ts';
import { homePaths } from '#config/home/home.ts';
import { CallError } from '#core/errors/call-error.ts';
import { defineCommand } from '../command.ts';
import { escapeJsonControls } from '../format/escape-controls.ts';
import { formatLogLine } from '../format/log-line.ts';

const DEFAULT_LINES = '50';

export const command = defineCommand({
  name: 'logs',
  summary: 'Show the last lines of a log, and follow it',
  options: {
    follow: { type: 'boolean', short: 'f', help: 'Go on with new lines until Ctrl-C' },
    lines: {
      type: 'string',
      short: 'n',
      value: 'N',
      help: `How many lines; ${DEFAULT_LINES} unless told`,
    },
    name: { type: 'string', value: 'LOG', help: 'Which log; "daemon" unless told' },
    json: { type: 'boolean', help: 'Print one JSON document a line, as it is stored' },
  },
  async run({ options }, io) {
    const count = lineCount(options.lines ?? DEFAULT_LINES);
    const file = logFile(homePaths(io.env), options.name ?? 'daemon');
    const print = (line: string) => {
      io.stdout.write(
        `${options.json ? escapeJsonControls(line) : formatLogLine(line, io.paint)}\n`,
      );
    };
    if (options.follow) await follow(file, io.signal, print, systemClock, count);
    else (await tail(file, count)).forEach(print);
  },
});

function lineCount(text: string): number {
  if (/^\d{1,7}$/.test(text)) return Number(text);
  throw new CallError('validation', `--lines must be a whole number, but is "${text}".`, {
    field: '--lines',
    fix: 'exai logs -n 100',
  });
}
