import { defineCommand } from '../command.ts';
import { fileRow, runWithFiles } from '../files/stored-files.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { formatColumns } from '../format/layout.ts';
import { printRawJson } from '../io.ts';
import { parseCountOption } from '../number-options.ts';

export const command = defineCommand({
  name: 'files list',
  summary: 'List your stored files, newest first',
  about: 'Shows the size, when it was stored, its last use, and the providers that have a copy.',
  options: {
    limit: { type: 'string', value: 'N', help: 'Maximum number of results (default: 20)' },
    before: { type: 'string', value: 'ID', help: 'Older ones, as the list told' },
  },
  async run({ options }, io) {
    const limit = parseCountOption(options.limit, '--limit', 1_000);
    const { before } = options;
    const answer = await runWithFiles(io, (call) =>
      call('list', { ...(limit && { limit }), ...(before !== undefined && { before }) }),
    );
    if (options.json) return printRawJson(io, answer);
    const rows = answer.files.map((file) => fileRow(file, io));
    io.stdout.write(formatColumns(rows, '', io.width));
    if (rows.length === 0) {
      io.stdout.write(
        before === undefined
          ? 'You have no stored files. Store one with: exai files add PATH\n'
          : 'There are no older ones.\n',
      );
    }
    if (answer.next !== undefined) {
      const more = `exai files list --before ${escapeControls(answer.next)}`;
      io.stdout.write(`\n${io.paint('dim', `Older ones: ${more}`)}\n`);
    }
  },
});
