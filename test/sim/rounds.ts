import type { AnsweringOptions, Answering } from './answering.ts';
import { needsConsent } from './badges.ts';
import { CONSENT } from './book.ts';
import type { SharedIds, MadeCall } from './shared-ids.ts';
import type { Again, Asks } from './client-protocols.ts';

/**
 * Ways to cheat. `tamper`: a state that was changed. `other-args`: the state of a call with others.
 * `foreign`: that of somebody else. These must be refused. `early-yes`: a yes that was said before
 * anybody asked, and not after. `extra`: answers that nobody asked for.
 */
export type Forgery = 'tamper' | 'other-args' | 'foreign' | 'early-yes' | 'extra';

/** Those that clients try by themselves. */
const USUAL: readonly Forgery[] = ['tamper', 'other-args', 'foreign', 'early-yes'];

export interface RoundsOptions extends AnsweringOptions {
  readonly badge: string;
  readonly answering: Answering;
  readonly sharedIds: SharedIds;
  /** Makes a call and gives its id, unless nobody can be reached. */
  readonly make: (call: MadeCall, again: Again) => string | undefined;
}

/** A modern client's calls that were answered with questions: it makes them again. */
export interface Rounds {
  hear(id: string, call: MadeCall, asks: Asks): void;
  /**
   * What is said with a call that is made for the first time: some say yes before they are asked.
   */
  firstly(call: MadeCall): Again | undefined;
  forge(how: Forgery): void;
  /** Those it would make again, it does not any more. */
  stop(): void;
}

interface Waiting {
  readonly id: string;
  readonly call: MadeCall;
  readonly asks: Asks;
}

export function createRounds(options: RoundsOptions): Rounds {
  const { manner, simulation, random, book, badge, answering, sharedIds, make } = options;
  /** Calls that were made with a yes that nobody asked for. */
  const forged = new Set<string>();
  let last: Waiting | undefined;
  let isOver = false;

  function answersTo({ requests }: Asks): Record<string, object> {
    const answers = Object.entries(requests).map(([name, question]) => [
      name,
      answering.answer(name, question, []),
    ]);
    return Object.fromEntries(answers) as Record<string, object>;
  }

  function answered({ id, call, asks }: Waiting, extra: object = {}): void {
    if (isOver) return;
    // What was said too early may be in the state now: nothing is said in its place.
    const answers = forged.has(id) ? {} : answersTo(asks);
    const made = make(call, { state: asks.state, answers: { ...extra, ...answers } });
    if (made === undefined) return;
    book.goOn(id, made);
    book.madeWith(made, asks.state);
    for (const [name, answer] of Object.entries(answers)) book.answered(made, name, answer);
  }

  /** Makes a call that must not run. */
  function refused(call: MadeCall, asks: Asks, state: string, why: string): void {
    const made = make(call, { state, answers: answersTo(asks) });
    if (made === undefined) return;
    book.forbid(made, why);
    book.madeWith(made, state);
  }

  function earlyYes(): void {
    const args = { ms: 5, key: 'a' };
    const tool = random.pick(['write', 'inquire', 'wonder']);
    const made = make({ tool, args }, { answers: YES });
    if (made !== undefined) forged.add(made);
  }

  function forge(how: Forgery): void {
    if (how === 'early-yes') return earlyYes();
    if (how === 'foreign') {
      const theirs = sharedIds.states.filter((state) => state.badge !== badge);
      if (theirs.length === 0) return;
      const { call, asks } = random.pick(theirs);
      return refused(call, asks, asks.state, 'its state is of somebody else');
    }
    if (!last) return;
    const { call, asks } = last;
    if (how === 'extra') return answered(last, { other: { action: 'accept', content: {} } });
    if (how === 'tamper')
      return refused(call, asks, tampered(asks.state, random.next()), 'its state was changed');
    const args = { ...call.args, ms: 41 };
    refused({ ...call, args }, asks, asks.state, 'its state is of other arguments');
  }

  return {
    firstly: ({ tool }) =>
      needsConsent(badge, tool) && random.chance(0.3) ? { answers: YES } : undefined,
    hear(id, call, asks) {
      for (const question of Object.values(asks.requests)) answering.checkAskable(question);
      const waiting = { id, call, asks };
      last = waiting;
      sharedIds.states.push({ badge, call, asks });
      if (random.chance(0.5))
        simulation.after(answering.thinkMs(), () => isOver || forge(random.pick(USUAL)));
      if (manner === 'silent' && random.chance(0.5)) return;
      simulation.after(answering.thinkMs(), () => answered(waiting));
      // A yes is worth trying twice.
      const isTwice = manner === 'twice' || (CONSENT in asks.requests && random.chance(0.4));
      if (isTwice) simulation.after(answering.thinkMs(), () => answered(waiting));
    },
    forge,
    stop: () => void (isOver = true),
  };
}

const YES = { [CONSENT]: { action: 'accept', content: {} } };

/** One character is another. */
function tampered(state: string, lot: number): string {
  const at = Math.floor(lot * state.length);
  const other = state[at] === 'A' ? 'B' : 'A';
  return state.slice(0, at) + other + state.slice(at + 1);
}
