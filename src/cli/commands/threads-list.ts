import { columns } from '../columns.ts';
import { defineCommand } from '../command.ts';
import { countOption } from '../count-option.ts';
import { localTime } from '../local-time.ts';
import { printAsIs } from '../print-as-is.ts';
import { harmless } from '../terminal-text.ts';
import { turnCount } from '../turn-count.ts';
import { withThreads } from '../threads-tool.ts';

export const command = defineCommand({
  name: 'threads list',
  summary: 'List your conversations, the newest first',
  options: {
    limit: { type: 'string', value: 'N', help: 'How many; 20 unless told' },
    before: {
      type: 'string',
      value: 'WHEN',
      help: 'Older ones: a day, a time before now such as 7d, or as the list told',
    },
  },
  async run({ options }, io) {
    const limit = countOption(options.limit, '--limit', 100);
    const { before } = options;
    const answer = await withThreads(io, (call) =>
      call('list', { ...(limit && { limit }), ...(before !== undefined && { before }) }),
    );
    if (options.json) return printAsIs(io, answer);
    const rows = answer.threads.map(({ id, updated, turns, model, title }) => [
      io.paint('bold', harmless(id)),
      io.paint('dim', localTime(updated, 'minute')),
      turnCount(turns),
      harmless(model ?? ''),
      harmless(title),
    ]);
    io.stdout.write(columns(rows, '', io.width));
    if (rows.length === 0) {
      io.stdout.write(
        before === undefined
          ? 'You have no conversations yet. Begin one with: exai chat\n'
          : 'There are no older ones.\n',
      );
    }
    if (answer.next !== undefined) {
      const more = `exai threads list --before ${harmless(answer.next)}`;
      io.stdout.write(`\n${io.paint('dim', `Older ones: ${more}`)}\n`);
    }
  },
});
