import type { ReadAsk } from './read-ask.ts';

/** What the request decides about how its answer is written. */
export type AnswerStyle = Pick<ReadAsk, 'search' | 'fullName' | 'thoughts'>;
