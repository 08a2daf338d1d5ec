import { describe, expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { reason } from '#core/messages/reasons.ts';
import type { Model } from '#models/model.ts';
import { sketchRoutingState } from '../../test/cases/routing-sketch.ts';
import { createFakeClock } from '../../test/fake-clock.ts';
import { createInternalRefusals, internalModels } from './internal-models.ts';

const ids = (models: readonly Model[]) => models.map(({ id }) => id);

describe('the models for internal asks', () => {
  test('are those of the manager, then a cheap quick model', () => {
    const models = internalModels(sketchRoutingState());
    expect(ids(models)).toEqual(['glm-4.7-flash', 'glm-4.5-flash', 'glm-5.3-flash']);
  });

  test('are none that cost more than next to nothing', () => {
    const world = sketchRoutingState({
      change: (model) => ({
        ...model,
        price: { input: 500_000, cached: 500_000, output: 1_000_001 },
      }),
    });
    const manager = ids(world.roles.manager);
    expect(ids(internalModels(world))).toEqual(manager);
  });

  test('leave out those that cannot be used or are busy', () => {
    const world = sketchRoutingState();
    const busy = {
      ...world,
      health: (model: Model) =>
        model.id === 'glm-4.7-flash' ? ({ is: 'open' } as const) : ({ is: 'closed' } as const),
      obstacle: (model: Model) =>
        model.id === 'glm-4.5-flash' ? reason('text', { text: 'a list' }) : undefined,
    };
    expect(ids(internalModels(busy))).toEqual(['glm-5.3-flash']);
  });
});

describe('a model that refused', () => {
  const [model] = internalModels(sketchRoutingState()) as [Model];

  test.each(['not_configured', 'not_found'] as const)(
    'as %s is not asked again for ten minutes',
    (errorClass) => {
      const clock = createFakeClock();
      const refusals = createInternalRefusals(clock);
      refusals.add(model, new CallError(errorClass, 'Not in the plan.'));
      expect(refusals.has(model)).toBe(true);
      clock.advance(600_001);
      expect(refusals.has(model)).toBe(false);
    },
  );

  test('for a reason that passes is left to its breaker', () => {
    const refusals = createInternalRefusals(createFakeClock());
    refusals.add(model, new CallError('rate_limit', 'Busy.'));
    expect(refusals.has(model)).toBe(false);
  });
});
