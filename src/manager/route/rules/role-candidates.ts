import { reason, type Reason } from '#core/messages/reasons.ts';
import type { Model } from '#models/model.ts';
import type { RoleName } from '#models/roles.ts';
import { byShare } from '../eligibility.ts';
import { topCustomModels, type RoutingContext } from '../routing-context.ts';
import type { RuleCandidate } from './rule.ts';

/**
 * The models of a role: those that hold the whole request first, then those that support JSON if
 * requested, then those that hold more of it.
 */
export function roleCandidates(context: RoutingContext, role: RoleName): readonly RuleCandidate[] {
  return preferred(context, context.routing.roles[role]).map((model) => ({
    model,
    role,
    choice: reason('role_answers', { role, model: model.id }),
  }));
}

/** The same candidates, with the reason why they come before others. */
export function withChoiceReason(
  candidate: readonly RuleCandidate[],
  why: (each: RuleCandidate) => Reason,
): RuleCandidate[] {
  return candidate.map((each) =>
    each.role
      ? {
          ...each,
          choice: reason('role_answers', { role: each.role, model: each.model.id, why: why(each) }),
        }
      : each,
  );
}

/** The models of the user's own server. */
export function customServerModels(context: RoutingContext): readonly Model[] {
  return preferred(context, topCustomModels(context.routing));
}

function preferred(context: RoutingContext, models: readonly Model[]): readonly Model[] {
  if (models.length < 2) return models;
  const wantsJson = context.facts.format !== 'text';
  const rank = (model: Model) => {
    const verdict = context.checkEligibility(model);
    const isShort = verdict.is === 'eligible' && verdict.fits === 'shortened';
    return (isShort ? 2 : 0) + (wantsJson && model.json === 'none' ? 1 : 0);
  };
  const { checkEligibility } = context;
  return models.toSorted(
    (a, b) => rank(a) - rank(b) || byShare(checkEligibility(a), checkEligibility(b)),
  );
}

/** The first eligible candidate. */
export function firstEligible(
  context: RoutingContext,
  candidate: readonly RuleCandidate[],
): RuleCandidate | undefined {
  return candidate.find(({ model }) => context.checkEligibility(model).is === 'eligible');
}
