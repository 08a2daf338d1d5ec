import type { CallError } from '#core/call-error.ts';
import type { Reply } from './route.ts';

/** What is told of an answer when it has been given. */
export interface Answered {
  readonly reply: Pick<Reply, 'status'>;
  /** The path of the route, or `unmatched`: a label of few values, whatever strangers ask for. */
  readonly route: string;
  readonly error?: CallError;
}

export interface Answer extends Answered {
  readonly reply: Reply;
}

export const UNMATCHED = 'unmatched';
