import type { CallError } from '#core/call-error.ts';
import type { Reply } from './route.ts';

export interface Answer {
  readonly reply: Reply;
  /** The path of the route, or `unmatched`: a label of few values, whatever strangers ask for. */
  readonly route: string;
  readonly error?: CallError;
}

export const UNMATCHED = 'unmatched';
