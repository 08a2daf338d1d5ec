import { isDeepStrictEqual } from 'node:util';
import type { InputResponses } from '#core/tools/input-request.ts';

export const CONSENT = 'exai.consent';

/**
 * What the clients of a simulation answered to what they were asked, by the marks of their calls: so
 * that a tool can tell whether it sees just that. It outlives every daemon.
 */
export interface Book {
  /** Where a client gives more than one answer, either may be the one that counts. */
  answered(mark: string, name: string, answer: object): void;
  /** The call is made again under another mark, with all that was answered so far. */
  goOn(from: string, to: string): void;
  /** The call is made with this state. */
  madeWith(mark: string, state: string): void;
  /** The call is sent once more as it is. */
  sentAgain(mark: string): void;
  /** Whether another was made with the same before it, or at the same time. */
  isAgain(mark: string): boolean;
  /** This call must be refused. */
  forbid(mark: string, why: string): void;
  forbidden(mark: string): string | undefined;
  /** Whether its user was asked for a yes and gave it. */
  hasYes(mark: string): boolean;
  /**
   * What is wrong with the answers that a tool was given; `some`: there may be others that it was
   * not given.
   */
  faultOf(mark: string, given: InputResponses, whole: 'all' | 'some'): string | undefined;
}

interface Page {
  readonly answers: Map<string, object[]>;
  /** Whether every answer belongs to this call beyond doubt. */
  isExact: boolean;
}

export function createBook(): Book {
  const pages = new Map<string, Page>();
  const refusals = new Map<string, string>();
  const states = new Map<string, string>();
  const times = new Map<string, number>();

  function pageOf(mark: string): Page {
    let page = pages.get(mark);
    if (!page) pages.set(mark, (page = { answers: new Map(), isExact: false }));
    return page;
  }

  return {
    answered(mark, name, answer) {
      const { answers } = pageOf(mark);
      answers.set(name, [...(answers.get(name) ?? []), answer]);
    },
    goOn(from, to) {
      const { answers } = pageOf(from);
      pages.set(to, { answers: new Map(answers), isExact: true });
    },
    madeWith(mark, state) {
      states.set(mark, state);
      times.set(state, (times.get(state) ?? 0) + 1);
    },
    sentAgain(mark) {
      const state = states.get(mark);
      if (state !== undefined) times.set(state, (times.get(state) ?? 0) + 1);
    },
    isAgain: (mark) => (times.get(states.get(mark) ?? '') ?? 0) > 1,
    forbid: (mark, why) => void refusals.set(mark, why),
    forbidden: (mark) => refusals.get(mark),
    hasYes(mark) {
      const given = pages.get(mark)?.answers.get(CONSENT) ?? [];
      return given.some((answer) => (answer as { action?: unknown }).action === 'accept');
    },
    faultOf(mark, given, whole) {
      const page = pages.get(mark);
      for (const [name, answer] of Object.entries(given)) {
        const known = page?.answers.get(name);
        if (!known) return `it is given ${name}, which its client was not asked`;
        if (!known.some((one) => isDeepStrictEqual(one, answer)))
          return `it is given an answer to ${name} that its client did not give`;
      }
      if (!page?.isExact || whole === 'some') return undefined;
      // Not the tool's to ask: whether it was given is looked at elsewhere.
      const asked = [...page.answers.keys()].filter((name) => name !== CONSENT);
      const missing = asked.filter((name) => !Object.hasOwn(given, name));
      return missing.length > 0 ? `it is not given ${missing.join(' ')}` : undefined;
    },
  };
}
