import { defineCommand } from '../command.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { formatLocalTime } from '../format/text.ts';
import { printRawJson } from '../io.ts';
import { parseCountOption } from '../number-options.ts';
import { runWithThreads } from '../threads/threads-tool.ts';

export const command = defineCommand({
  name: 'threads search',
  summary: 'Find turns of your conversations by words',
  about: 'All of the words, in any order and any case, the newest turns first.',
  positionals: [{ name: 'words', need: 'required', help: 'In quotes where there are several' }],
  extraArgumentError: 'The words are one argument; put them in quotes.',
  options: { limit: { type: 'string', value: 'N', help: 'Maximum number of turns (default: 20)' } },
  async run({ options, positionals }, io) {
    const limit = parseCountOption(options.limit, '--limit', 100);
    const query = positionals['words'] ?? '';
    const answer = await runWithThreads(io, (call) =>
      call('search', { query, ...(limit && { limit }) }),
    );
    if (options.json) return printRawJson(io, answer);
    for (const { id, title, turn, at, snippet } of answer.matches) {
      const where = `turn ${turn}, ${formatLocalTime(at, 'minute')}`;
      io.stdout.write(
        `${io.paint('bold', escapeControls(id))}  ${io.paint('dim', where)}  ${escapeControls(title)}\n`,
      );
      io.stdout.write(`  ${escapeControls(snippet)}\n`);
    }
    if (answer.matches.length === 0) io.stdout.write('No turn has all of these words.\n');
  },
});
