import { defineCommand } from '../command.ts';
import { escapeJsonControls, harmless } from '../terminal-text.ts';
import { saveText } from '../save-text.ts';
import { threadMarkdown } from '../thread-markdown.ts';
import { turnCount } from '../turn-count.ts';
import { withThreads } from '../threads-tool.ts';
import { wholeThread } from '../whole-thread.ts';

export const command = defineCommand({
  name: 'threads export',
  summary: 'Write a whole conversation as Markdown or JSON',
  positionals: [{ name: 'id', need: 'required', help: 'As exai threads list tells it' }],
  options: {
    output: { type: 'string', short: 'o', value: 'FILE', help: 'Where to, instead of stdout' },
    force: { type: 'boolean', help: 'Overwrite the file if it is there' },
    json: { type: 'boolean', help: 'As one JSON document instead of Markdown' },
  },
  async run({ options, positionals }, io) {
    const id = positionals['id'] ?? '';
    const whole = await withThreads(io, (call) => wholeThread(call, id));
    const text = options.json
      ? `${escapeJsonControls(JSON.stringify(whole, null, 2))}\n`
      : threadMarkdown(whole);
    const { output } = options;
    if (output === undefined) {
      // A terminal obeys what a model may have written; a file does not.
      io.stdout.write(io.width === undefined ? text : harmless(text));
      return;
    }
    saveText(output, text, options.force ? 'overwrite' : 'keep');
    io.stderr.write(`${turnCount(whole.turns.length)} written to ${output}\n`);
  },
});
