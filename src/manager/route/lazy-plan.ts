import type { AskPlan } from './plan.ts';

type LazyField = 'candidates' | 'coolingDown' | 'leftOut';

/** The parts of a plan that most requests never need. */
type LazyParts = { readonly [Field in LazyField]: () => AskPlan[Field] };

/**
 * A plan that computes some parts when they are read. A class, as an object literal with getters
 * takes ten times as long to create.
 */
export class LazyPlan implements AskPlan {
  readonly class: AskPlan['class'];
  readonly confidence: AskPlan['confidence'];
  readonly rule: AskPlan['rule'];
  readonly reasons: AskPlan['reasons'];
  readonly tried: AskPlan['tried'];
  readonly first: AskPlan['first'];
  readonly hasFallback: AskPlan['hasFallback'];
  readonly hasOtherProvider: AskPlan['hasOtherProvider'];
  readonly isNameOnTrust: AskPlan['isNameOnTrust'];
  readonly notices: AskPlan['notices'];
  readonly #lazy: LazyParts;

  constructor(known: Omit<AskPlan, LazyField>, lazy: LazyParts) {
    this.class = known.class;
    this.confidence = known.confidence;
    this.rule = known.rule;
    this.reasons = known.reasons;
    this.tried = known.tried;
    this.first = known.first;
    this.hasFallback = known.hasFallback;
    this.hasOtherProvider = known.hasOtherProvider;
    this.isNameOnTrust = known.isNameOnTrust;
    this.notices = known.notices;
    this.#lazy = lazy;
  }

  get candidates(): AskPlan['candidates'] {
    return this.#lazy.candidates();
  }

  get coolingDown(): AskPlan['coolingDown'] {
    return this.#lazy.coolingDown();
  }

  get leftOut(): AskPlan['leftOut'] {
    return this.#lazy.leftOut();
  }
}
