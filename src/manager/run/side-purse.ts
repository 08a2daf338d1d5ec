import type { Ledger } from './ledger.ts';

/** What side questions may take of what the caller will pay for this one request. */
export interface SidePurse {
  has(maxMicroUsd: number | undefined): 'yes' | 'no';
  /** Sets it aside until the function that it gives is called, when the ledger knows what it was; nothing if there is not so much. */
  take(maxMicroUsd: number | undefined): (() => void) | undefined;
}

/** Several are asked at once, so what they could cost together counts. */
export function createSidePurse(
  limitMicroUsd: number | undefined,
  ledger: Pick<Ledger, 'totals'>,
): SidePurse {
  let asideMicroUsd = 0;

  function has(maxMicroUsd: number | undefined): 'yes' | 'no' {
    if (limitMicroUsd === undefined || maxMicroUsd === 0) return 'yes';
    // What nobody knows the price of may cost anything.
    if (maxMicroUsd === undefined) return 'no';
    const left = limitMicroUsd - ledger.totals().costMicroUsd - asideMicroUsd;
    return maxMicroUsd <= left ? 'yes' : 'no';
  }

  return {
    has,
    take(maxMicroUsd) {
      if (has(maxMicroUsd) === 'no') return undefined;
      const taken = maxMicroUsd ?? 0;
      asideMicroUsd += taken;
      return () => void (asideMicroUsd -= taken);
    },
  };
}
