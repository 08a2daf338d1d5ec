import type { Reason } from '#core/messages/reasons.ts';
import type { Model } from '#models/model.ts';
import type { RoleName } from '#models/roles.ts';
import type { RoutingContext } from '../routing-context.ts';

/** A model that a rule proposes, with its role. */
export interface RuleCandidate {
  readonly model: Model;
  readonly role?: RoleName;
  /** Why this model answers; continues the sentence `…, so`. */
  readonly choice: Reason;
}

/** Whether a rule applies to the request, and why. */
export interface Applicability {
  readonly applies: boolean;
  readonly reason: Reason;
}

export interface Rule {
  /** Position in the list, from 1. */
  readonly number: number;
  readonly id: string;
  /** The condition, for the documentation. */
  readonly when: string;
  /** The chosen models, for the documentation. */
  readonly route: string;
  applies(context: RoutingContext): Applicability;
  /** Best first. */
  candidates(context: RoutingContext): readonly RuleCandidate[];
}

export function applies(reason: Reason): Applicability {
  return { applies: true, reason };
}

export function doesNotApply(reason: Reason): Applicability {
  return { applies: false, reason };
}
