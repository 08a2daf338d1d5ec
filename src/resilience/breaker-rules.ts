export interface BreakerRules {
  /** How far back failures count. */
  readonly windowMs: number;
  /** Requests in the window before a model is judged. */
  readonly minCalls: number;
  readonly failurePercent: number;
  /** So many failures without a success between them are enough, whatever the share. */
  readonly failuresInRow: number;
  /** The first rest of a model; each that follows is twice as long. */
  readonly coolOffMs: number;
  /** No rest is longer. */
  readonly maxCoolOffMs: number;
  /** The first rest of an account whose key was refused. */
  readonly keyCoolOffMs: number;
  /** How many may try at once whether it works again. */
  readonly probes: number;
  /** A probe of which nothing was heard for so long has failed. */
  readonly probeLeaseMs: number;
}
