import { CallError } from '#core/errors/call-error.ts';
import { formatQuantity } from '#core/text/format.ts';
import { defineCommand } from '../command.ts';
import { printIndexNotices, runWithIndex } from '../files/file-index.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { printRawJson } from '../io.ts';

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 100;
const MAX_SHOWN_LINES = 8;

export const command = defineCommand({
  name: 'index search',
  summary: 'Search the indexed files, without a model',
  about:
    'Prints the passages that match best, each with its file and page, slide, sheet, section or lines. --json has the whole ' +
    'passages.\n' +
    "  exai index search 'notice period for termination'",
  positionals: [{ name: 'query', need: 'required', help: 'Words to find' }],
  options: {
    limit: {
      type: 'string',
      value: 'N',
      help: `Number of passages, 1 to ${MAX_LIMIT} (default: ${DEFAULT_LIMIT})`,
    },
  },
  async run({ options, positionals }, io) {
    const limit = parseLimit(options.limit);
    const query = positionals['query'] ?? '';
    const found = await runWithIndex(io, (call) => call('search', { query, limit }));
    if (options.json) return printRawJson(io, found);
    printIndexNotices(found.notices, io);
    for (const { source, place, heading, text, state } of found.passages) {
      const under = heading === undefined ? '' : ` · ${escapeControls(heading)}`;
      const stale = state === 'stale' ? ' (stale)' : '';
      const where = `${escapeControls(source)}, ${escapeControls(place)}`;
      io.stdout.write(`${io.paint('bold', where)}${io.paint('dim', `${under}${stale}`)}\n`);
      const lines = text.split('\n');
      for (const line of lines.slice(0, MAX_SHOWN_LINES)) {
        io.stdout.write(`  ${escapeControls(line)}\n`);
      }
      if (lines.length > MAX_SHOWN_LINES) io.stdout.write('  …\n');
      io.stdout.write('\n');
    }
    const { files, passages } = found.searched;
    if (files === 0)
      io.stdout.write('No file is indexed. Index some with: exai index add FOLDER\n');
    else if (found.passages.length === 0) {
      io.stdout.write(
        `No passage of ${formatQuantity(files, 'file')} (${formatQuantity(passages, 'passage')}) matches.\n`,
      );
    }
  },
});

function parseLimit(text: string | undefined): number {
  if (text === undefined) return DEFAULT_LIMIT;
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new CallError('validation', `--limit must be 1 to ${MAX_LIMIT}.`, {
    field: '--limit',
    fix: `Example: --limit ${DEFAULT_LIMIT}`,
  });
}
