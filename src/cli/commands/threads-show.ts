import { defineCommand } from '../command.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { formatLocalTime, describeTurnCount } from '../format/text.ts';
import { printRawJson, type Io } from '../io.ts';
import { formatAnswer, rendersMarkdown } from '../markdown/markdown-writer.ts';
import { parseCountOption } from '../number-options.ts';
import { speakerName } from '../threads/thread-markdown.ts';
import { runWithThreads, type TurnRow } from '../threads/threads-tool.ts';

const MAX_TURN = 1_000_000;

export const command = defineCommand({
  name: 'threads show',
  summary: 'Show the turns of a conversation',
  about: 'The last turns; long ones are cut here, and whole in: exai threads export <id>',
  positionals: [{ name: 'id', need: 'required', help: 'As exai threads list tells it' }],
  options: {
    limit: { type: 'string', value: 'N', help: 'Maximum number of turns (default: 20)' },
    raw: {
      type: 'boolean',
      help: 'Do not render Markdown on a terminal',
    },
    before: { type: 'string', value: 'N', help: 'Turns before this one' },
  },
  async run({ options, positionals }, io) {
    const id = positionals['id'] ?? '';
    const limit = parseCountOption(options.limit, '--limit', 100);
    const before = parseCountOption(options.before, '--before', MAX_TURN);
    const answer = await runWithThreads(io, (call) =>
      call('show', { id, ...(limit && { limit }), ...(before && { before }) }),
    );
    if (options.json) return printRawJson(io, answer);
    const { thread, turns, next } = answer;
    const parent = thread.parent_id === undefined ? '' : `, forked from ${thread.parent_id}`;
    const facts = `${thread.id}, ${describeTurnCount(thread.turns)}, begun ${formatLocalTime(thread.created, 'minute')}${parent}`;
    io.stdout.write(`${io.paint('bold', escapeControls(thread.title))}\n`);
    io.stdout.write(`${io.paint('dim', escapeControls(facts))}\n`);
    if (next !== undefined) {
      const more = `exai threads show ${escapeControls(thread.id)} --before ${next}`;
      io.stdout.write(`${io.paint('dim', `Earlier turns: ${more}`)}\n`);
    }
    const isRendered = rendersMarkdown(io, options.raw ? 'raw' : 'rendered');
    const format = (text: string) =>
      formatAnswer(text, { io, columns: () => io.width, isRendered });
    for (const turn of turns) writeTurn(io, thread.id, turn, format);
  },
});

function writeTurn(
  io: Pick<Io, 'stdout' | 'paint'>,
  id: string,
  turn: TurnRow,
  format: (answer: string) => string,
): void {
  const { turn: number, tool, at, text, files = [], left_out: leftOut } = turn;
  const who = io.paint('bold', escapeControls(`${number}. ${speakerName(turn)}`));
  const how = io.paint('dim', escapeControls(`${tool}, ${formatLocalTime(at, 'minute')}`));
  const shown = turn.role === 'user' ? escapeControls(text) : format(text);
  io.stdout.write(`\n${who}  ${how}\n${shown}\n`);
  const notes = [
    ...(leftOut === undefined
      ? []
      : [`… and ${leftOut} more characters: exai threads export ${id}`]),
    ...(files.length === 0 ? [] : [`files: ${files.join(', ')}`]),
  ];
  for (const note of notes) io.stdout.write(`${io.paint('dim', escapeControls(note))}\n`);
}
