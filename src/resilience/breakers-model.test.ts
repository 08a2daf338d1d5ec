import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ErrorClass } from '#core/errors/error-class.ts';
import { createBreakerModel } from '../../test/cases/breaker-model.ts';
import { createFakeClock } from '../../test/fake-clock.ts';
import { createRandom } from '../../test/sim/random.ts';
import type { BreakerPermit } from './breaker-types.ts';
import { createBreakers } from './breakers.ts';
import type { SavedBreaker } from './serialize-breaker.ts';

type Step =
  | { readonly is: 'acquire'; readonly model: string; readonly mode: 'usual' | 'forced' }
  | { readonly is: 'success'; readonly which: number }
  | { readonly is: 'cancel'; readonly which: number }
  | {
      readonly is: 'failure';
      readonly which: number;
      readonly class: ErrorClass;
      readonly after: number;
    }
  | { readonly is: 'time'; readonly ms: number }
  | { readonly is: 'restart' };

const which = fc.nat(30);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      is: fc.constant('acquire'),
      model: fc.constantFrom('a', 'b'),
      mode: fc.constantFrom('usual' as const, 'usual' as const, 'forced' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ is: fc.constantFrom('success' as const, 'cancel' as const), which }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      is: fc.constant('failure'),
      which,
      class: fc.constantFrom<ErrorClass[]>(
        'timeout',
        'network',
        'overloaded',
        'rate_limit',
        'auth',
        'billing',
        'not_found',
        'validation',
      ),
      after: fc.constantFrom(-1, 0, 700, 5000, 1e9),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      is: fc.constant('time'),
      ms: fc.oneof(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 1, max: 9000 })),
    }),
  },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('restart') }) },
);

test('in any order of events, with or without restarts, breakers match the simple model', () => {
  const rules = {
    windowMs: 1000,
    minCalls: 3,
    failurePercent: 50,
    failuresInRow: 5,
    coolOffMs: 400,
    maxCoolOffMs: 3000,
    keyCoolOffMs: 600,
    probeLeaseMs: 5000,
  };
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 120, size: 'max' }),
      fc.integer({ min: 1, max: 3 }),
      fc.nat(),
      (steps, probes, seed) => {
        const clock = createFakeClock();
        const model = createBreakerModel({ ...rules, probes }, clock);
        const store = new Map<string, SavedBreaker>();
        const lots = createRandom(seed);
        const start = () =>
          model.watch(
            createBreakers({
              clock,
              random: (bytes) => lots.bytes(bytes),
              rules: { ...rules, probes },
              saved: [...store.values()],
              onChange(change) {
                model.onChange(change);
                store.set(change.key, {
                  key: change.key,
                  state: change.state,
                  updatedAt: clock.now(),
                });
              },
            }),
          );
        let breakers = start();
        let permits: BreakerPermit[] = [];
        for (const one of steps) {
          if (one.is === 'time') clock.advance(one.ms);
          else if (one.is === 'restart') {
            model.restart();
            breakers = start();
            permits = [];
          } else if (one.is === 'acquire') {
            const acquired = breakers.tryAcquire({ provider: 'p', model: one.model }, one.mode);
            if (acquired.is === 'granted') permits.push(acquired.permit);
          } else {
            const [permit] = permits.splice(one.which % Math.max(1, permits.length), 1);
            if (one.is === 'success') permit?.success();
            else if (one.is === 'cancel') permit?.cancel();
            else
              permit?.failure({
                class: one.class,
                ...(one.after >= 0 && { retryAfterMs: one.after }),
              });
          }
          breakers.look({ provider: 'p', model: 'a' });
          if (model.complaints.length > 0) break;
        }
        expect(model.complaints).toEqual([]);
        // However it went, a rest and a success later everything is well again.
        clock.advance(rules.probeLeaseMs + rules.maxCoolOffMs);
        for (const name of ['a', 'b']) {
          const acquired = breakers.tryAcquire({ provider: 'p', model: name });
          if (acquired.is !== 'granted') throw new Error(acquired.reason.code);
          acquired.permit.success();
          expect(breakers.look({ provider: 'p', model: name }).is).toBe('closed');
        }
        expect(model.complaints).toEqual([]);
      },
    ),
    { numRuns: 300 },
  );
});
