import { defineCommand } from '../command.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { formatColumns } from '../format/layout.ts';
import { formatLocalTime, describeTurnCount } from '../format/text.ts';
import { printRawJson } from '../io.ts';
import { parseCountOption } from '../number-options.ts';
import { runWithThreads } from '../threads/threads-tool.ts';

export const command = defineCommand({
  name: 'threads list',
  summary: 'List your conversations, newest first',
  options: {
    limit: { type: 'string', value: 'N', help: 'Maximum number of results (default: 20)' },
    before: {
      type: 'string',
      value: 'WHEN',
      help: 'Older ones: a day, a time before now such as 7d, or as the list told',
    },
  },
  async run({ options }, io) {
    const limit = parseCountOption(options.limit, '--limit', 100);
    const { before } = options;
    const answer = await runWithThreads(io, (call) =>
      call('list', { ...(limit && { limit }), ...(before !== undefined && { before }) }),
    );
    if (options.json) return printRawJson(io, answer);
    const rows = answer.threads.map(({ id, updated, turns, model, title }) => [
      io.paint('bold', escapeControls(id)),
      io.paint('dim', formatLocalTime(updated, 'minute')),
      describeTurnCount(turns),
      escapeControls(model ?? ''),
      escapeControls(title),
    ]);
    io.stdout.write(formatColumns(rows, '', io.width));
    if (rows.length === 0) {
      io.stdout.write(
        before === undefined
          ? 'You have no conversations yet. Begin one with: exai chat\n'
          : 'There are no older ones.\n',
      );
    }
    if (answer.next !== undefined) {
      const more = `exai threads list --before ${escapeControls(answer.next)}`;
      io.stdout.write(`\n${io.paint('dim', `Older ones: ${more}`)}\n`);
    }
  },
});
