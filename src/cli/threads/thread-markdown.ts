import { formatLocalTime, describeTurnCount } from '../format/text.ts';
import type { FullThread, TurnRow } from './threads-tool.ts';

/** A conversation as Markdown. The text of turns stays unchanged. */
export function formatThreadMarkdown({ thread, turns }: FullThread, timeZone?: string): string {
  const at = (iso: string) => formatLocalTime(iso, 'second', timeZone);
  const { id, title, turns: count, created, updated, parent_id: parent } = thread;
  const facts = [
    `\`${id}\``,
    describeTurnCount(count),
    `begun ${at(created)}`,
    `last ${at(updated)}`,
    ...(parent === undefined ? [] : [`forked from \`${parent}\``]),
  ];
  return `${[`# ${title}`, facts.join(', '), ...turns.map(formatTurnMarkdown)].join('\n\n')}\n`;

  function formatTurnMarkdown(turn: TurnRow): string {
    const head = `## ${turn.turn}. ${speakerName(turn)}, ${turn.tool}, ${at(turn.at)}`;
    const rest =
      turn.left_out === undefined ? [] : [`*${turn.left_out} more characters are left out here.*`];
    const files = (turn.files ?? []).map((name) => `- ${code(name)}`);
    const list = files.length === 0 ? [] : [['Files:', '', ...files].join('\n')];
    return [head, turn.text, ...rest, ...list].join('\n\n');
  }
}

export function speakerName({ role, provider, model }: TurnRow): string {
  if (role === 'user') return 'You';
  if (model === undefined) return 'Answer';
  return provider === undefined ? model : `${model} (${provider})`;
}

/** A code span with a fence that the text does not contain. */
function code(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  const gap = longest > 0 ? ' ' : '';
  return `${fence}${gap}${text.replaceAll(/\s+/g, ' ')}${gap}${fence}`;
}
