import { oneLine } from '#core/one-line.ts';
import type { Shrink } from './fit-plan.ts';
import type { Kept } from './history.ts';
import type { MeasuredParts } from './measure.ts';
import { inWords, windowOf, type Room } from './room.ts';

type Tense = 'done' | 'foreseen';

const MAX_NAME_CHARS = 120;
const MAX_NAMES = 5;

export function replacedNotes({ files }: MeasuredParts): readonly string[] {
  const { replaced } = files;
  if (replaced.length === 0) return [];
  const names = replaced.slice(0, MAX_NAMES).map((name) => oneLine(name, MAX_NAME_CHARS));
  const more = replaced.length - names.length;
  const all = more > 0 ? `${names.join(', ')} and ${inWords(more)} more` : names.join(', ');
  return [`More than one file is called ${all}: the last one counts.`];
}

export function leftOutNotes(
  { leftOut, isGapped }: Kept,
  overTokens: number,
  room: Room,
  tense: Tense,
): readonly string[] {
  if (leftOut === 0) return [];
  const many = leftOut > 1;
  const which = isGapped ? 'earlier' : 'oldest';
  const who = many
    ? `${isGapped ? '' : 'The '}${inWords(leftOut)} ${which} messages`
    : `The ${which} message`;
  const verb = tense === 'foreseen' ? 'would be' : many ? 'were' : 'was';
  const over = `${inWords(overTokens)} tokens over the window of ${windowOf(room)}`;
  const why = overTokens > 0 ? over : 'no window holds so much';
  return [`${who} of the conversation ${verb} left out: ${why}.`];
}

export function shrinkNote(shrink: Shrink, tokens: number, tense: Tense): string {
  const was = `${inWords(shrink.tokens)} tokens`;
  const became =
    tense === 'done'
      ? `was summarised to ${inWords(tokens)}`
      : `would be summarised to about ${inWords(tokens)}`;
  const name = oneLine(shrink.name, MAX_NAME_CHARS);
  const ends = 'its beginning and its end are word for word';
  switch (shrink.what) {
    case 'file':
      return `${name} (${was}) ${became}.`;
    case 'result':
      return `The result of ${name} (${was} of it) ${became}; ${ends}.`;
    case 'question':
      return `The middle of the message (${was}) ${became}; ${ends}.`;
  }
}
