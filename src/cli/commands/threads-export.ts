import { defineCommand } from '../command.ts';
import { escapeJsonControls, escapeControls } from '../format/escape-controls.ts';
import { describeTurnCount } from '../format/text.ts';
import { formatThreadMarkdown } from '../threads/thread-markdown.ts';
import { loadFullThread, runWithThreads } from '../threads/threads-tool.ts';
import { writeOutputFile } from '../write-file.ts';

export const command = defineCommand({
  name: 'threads export',
  summary: 'Export a conversation as Markdown or JSON',
  positionals: [{ name: 'id', need: 'required', help: 'As exai threads list tells it' }],
  options: {
    output: { type: 'string', short: 'o', value: 'FILE', help: 'Where to, instead of stdout' },
    force: { type: 'boolean', help: 'Overwrite the file if it is there' },
    json: { type: 'boolean', help: 'As one JSON document instead of Markdown' },
  },
  async run({ options, positionals }, io) {
    const id = positionals['id'] ?? '';
    const whole = await runWithThreads(io, (call) => loadFullThread(call, id));
    const text = options.json
      ? `${escapeJsonControls(JSON.stringify(whole, null, 2))}\n`
      : formatThreadMarkdown(whole);
    const { output } = options;
    if (output === undefined) {
      // Control characters are escaped on a terminal; a file gets the text unchanged.
      if (io.width === undefined) io.documents.write(text);
      else io.stdout.write(escapeControls(text));
      return;
    }
    writeOutputFile(output, text, options.force ? 'overwrite' : 'keep');
    io.stderr.write(
      `${describeTurnCount(whole.turns.length)} written to ${escapeControls(output)}\n`,
    );
  },
});
