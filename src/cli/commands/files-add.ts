import { resolve } from 'node:path';
import { defineCommand } from '../command.ts';
import { formatBytes, runWithFiles } from '../files/stored-files.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { printRawJson } from '../io.ts';

export const command = defineCommand({
  name: 'files add',
  summary: 'Store a file, so that questions can name it by its id',
  about:
    'The daemon reads the file and keeps its content in the store (at most 1,000 MB). Nothing is sent to a provider. Tools take ' +
    'the file as {"file_id": "file_…"}, clients read it as the resource exai://files/{id}.\n' +
    '  exai files add report.pdf',
  positionals: [{ name: 'path', need: 'required', help: 'A file on this machine' }],
  async run({ options, positionals }, io) {
    const path = resolve(positionals['path'] ?? '');
    const file = await runWithFiles(io, (call) => call('add', { path }));
    if (options.json) return printRawJson(io, file);
    const { id, name, bytes } = file;
    io.stdout.write(
      `${io.paint('bold', escapeControls(id))}  ${escapeControls(name)}, ${formatBytes(bytes)}\n`,
    );
  },
});
