import { defineCommand } from '../command.ts';
import { countOption } from '../count-option.ts';
import { localTime } from '../local-time.ts';
import { printAsIs } from '../print-as-is.ts';
import { harmless } from '../terminal-text.ts';
import { speaker } from '../thread-markdown.ts';
import { turnCount } from '../turn-count.ts';
import { withThreads, type TurnRow } from '../threads-tool.ts';
import type { Io } from '../io.ts';

const MAX_TURN = 1_000_000;

export const command = defineCommand({
  name: 'threads show',
  summary: 'Show what was said in a conversation',
  about: 'The last turns; long ones are cut here, and whole in: exai threads export <id>',
  positionals: [{ name: 'id', need: 'required', help: 'As exai threads list tells it' }],
  options: {
    limit: { type: 'string', value: 'N', help: 'How many turns; 20 unless told' },
    before: { type: 'string', value: 'N', help: 'Turns before this one' },
  },
  async run({ options, positionals }, io) {
    const id = positionals['id'] ?? '';
    const limit = countOption(options.limit, '--limit', 100);
    const before = countOption(options.before, '--before', MAX_TURN);
    const answer = await withThreads(io, (call) =>
      call('show', { id, ...(limit && { limit }), ...(before && { before }) }),
    );
    if (options.json) return printAsIs(io, answer);
    const { thread, turns, next } = answer;
    const parent = thread.parent_id === undefined ? '' : `, forked from ${thread.parent_id}`;
    const about = `${thread.id}, ${turnCount(thread.turns)}, begun ${localTime(thread.created, 'minute')}${parent}`;
    io.stdout.write(`${io.paint('bold', harmless(thread.title))}\n`);
    io.stdout.write(`${io.paint('dim', harmless(about))}\n`);
    if (next !== undefined) {
      const more = `exai threads show ${harmless(thread.id)} --before ${next}`;
      io.stdout.write(`${io.paint('dim', `Earlier turns: ${more}`)}\n`);
    }
    for (const turn of turns) writeTurn(io, thread.id, turn);
  },
});

function writeTurn(io: Pick<Io, 'stdout' | 'paint'>, id: string, turn: TurnRow): void {
  const { turn: number, tool, at, text, files = [], left_out: leftOut } = turn;
  const who = io.paint('bold', harmless(`${number}. ${speaker(turn)}`));
  const how = io.paint('dim', harmless(`${tool}, ${localTime(at, 'minute')}`));
  io.stdout.write(`\n${who}  ${how}\n${harmless(text)}\n`);
  const notes = [
    ...(leftOut === undefined
      ? []
      : [`… and ${leftOut} more characters: exai threads export ${id}`]),
    ...(files.length === 0 ? [] : [`files: ${files.join(', ')}`]),
  ];
  for (const note of notes) io.stdout.write(`${io.paint('dim', harmless(note))}\n`);
}
