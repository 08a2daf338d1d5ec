import { isErrorClass, type ErrorClass } from '#core/errors/error-class.ts';
import { isObject, type Dictionary } from './gateway-read-events.ts';

export type Shape = 'openai' | 'anthropic';

export interface ReadCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** One answer, as a client puts it together from what it was sent. */
export interface ReadChoice {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly ReadCall[];
  /** In the words of its API; nothing where it never came. */
  readonly finish: string | undefined;
}

export interface ReadUsage {
  /** Those from the cache included, in both shapes. */
  readonly input: number;
  readonly output: number;
}

export interface ReadFailure {
  /** In the words of its API. */
  readonly type: string;
  readonly message: string;
  /** In ours. */
  readonly class: ErrorClass | undefined;
}

/**
 * How an answer ended for its client:
 *
 * - `whole`: with everything that says so.
 * - `failed`: with an error in its place or in its course, and nothing that could be taken for a
 *   good end.
 * - `cut`: with neither. Nobody may ever see that.
 */
export type ReadEnd = 'whole' | 'failed' | 'cut';

export interface ReadAnswer {
  readonly end: ReadEnd;
  readonly choices: readonly ReadChoice[];
  readonly failure: ReadFailure | undefined;
  /** What we say of it ourselves. */
  readonly exai: Dictionary | undefined;
  readonly usage: ReadUsage | undefined;
  readonly model: string | undefined;
  /** Signs of life that mean nothing. */
  readonly alive: number;
  /** Who took over, as it was marked in the course of a stream. */
  readonly seams: readonly Dictionary[];
  /** Whatever a strict client would object to. */
  readonly wrong: readonly string[];
}

export const NO_ANSWER: Omit<ReadAnswer, 'end' | 'wrong'> = {
  choices: [],
  failure: undefined,
  exai: undefined,
  usage: undefined,
  model: undefined,
  alive: 0,
  seams: [],
};

/** `{error: {type, message}, exai: {class}}`, which both shapes have, with more around it. */
export function readFailure(body: Dictionary): {
  readonly failure: ReadFailure;
  readonly wrong: readonly string[];
} {
  const { error, exai } = body;
  const { type, message } = isObject(error) ? error : {};
  const ours = isObject(exai) ? exai['class'] : undefined;
  const isOurs = typeof ours === 'string' && isErrorClass(ours);
  return {
    failure: {
      type: typeof type === 'string' ? type : '',
      message: typeof message === 'string' ? message : '',
      class: isOurs ? ours : undefined,
    },
    wrong: [
      ...(typeof type === 'string' && type !== '' ? [] : ['an error without a type']),
      ...(typeof message === 'string' && message !== '' ? [] : ['an error without a message']),
      ...(isOurs ? [] : ['an error without a class of ours']),
    ],
  };
}
