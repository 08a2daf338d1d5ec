import { isAbsolute } from 'node:path';
import { defineCommand } from '../command.ts';
import { indexInBatches, printIndexNotices, runWithIndex } from '../files/file-index.ts';
import { describeFileCount } from '../files/stored-files.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { printRawJson } from '../io.ts';

export const command = defineCommand({
  name: 'index update',
  summary: 'Index changed files again, and mark those that are gone',
  about:
    'Reads every file that index add has added. One whose content has changed is indexed again; one that is gone, or can no ' +
    'longer be read, stays searchable and is marked as stale. New files of a folder are indexed by another index add.\n' +
    '  exai index update',
  async run({ options }, io) {
    await runWithIndex(io, async (call) => {
      const { files } = await call('list', {});
      const paths = files
        .filter(({ origin, source }) => origin === 'added' && isAbsolute(source))
        .map(({ source }) => source);
      const result = await indexInBatches(paths, 'update', call, io);
      if (options.json) return printRawJson(io, result);
      printIndexNotices(result.notices, io);
      for (const path of result.stale) io.stdout.write(`stale: ${escapeControls(path)}\n`);
      const { added, unchanged, stale } = result;
      io.stdout.write(
        `Indexed again: ${describeFileCount(added)}; unchanged: ${unchanged}; stale: ${stale.length}.\n`,
      );
    });
  },
});
