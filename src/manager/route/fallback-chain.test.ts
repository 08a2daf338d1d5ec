import { expect } from 'vitest';
import type { ProviderId } from '#core/llm/provider.ts';
import type { AddedProviderId } from '#core/providers/added.ts';
import { assumeModel } from '#models/assume-model.ts';
import type { Model } from '#models/model.ts';
import { sketchFacts, sketchRoutingState } from '../../../test/cases/routing-sketch.ts';
import { verifies } from '../../../test/verifies.ts';
import { makePlan } from './plan.ts';
import type { RoutingState } from './routing-state.ts';

const ACME = 'acme' as AddedProviderId;
const LARGE: Model = { ...assumeModel('acme-large', ACME), confidence: 'high' };

function planIn(state: RoutingState) {
  const planned = makePlan(sketchFacts(), state);
  if (planned.is === 'no_candidate') throw planned.error;
  return planned.plan;
}

verifies('ask:queue', 'an added provider is another one, with a queue of its own', () => {
  const fallbacks = new Map<ProviderId, readonly Model[]>([[ACME, [LARGE]]]);
  const plan = planIn({ ...sketchRoutingState({ keys: ['glm', ACME] }), fallbacks });
  expect(plan.candidates.map(({ provider }) => provider)).toContain(ACME);
  expect(plan.hasOtherProvider).toBe(true);
  expect(planIn(sketchRoutingState({ keys: ['glm'] })).hasOtherProvider).toBe(false);
});
