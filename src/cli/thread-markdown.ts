import { localTime } from './local-time.ts';
import { turnCount } from './turn-count.ts';
import type { TurnRow } from './threads-tool.ts';
import type { WholeThread } from './whole-thread.ts';

/** A conversation to read or to keep. What was said stays as it was written. */
export function threadMarkdown({ thread, turns }: WholeThread, timeZone?: string): string {
  const at = (iso: string) => localTime(iso, 'second', timeZone);
  const { id, title, turns: count, created, updated, parent_id: parent } = thread;
  const about = [
    `\`${id}\``,
    turnCount(count),
    `begun ${at(created)}`,
    `last ${at(updated)}`,
    ...(parent === undefined ? [] : [`forked from \`${parent}\``]),
  ];
  return `${[`# ${title}`, about.join(', '), ...turns.map(turnMarkdown)].join('\n\n')}\n`;

  function turnMarkdown(turn: TurnRow): string {
    const head = `## ${turn.turn}. ${speaker(turn)}, ${turn.tool}, ${at(turn.at)}`;
    const rest =
      turn.left_out === undefined ? [] : [`*${turn.left_out} more characters are left out here.*`];
    const files = (turn.files ?? []).map((name) => `- ${code(name)}`);
    const list = files.length === 0 ? [] : [['Files:', '', ...files].join('\n')];
    return [head, turn.text, ...rest, ...list].join('\n\n');
  }
}

export function speaker({ role, provider, model }: TurnRow): string {
  if (role === 'user') return 'You';
  if (model === undefined) return 'Answer';
  return provider === undefined ? model : `${model} (${provider})`;
}

/** As code, with a fence that the text does not have. */
function code(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  const gap = longest > 0 ? ' ' : '';
  return `${fence}${gap}${text.replaceAll(/\s+/g, ' ')}${gap}${fence}`;
}
