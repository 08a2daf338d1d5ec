import { defineCommand } from '../command.ts';
import { printAsIs } from '../print-as-is.ts';
import { harmless } from '../terminal-text.ts';
import { withThreads } from '../threads-tool.ts';

export const command = defineCommand({
  name: 'threads rename',
  summary: 'Give a conversation another title',
  positionals: [
    { name: 'id', need: 'required', help: 'As exai threads list tells it' },
    { name: 'title', need: 'required', help: 'In quotes where it has several words' },
  ],
  noMoreWords: 'The title is one argument; put it in quotes.',
  async run({ options, positionals }, io) {
    const { id = '', title = '' } = positionals;
    const answer = await withThreads(io, (call) => call('rename', { id, title }));
    if (options.json) return printAsIs(io, answer);
    io.stdout.write(
      `${harmless(answer.thread.id)} is called "${harmless(answer.thread.title)}" now.\n`,
    );
  },
});
