import type { Reason } from './messages/reasons.ts';

/**
 * What a caller may do with a tool. `read_only`: only where it changes nothing. `ask`: only after its user said yes.
 * Used by list and call alike.
 */
export interface Decision {
  readonly verdict: 'allow' | 'read_only' | 'ask' | 'deny';
  /** What matched, in the order it was looked at. */
  readonly reasons: readonly Reason[];
}
