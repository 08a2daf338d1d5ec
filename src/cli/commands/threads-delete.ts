import { defineCommand } from '../command.ts';
import { confirm } from '../confirm.ts';
import { printAsIs } from '../print-as-is.ts';
import { harmless } from '../terminal-text.ts';
import { turnCount } from '../turn-count.ts';
import { withThreads } from '../threads-tool.ts';

export const command = defineCommand({
  name: 'threads delete',
  summary: 'Delete a conversation for good',
  about: 'Asks first; where nobody can be asked, --yes has to be given.',
  positionals: [{ name: 'id', need: 'required', help: 'As exai threads list tells it' }],
  options: { yes: { type: 'boolean', short: 'y', help: 'Without asking' } },
  async run({ options, positionals }, io) {
    const id = positionals['id'] ?? '';
    const answer = await withThreads(io, async (call) => {
      if (!options.yes) {
        const { thread } = await call('show', { id, limit: 1 });
        await confirm({
          input: process.stdin,
          output: io.stderr,
          question: `Delete "${harmless(thread.title)}" (${turnCount(thread.turns)}) for good?`,
          otherwise: 'nothing was deleted',
        });
      }
      return call('delete', { id });
    });
    if (options.json) return printAsIs(io, answer);
    io.stdout.write(`${harmless(answer.deleted)} is deleted.\n`);
  },
});
