/**
 * The layout of a route explanation as text: the headings and marks that the tool writes, and the
 * lines that a terminal colours. Both are here, so that rewording a heading changes nothing else.
 */
export const HEADINGS = {
  request: 'Request',
  panel: 'Panel',
  wishes: 'Wishes',
  class: 'Class',
  rules: 'Rules',
  chain: 'Chain',
  leftOut: 'Left out',
  notices: 'Notices',
  context: 'Context',
  payload: 'Payload',
} as const;

type Heading = keyof typeof HEADINGS;

/** Heading instead of a plan, followed by the error class in brackets. */
export const FAILURE_HEADING = 'No model is available';

/** Marks of routing rules: matched, does not apply, or matched without an available model. */
export const RULE_MARKS = { wins: '>', does_not_apply: ' ', nobody_left: 'x' } as const;

/** Indentation of what belongs to the candidate above. */
export const DETAIL_INDENT = '     ';

export type ExplanationLineKind =
  | 'heading'
  | 'failure'
  | 'rule_wins'
  | 'rule_does_not_apply'
  | 'rule_nobody_left'
  | 'candidate_detail'
  | 'excluded_model'
  | 'plain';

export interface ExplanationLine {
  readonly kind: ExplanationLineKind;
  /** The part of which the kind holds: a heading without what follows it, or all of the line. */
  readonly head: string;
  readonly rest: string;
}

/** The lines of an explanation by their kind. Those of the payload are plain. */
export function explanationLines(text: string): readonly ExplanationLine[] {
  let section: Heading | undefined;
  return text.split('\n').map((line) => {
    const heading = section === 'payload' ? undefined : headingOf(line);
    if (heading === undefined) return lineOf(line, section);
    section = heading;
    return splitAt(line, HEADINGS[heading].length, 'heading');
  });
}

const ALL_HEADINGS = Object.keys(HEADINGS) as readonly Heading[];
const VERDICTS = Object.keys(RULE_MARKS) as readonly (keyof typeof RULE_MARKS)[];

function headingOf(line: string): Heading | undefined {
  return ALL_HEADINGS.find((each) => line.startsWith(`${HEADINGS[each]}:`));
}

function lineOf(line: string, section: Heading | undefined): ExplanationLine {
  const whole = (kind: ExplanationLineKind) => splitAt(line, line.length, kind);
  switch (section) {
    case 'rules': {
      const verdict = VERDICTS.find((each) => line.startsWith(`  ${RULE_MARKS[each]} `));
      return whole(verdict === undefined ? 'plain' : `rule_${verdict}`);
    }
    case 'chain':
      return whole(line.startsWith(DETAIL_INDENT) ? 'candidate_detail' : 'plain');
    case 'leftOut':
      return whole('excluded_model');
    case 'request':
    case 'panel':
    case 'wishes': {
      const end = line.startsWith(`${FAILURE_HEADING} (`) ? line.indexOf(')') + 1 : 0;
      return end === 0 ? whole('plain') : splitAt(line, end, 'failure');
    }
    case undefined:
    case 'class':
    case 'notices':
    case 'context':
    case 'payload':
      return whole('plain');
  }
}

function splitAt(line: string, at: number, kind: ExplanationLineKind): ExplanationLine {
  return { kind, head: line.slice(0, at), rest: line.slice(at) };
}
