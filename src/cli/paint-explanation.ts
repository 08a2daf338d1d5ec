import { FAILURE_HEADING, HEADINGS, RULE_MARKS, type Heading } from '#core/explanation-layout.ts';
import type { Colour, Paint } from './paint.ts';

/** Lines of rules begin with their mark between spaces. */
const RULES: readonly (readonly [start: string, Colour])[] = [
  [`  ${RULE_MARKS.wins} `, 'green'],
  [`  ${RULE_MARKS.nobody_left} `, 'yellow'],
  [`  ${RULE_MARKS.does_not_apply} `, 'dim'],
];

const ALL_HEADINGS = Object.keys(HEADINGS) as readonly Heading[];

/** The text of an explanation in colours; what is sent stays as it is. */
export function paintExplanation(text: string, paint: Paint): string {
  let section: Heading | undefined;
  return text
    .split('\n')
    .map((line) => {
      const heading =
        section === 'payload'
          ? undefined
          : ALL_HEADINGS.find((each) => line.startsWith(`${HEADINGS[each]}:`));
      if (heading === undefined) return paintLine(line, section, paint);
      section = heading;
      const title = HEADINGS[heading];
      return paint('bold', title) + line.slice(title.length);
    })
    .join('\n');
}

function paintLine(line: string, section: Heading | undefined, paint: Paint): string {
  switch (section) {
    case 'rules': {
      const [, colour] = RULES.find(([start]) => line.startsWith(start)) ?? [];
      return colour ? paint(colour, line) : line;
    }
    case 'chain':
      return line.startsWith('     ') ? paint('dim', line) : line;
    case 'leftOut':
      return paint('dim', line);
    case 'request':
    case 'panel':
    case 'wishes': {
      const end = line.startsWith(`${FAILURE_HEADING} (`) ? line.indexOf(')') + 1 : 0;
      return paint('red', line.slice(0, end)) + line.slice(end);
    }
    case undefined:
    case 'class':
    case 'notices':
    case 'context':
    case 'payload':
      return line;
  }
}
