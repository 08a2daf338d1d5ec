import type { AskRequest, ChoiceGroup } from '#core/llm/ask.ts';
import type { VendorCalls } from '#core/llm/provider.ts';

export function createVendorCalls(max: number): VendorCalls {
  return createSharedCalls(max, 1)();
}

/** Creates the counter of the next choice of a request; all of them share one maximum. */
type SharedCalls = () => VendorCalls;

/**
 * Every choice may make one call, whatever the others make, so `choices` of them are kept free until
 * each was used.
 */
function createSharedCalls(limit: number, choices: number): SharedCalls {
  const max = Math.max(limit, choices);
  let made = 0;
  let unused = choices;
  return () => {
    let isUsed = false;
    return {
      max,
      get left() {
        const shared = Math.max(0, max - made - unused);
        return isUsed ? shared : shared + 1;
      },
      count() {
        made += 1;
        if (!isUsed) unused -= 1;
        isUsed = true;
      },
    };
  };
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
      return shared();
    },
  };
}
