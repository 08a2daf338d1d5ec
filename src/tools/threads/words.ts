import type * as z from 'zod';
import { oneLine } from '#core/one-line.ts';
import type { MatchShape, ThreadShape, TurnShape } from './content.ts';

type ThreadContent = z.infer<typeof ThreadShape>;

/** A line for each. */
export function threadWords({ id, title, turns, model, updated }: ThreadContent): string {
  const facts = [turnCount(turns), ...(model === undefined ? [] : [model])].join(', ');
  return `${id}  ${minute(updated)}  ${title} (${facts})`;
}

export function turnWords(turn: z.infer<typeof TurnShape>): string {
  const { turn: number, role, tool, model, at, files = [], text, left_out: leftOut } = turn;
  const who = [role, tool, ...(model === undefined ? [] : [model]), minute(at)].join(', ');
  const names = files.length === 0 ? '' : `\n[files: ${oneLine(files.join(', '), 500)}]`;
  const rest = leftOut === undefined ? '' : `\n[${leftOut} more characters]`;
  return `${number}. ${who}\n${text}${rest}${names}`;
}

export function matchWords(match: z.infer<typeof MatchShape>): string {
  const { id, title, turn, at, snippet } = match;
  return `${id}, turn ${turn}, ${minute(at)}, ${title}\n  ${snippet}`;
}

export function turnCount(turns: number): string {
  return turns === 1 ? '1 turn' : `${turns} turns`;
}

/** `2026-01-31 08:05Z`: short, and the same wherever it is read. */
function minute(iso: string): string {
  return `${iso.slice(0, 16).replace('T', ' ')}Z`;
}
