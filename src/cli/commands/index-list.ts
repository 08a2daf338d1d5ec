import { defineCommand } from '../command.ts';
import { runWithIndex } from '../files/file-index.ts';
import { describeFileCount, formatBytes } from '../files/stored-files.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { formatColumns } from '../format/layout.ts';
import { formatLocalTime } from '../format/text.ts';
import { printRawJson } from '../io.ts';

export const command = defineCommand({
  name: 'index list',
  summary: 'List the indexed files',
  about:
    'Shows the id, size, number of passages, time and path of each. "stale" marks a file that was gone at the last update; ' +
    '"asked" one that a question or a search has indexed, which is removed when it was not used for retention.filesDays.\n' +
    '  exai index list --json',
  async run({ options }, io) {
    const { files } = await runWithIndex(io, (call) => call('list', {}));
    if (options.json) return printRawJson(io, { files });
    const rows = files.map(({ id, source, bytes, passages, origin, state, indexed }) => [
      io.paint('bold', String(id)),
      formatBytes(bytes),
      `${passages} ${passages === 1 ? 'passage' : 'passages'}`,
      io.paint('dim', formatLocalTime(indexed, 'minute')),
      [origin === 'asked' ? 'asked' : '', state === 'stale' ? 'stale' : ''].join(' ').trim(),
      escapeControls(source),
    ]);
    io.stdout.write(formatColumns(rows, '', io.width));
    const passages = files.reduce((sum, file) => sum + file.passages, 0);
    io.stdout.write(`${describeFileCount(files.length)}, ${passages} passages.\n`);
  },
});
