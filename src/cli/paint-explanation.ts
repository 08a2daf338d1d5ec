import type { Colour, Paint } from './paint.ts';

const HEADING = /^(Request|Panel|Wishes|Class|Rules|Chain|Left out|Notices|Context|Payload)(?=:)/;
const FAILURE = /^Nobody can be asked \([a-z_]+\)/;

/** Marks of the rules, and whether they won, found nobody or were not about it. */
const RULES: readonly (readonly [RegExp, Colour])[] = [
  [/^ {2}> /, 'green'],
  [/^ {2}x /, 'yellow'],
  [/^ {4}/, 'dim'],
];

/** The words of an explanation in colours; what is sent stays as it is. */
export function paintExplanation(text: string, paint: Paint): string {
  let section = '';
  return text
    .split('\n')
    .map((line) => {
      const heading = section === 'Payload' ? undefined : HEADING.exec(line)?.[0];
      if (heading !== undefined) {
        section = heading;
        return paint('bold', heading) + line.slice(heading.length);
      }
      return paintLine(line, section, paint);
    })
    .join('\n');
}

function paintLine(line: string, section: string, paint: Paint): string {
  switch (section) {
    case 'Rules': {
      const [, colour] = RULES.find(([shape]) => shape.test(line)) ?? [];
      return colour ? paint(colour, line) : line;
    }
    case 'Chain':
      return line.startsWith('     ') ? paint('dim', line) : line;
    case 'Left out':
      return paint('dim', line);
    case 'Request':
    case 'Panel':
    case 'Wishes': {
      const failure = FAILURE.exec(line)?.[0] ?? '';
      return paint('red', failure) + line.slice(failure.length);
    }
    default:
      return line;
  }
}
