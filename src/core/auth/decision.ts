import type { Reason } from '../messages/reasons.ts';

/**
 * What a caller may do with a tool. `read_only`: the tool changes nothing. `ask`: the user must
 * confirm first. Both listing and calling use it.
 */
export interface AccessDecision {
  readonly verdict: 'allow' | 'read_only' | 'ask' | 'deny';
  /** The rows of the agent and the scopes that decided, in order of evaluation. */
  readonly reasons: readonly Reason[];
  /** Present if other arguments may be decided otherwise. */
  readonly dependsOnArguments?: true;
}
