import type { AskRequest, ChoiceGroup } from '#core/llm/ask.ts';
import type { VendorCalls } from '#core/llm/provider.ts';

export function createVendorCalls(max: number): VendorCalls {
  return new ChoiceCalls(createSharedCalls(max, 1));
}

/** The calls of all choices of a request. */
interface SharedCalls {
  readonly max: number;
  made: number;
  /** Choices that have not made a call yet. */
  unused: number;
}

/**
 * Every choice may make one call, whatever the others make, so `choices` of them are kept free until
 * each was used.
 */
function createSharedCalls(limit: number, choices: number): SharedCalls {
  return { max: Math.max(limit, choices), made: 0, unused: choices };
}

/** The counter of one choice. */
class ChoiceCalls implements VendorCalls {
  readonly max: number;
  readonly #shared: SharedCalls;
  #isUsed = false;

  constructor(shared: SharedCalls) {
    this.max = shared.max;
    this.#shared = shared;
  }

  get left(): number {
    const { max, made, unused } = this.#shared;
    const free = Math.max(0, max - made - unused);
    return this.#isUsed ? free : free + 1;
  }

  count(): void {
    this.#shared.made += 1;
    if (!this.#isUsed) this.#shared.unused -= 1;
    this.#isUsed = true;
  }
}

/** The counters of all requests. */
export interface VendorCallCounters {
  /** The counter of an ask: the choices of a request are asked for separately and share its limit. */
  of(request: Pick<AskRequest, 'choices'>): VendorCalls;
}

export function createVendorCallCounters(max: number): VendorCallCounters {
  const groups = new WeakMap<ChoiceGroup, SharedCalls>();
  return {
    of({ choices: group }) {
      if (!group) return createVendorCalls(max);
      const shared = groups.get(group) ?? createSharedCalls(max, group.count);
      groups.set(group, shared);
      return new ChoiceCalls(shared);
    },
  };
}
