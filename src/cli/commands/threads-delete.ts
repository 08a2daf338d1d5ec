import { defineCommand } from '../command.ts';
import { confirm } from '../confirm.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { describeTurnCount } from '../format/text.ts';
import { printRawJson } from '../io.ts';
import { runWithThreads } from '../threads/threads-tool.ts';

export const command = defineCommand({
  name: 'threads delete',
  summary: 'Delete a conversation permanently',
  about: 'Asks for confirmation; without a terminal, --yes is required.',
  positionals: [{ name: 'id', need: 'required', help: 'As exai threads list tells it' }],
  options: { yes: { type: 'boolean', short: 'y', help: 'Without asking' } },
  async run({ options, positionals }, io) {
    const id = positionals['id'] ?? '';
    const answer = await runWithThreads(io, async (call) => {
      if (!options.yes) {
        const { thread } = await call('show', { id, limit: 1 });
        await confirm({
          input: process.stdin,
          output: io.stderr,
          question: `Delete "${escapeControls(thread.title)}" (${describeTurnCount(thread.turns)}) for good?`,
          ifDeclined: 'nothing was deleted',
        });
      }
      return call('delete', { id });
    });
    if (options.json) return printRawJson(io, answer);
    io.stdout.write(`${escapeControls(answer.deleted)} is deleted.\n`);
  },
});
