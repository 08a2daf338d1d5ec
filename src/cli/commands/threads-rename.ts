import { defineCommand } from '../command.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { printRawJson } from '../io.ts';
import { runWithThreads } from '../threads/threads-tool.ts';

export const command = defineCommand({
  name: 'threads rename',
  summary: 'Rename a conversation',
  positionals: [
    { name: 'id', need: 'required', help: 'As exai threads list tells it' },
    { name: 'title', need: 'required', help: 'In quotes where it has several words' },
  ],
  extraArgumentError: 'The title is one argument; put it in quotes.',
  async run({ options, positionals }, io) {
    const { id = '', title = '' } = positionals;
    const answer = await runWithThreads(io, (call) => call('rename', { id, title }));
    if (options.json) return printRawJson(io, answer);
    io.stdout.write(
      `${escapeControls(answer.thread.id)} is called "${escapeControls(answer.thread.title)}" now.\n`,
    );
  },
});
