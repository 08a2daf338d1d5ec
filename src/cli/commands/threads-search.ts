import { defineCommand } from '../command.ts';
import { countOption } from '../count-option.ts';
import { localTime } from '../local-time.ts';
import { printAsIs } from '../print-as-is.ts';
import { harmless } from '../terminal-text.ts';
import { withThreads } from '../threads-tool.ts';

export const command = defineCommand({
  name: 'threads search',
  summary: 'Find the turns of your conversations that have certain words',
  about: 'All of the words, in any order and any case, the newest turns first.',
  positionals: [{ name: 'words', need: 'required', help: 'In quotes where there are several' }],
  noMoreWords: 'The words are one argument; put them in quotes.',
  options: { limit: { type: 'string', value: 'N', help: 'How many turns; 20 unless told' } },
  async run({ options, positionals }, io) {
    const limit = countOption(options.limit, '--limit', 100);
    const query = positionals['words'] ?? '';
    const answer = await withThreads(io, (call) =>
      call('search', { query, ...(limit && { limit }) }),
    );
    if (options.json) return printAsIs(io, answer);
    for (const { id, title, turn, at, snippet } of answer.matches) {
      const where = `turn ${turn}, ${localTime(at, 'minute')}`;
      io.stdout.write(
        `${io.paint('bold', harmless(id))}  ${io.paint('dim', where)}  ${harmless(title)}\n`,
      );
      io.stdout.write(`  ${harmless(snippet)}\n`);
    }
    if (answer.matches.length === 0) io.stdout.write('No turn has all of these words.\n');
  },
});
