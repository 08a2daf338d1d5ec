import { systemClock } from '#app/system.ts';
import { CallError } from '#core/errors/call-error.ts';
import { oneLine } from '#core/text/text.ts';
import { defineCommand } from '../command.ts';
import { confirm } from '../confirm.ts';
import {
  describeCopies,
  describeFileCount,
  fileRow,
  formatBytes,
  runWithFiles,
} from '../files/stored-files.ts';
import { formatColumns } from '../format/layout.ts';
import { printRawJson } from '../io.ts';

const DAY_MS = 86_400_000;
const MAX_DAYS = 36_500;

export const command = defineCommand({
  name: 'files prune',
  summary: 'Delete stored files that were not used for some time',
  about:
    'Shows the files first and asks for confirmation; without a terminal, --yes is required. Copies at providers are deleted, too. ' +
    'The daemon itself removes files after retention.filesDays.\n' +
    '  exai files prune --older-than 7d --preview',
  options: {
    'older-than': {
      type: 'string',
      value: 'DAYS',
      help: 'Not used for so many days, such as 7d (required); 0d: all files',
    },
    preview: { type: 'boolean', help: 'Show what would be deleted, and delete nothing' },
    yes: { type: 'boolean', short: 'y', help: 'Without asking' },
  },
  async run({ options }, io) {
    const beforeMs = systemClock.now() - parseDays(options['older-than']) * DAY_MS;
    await runWithFiles(io, async (call) => {
      const found = await call('prune', { before_ms: beforeMs, mode: 'preview' });
      const isPreview = options.preview === true;
      if (!options.json) {
        const rows = found.files.map((file) => fileRow(file, io));
        io.stdout.write(formatColumns(rows, '', io.width));
        const more = found.count - rows.length;
        if (more > 0) io.stdout.write(`… and ${more} more\n`);
        const what = `${describeFileCount(found.count)}, ${formatBytes(found.bytes)}`;
        io.stdout.write(found.count === 0 ? 'No file is that old.\n' : `${what} in all.\n`);
      }
      if (isPreview || found.count === 0) return options.json ? printRawJson(io, found) : undefined;
      if (!options.yes) {
        await confirm({
          input: process.stdin,
          output: io.stderr,
          question: `Delete ${describeFileCount(found.count)} for good?`,
          ifDeclined: 'nothing was deleted',
        });
      }
      const done = await call('prune', { before_ms: beforeMs, mode: 'delete' });
      if (options.json) return printRawJson(io, done);
      const copies = done.copies ? describeCopies(done.copies) : '';
      io.stdout.write(`Deleted: ${describeFileCount(done.count)}.\n${copies}`);
    });
  },
});

/** `7d` or `7`. */
function parseDays(text: string | undefined): number {
  const [, digits] = /^(\d{1,6})\s*d?(?:ays?)?$/i.exec(text?.trim() ?? '') ?? [];
  const days = digits === undefined ? Number.NaN : Number(digits);
  if (days >= 0 && days <= MAX_DAYS) return days;
  const given = text === undefined ? 'is missing' : `is "${oneLine(text, 40)}"`;
  throw new CallError('validation', `--older-than must be 0 to ${MAX_DAYS} days, but ${given}.`, {
    field: '--older-than',
    fix: 'Example: --older-than 7d',
  });
}
