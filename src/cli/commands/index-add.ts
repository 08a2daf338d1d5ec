import { resolve } from 'node:path';
import { CallError } from '#core/errors/call-error.ts';
import { formatQuantity } from '#core/text/format.ts';
import { defineCommand } from '../command.ts';
import { indexInBatches, printIndexNotices, runWithIndex } from '../files/file-index.ts';
import { describeFileCount } from '../files/stored-files.ts';
import { printRawJson } from '../io.ts';

export const command = defineCommand({
  name: 'index add',
  summary: 'Index files, folders or patterns for search_files and index search',
  about:
    'Reads PDF, Office, text and code, and keeps their passages in the store. Hidden files, and those that .gitignore leaves out, ' +
    'are not read. A file whose content is known is not indexed again. "index update" finds new files of the folders and patterns.\n' +
    '  exai index add ~/contracts\n' +
    "  exai index add 'docs/**/*.md' report.pdf",
  positionals: [
    { name: 'path', need: 'required', help: 'A file, a folder or a pattern in quotes' },
  ],
  rest: { name: 'paths', help: 'More of them' },
  async run({ options, positionals, rest = [] }, io) {
    const paths = [positionals['path'] ?? '', ...rest].map((path) => resolve(path));
    await runWithIndex(io, async (call) => {
      const found = await call('find', { paths });
      const [missing] = found.missing;
      if (missing !== undefined) throw notFound(missing);
      if (found.folders.length > 0) await call('follow', { paths: found.folders });
      const { stale: _, removed: __, ...done } = await indexInBatches(found.paths, 'add', call, io);
      const result = { ...done, notices: [...found.notices, ...done.notices] };
      if (options.json) return printRawJson(io, result);
      printIndexNotices(result.notices, io);
      const { added, unchanged, passages } = result;
      io.stdout.write(
        `Indexed: ${describeFileCount(added)}; unchanged: ${unchanged}; ${formatQuantity(passages, 'passage')} in all.\n`,
      );
    });
  },
});

function notFound(path: string): CallError {
  return new CallError('not_found', `${path} is not there, or cannot be read.`, {
    field: 'path',
    fix: 'Check the path. Example: exai index add ~/contracts',
  });
}
