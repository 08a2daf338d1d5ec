import { defineCommand } from '../command.ts';
import { countOption } from '../count-option.ts';
import { printAsIs } from '../print-as-is.ts';
import { harmless } from '../terminal-text.ts';
import { turnCount } from '../turn-count.ts';
import { withThreads } from '../threads-tool.ts';

export const command = defineCommand({
  name: 'threads fork',
  summary: 'Copy a conversation, to go on differently',
  about:
    'All of it, or up to a turn. The original stays as it is. A copy that ends earlier has no state of workflows: they ' +
    'begin anew in it.',
  positionals: [{ name: 'id', need: 'required', help: 'As exai threads list tells it' }],
  options: { turn: { type: 'string', value: 'N', help: 'The last turn to copy' } },
  async run({ options, positionals }, io) {
    const turn = countOption(options.turn, '--turn', 1_000_000);
    const id = positionals['id'] ?? '';
    const answer = await withThreads(io, (call) => call('fork', { id, ...(turn && { turn }) }));
    if (options.json) return printAsIs(io, answer);
    const { thread } = answer;
    io.stdout.write(`Copied ${turnCount(thread.turns)} to ${harmless(thread.id)}\n`);
    io.stdout.write(`Go on with: exai chat --resume ${harmless(thread.id)}\n`);
  },
});
