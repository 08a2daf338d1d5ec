import { defineCommand } from '../command.ts';
import { formatBytes, runWithFiles } from '../files/stored-files.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { formatColumns } from '../format/layout.ts';
import { formatLocalTime } from '../format/text.ts';
import { printRawJson } from '../io.ts';

export const command = defineCommand({
  name: 'files show',
  summary: 'Show a stored file: size, age, last use, copies at providers',
  positionals: [{ name: 'id', need: 'required', help: 'As exai files list tells it' }],
  async run({ options, positionals }, io) {
    const file = await runWithFiles(io, (call) => call('show', { id: positionals['id'] ?? '' }));
    if (options.json) return printRawJson(io, file);
    const copies = file.copies.map(
      ({ provider, fileId, purpose }) => `${provider} ${fileId} (${purpose})`,
    );
    const rows = [
      ['Name', file.name],
      ['Id', file.id],
      ['Resource', file.uri],
      ['Type', file.mime],
      ['Size', `${formatBytes(file.bytes)}`],
      ['SHA-256', file.sha256],
      ['Stored', formatLocalTime(file.created, 'second')],
      ['Last use', `${formatLocalTime(file.used, 'minute')}, within an hour`],
      ...(file.expires === undefined
        ? [['Kept', 'forever']]
        : [['Kept until', `${formatLocalTime(file.expires, 'minute')}, unless it is used again`]]),
      ['At providers', copies.length === 0 ? 'no copy' : copies.join(', ')],
    ];
    io.stdout.write(
      formatColumns(
        rows.map(([name = '', value = '']) => [io.paint('bold', name), escapeControls(value)]),
        '',
        io.width,
      ),
    );
  },
});
