import type { ReadThinking } from './read-thinking.ts';
import type { ReadTools } from './read-tools.ts';

/** What the request decides about how its answer is written. */
export interface AnswerStyle
  extends Pick<ReadTools, 'search' | 'fullName'>, Pick<ReadThinking, 'thoughts'> {}
