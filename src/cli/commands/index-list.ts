import type { IndexedFileSummary } from '#core/files/index-admin.ts';
import { formatQuantity } from '#core/text/format.ts';
import { defineCommand } from '../command.ts';
import { runWithIndex } from '../files/file-index.ts';
import { describeFileCount, formatBytes } from '../files/stored-files.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { formatColumns } from '../format/layout.ts';
import { formatLocalTime } from '../format/text.ts';
import { printRawJson, type Io } from '../io.ts';

const SHOWN_FILES = 20;

export const command = defineCommand({
  name: 'index list',
  summary: 'List the indexed files, newest first',
  about:
    'Shows the id, size, number of passages, time and path of each. "stale" marks a file that was gone at the last update; ' +
    'these come first. "asked" marks one that a question or a search has indexed, which is removed when it was not used for ' +
    `retention.filesDays. Without --all, ${SHOWN_FILES} of the files that "index add" has added are shown.\n` +
    '  exai index list --all',
  options: {
    all: { type: 'boolean', help: 'Show all files, also those indexed for a question' },
  },
  async run({ options }, io) {
    const { files, folders } = await runWithIndex(io, (call) => call('list', {}));
    if (options.json) return printRawJson(io, { files, folders });
    if (files.length === 0) {
      io.stdout.write('No file is indexed. Index some with: exai index add FOLDER\n');
      return;
    }
    const sorted = files.toSorted(staleThenNewest);
    const added = sorted.filter(({ origin }) => origin === 'added');
    const shown = options.all ? sorted : added.slice(0, SHOWN_FILES);
    const rows = shown.map((file) => fileRow(file, io));
    io.stdout.write(formatColumns(rows, '', io.width));
    for (const folder of folders)
      io.stdout.write(`index update follows ${escapeControls(folder)}\n`);
    io.stdout.write(`${describeTotals(files)}.\n`);
    const asked = files.filter(({ origin }) => origin === 'asked');
    if (asked.length > 0) io.stdout.write(`Indexed for questions: ${describeTotals(asked)}.\n`);
    const left = files.length - shown.length;
    if (left > 0) {
      const hint = `Not shown: ${describeFileCount(left)}. List all with: exai index list --all`;
      io.stdout.write(`${io.paint('dim', hint)}\n`);
    }
  },
});

function staleThenNewest(a: IndexedFileSummary, b: IndexedFileSummary): number {
  if (a.state !== b.state) return a.state === 'stale' ? -1 : 1;
  return b.id - a.id;
}

function fileRow(
  { id, source, bytes, passages, origin, state, indexed }: IndexedFileSummary,
  io: Pick<Io, 'paint'>,
): readonly string[] {
  return [
    io.paint('bold', String(id)),
    formatBytes(bytes),
    formatQuantity(passages, 'passage'),
    io.paint('dim', formatLocalTime(indexed, 'minute')),
    [origin === 'asked' ? 'asked' : '', state === 'stale' ? 'stale' : ''].join(' ').trim(),
    escapeControls(source),
  ];
}

/** `300 files, 4,200 passages, 12.6 MB`. */
function describeTotals(files: readonly IndexedFileSummary[]): string {
  const passages = files.reduce((sum, file) => sum + file.passages, 0);
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return `${describeFileCount(files.length)}, ${formatQuantity(passages, 'passage')}, ${formatBytes(bytes)}`;
}
