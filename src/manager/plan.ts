import type { CallError } from '#core/call-error.ts';
import type { Candidate, LeftOut, RoutePlan, RuleTrial } from '#core/route.ts';
import type { Model } from '#models/model.ts';

/** A candidate with its model as the catalogue has it. */
export interface PlannedModel extends Candidate {
  readonly entry: Model;
}

export interface Plan extends RoutePlan {
  /** The first of the candidates. */
  readonly first: PlannedModel;
  readonly candidates: readonly PlannedModel[];
  /** Whether a model beside the first and a quotation is among them. */
  readonly others: 'yes' | 'no';
}

/** A plan, or why there is none. */
export type Planned =
  | { readonly is: 'planned'; readonly plan: Plan }
  | {
      readonly is: 'nobody';
      readonly error: CallError;
      readonly tried: readonly RuleTrial[];
      readonly leftOut: readonly LeftOut[];
    };
