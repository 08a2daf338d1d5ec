import { defineCommand } from '../command.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { describeTurnCount } from '../format/text.ts';
import { printRawJson } from '../io.ts';
import { parseCountOption } from '../number-options.ts';
import { runWithThreads } from '../threads/threads-tool.ts';

export const command = defineCommand({
  name: 'threads fork',
  summary: 'Copy a conversation to continue it separately',
  about:
    'All of it, or up to a turn. The original stays as it is. A copy that ends earlier has no state of workflows: they ' +
    'start again in it.',
  positionals: [{ name: 'id', need: 'required', help: 'As exai threads list tells it' }],
  options: { turn: { type: 'string', value: 'N', help: 'The last turn to copy' } },
  async run({ options, positionals }, io) {
    const turn = parseCountOption(options.turn, '--turn', 1_000_000);
    const id = positionals['id'] ?? '';
    const answer = await runWithThreads(io, (call) => call('fork', { id, ...(turn && { turn }) }));
    if (options.json) return printRawJson(io, answer);
    const { thread } = answer;
    io.stdout.write(`Copied ${describeTurnCount(thread.turns)} to ${escapeControls(thread.id)}\n`);
    io.stdout.write(`Continue: exai chat --resume ${escapeControls(thread.id)}\n`);
  },
});
