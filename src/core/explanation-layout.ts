/**
 * The headings and marks of a route explanation as text. Shared by the tool that writes the text and the command line
 * that colours it.
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

export type Heading = keyof typeof HEADINGS;

/** Stands where a plan would, before the class of the error in brackets. */
export const FAILURE_HEADING = 'Nobody can be asked';

/** Of the rules: whether they won, do not apply, or found no model. */
export const RULE_MARKS = { wins: '>', does_not_apply: ' ', nobody_left: 'x' } as const;
