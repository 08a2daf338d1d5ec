import { isAbsolute } from 'node:path';
import { defineCommand } from '../command.ts';
import { indexInBatches, printIndexNotices, runWithIndex } from '../files/file-index.ts';
import { describeFileCount } from '../files/stored-files.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { printRawJson } from '../io.ts';

export const command = defineCommand({
  name: 'index update',
  summary: 'Index new and changed files, and drop those that are gone',
  about:
    'Reads every file that index add has added, and finds new ones in its folders and patterns. One whose content has changed is ' +
    'indexed again. One that is gone from an indexed folder is removed from the index. One that cannot be read, or was named ' +
    'itself and is gone, stays searchable and is marked as stale; so are all files of a folder that is gone.\n' +
    '  exai index update',
  async run({ options }, io) {
    await runWithIndex(io, async (call) => {
      const { files, folders } = await call('list', {});
      const paths = files
        .filter(({ origin, source }) => origin === 'added' && isAbsolute(source))
        .map(({ source }) => source);
      const found =
        folders.length > 0
          ? await call('find', { paths: folders })
          : { paths: [], folders: [], missing: [], notices: [] };
      const all = [...new Set([...paths, ...found.paths])];
      const done = await indexInBatches(all, 'update', call, io, { folders: found.folders });
      const gone = found.missing.map((folder) => `${folder} is not there, or cannot be read.`);
      const result = { ...done, notices: [...gone, ...found.notices, ...done.notices] };
      if (options.json) return printRawJson(io, result);
      printIndexNotices(result.notices, io);
      for (const path of result.stale) io.stdout.write(`stale: ${escapeControls(path)}\n`);
      for (const path of result.removed) io.stdout.write(`removed: ${escapeControls(path)}\n`);
      const { added, unchanged, stale, removed } = result;
      io.stdout.write(
        `Indexed: ${describeFileCount(added)}; unchanged: ${unchanged}; removed: ${removed.length}; stale: ${stale.length}.\n`,
      );
    });
  },
});
