import { CallError } from '#core/errors/call-error.ts';
import { oneLine } from '#core/text/text.ts';
import { defineCommand } from '../command.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { printRawJson } from '../io.ts';
import { readJobTool, runWithJobs } from '../jobs/job-tools.ts';

/** The largest part that the tool returns at once. */
const MAX_CHARS = 1_000_000;
/** The length that is printed at once at a terminal. */
const SCREEN_CHARS = 20_000;

export const command = defineCommand({
  name: 'results read',
  summary: 'Print a result that was too large to return inline',
  about:
    'Prints all of it in a pipe; one part on a terminal, and how to continue.\n' +
    '  exai results read res_… > answer.md',
  positionals: [{ name: 'id', need: 'required', help: 'The id of the answer: res_…' }],
  options: {
    offset: { type: 'string', value: 'N', help: 'Begin after so many characters' },
    all: { type: 'boolean', help: 'All of it on a terminal, too' },
  },
  async run({ options, positionals }, io) {
    const id = positionals['id'] ?? '';
    const from = offsetOption(options.offset);
    const isTerminal = io.width !== undefined;
    const isWhole = !isTerminal || options.all === true || options.json === true;
    await runWithJobs(io, async (client) => {
      const read = (offset: number) =>
        readJobTool(client, 'read_result', {
          id,
          offset,
          max_chars: isWhole ? MAX_CHARS : SCREEN_CHARS,
        });
      const first = await read(from);
      const pieces = [first.text];
      // Control characters are escaped on a terminal; a file gets the text unchanged.
      const write = (text: string) =>
        isTerminal ? io.stdout.write(escapeControls(text)) : io.documents.write(text);
      if (!options.json) write(first.text);
      let { next } = first;
      // Each part starts behind the previous one, so that the loop ends whatever the daemon
      // returns.
      for (let at = from; isWhole && next !== undefined && next > at && !io.signal.aborted;) {
        at = next;
        const piece = await read(at);
        ({ next } = piece);
        if (options.json) pieces.push(piece.text);
        else write(piece.text);
      }
      if (options.json) {
        const { tool, offset, chars } = first;
        return printRawJson(io, { id: first.id, tool, offset, chars, text: pieces.join('') });
      }
      if (!isTerminal) return;
      if (!first.text.endsWith('\n')) io.stdout.write('\n');
      if (next !== undefined) {
        const more = `exai results read ${first.id} --offset ${next}`;
        const hint = `${next} of ${first.chars} characters; continue: ${more}`;
        io.stderr.write(`${escapeControls(hint)}\n`);
      }
    });
  },
});

function offsetOption(text = '0'): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new CallError(
    'validation',
    `--offset must be a whole number of characters, but is "${oneLine(text, 40)}".`,
    { field: '--offset' },
  );
}
