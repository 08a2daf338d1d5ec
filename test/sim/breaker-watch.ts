import type { Clock } from '#core/time/clock.ts';
import type {
  BreakerPermit,
  BreakerRules,
  Breakers,
  BreakerTarget,
} from '#resilience/breaker-types.ts';
import type { BreakerChange } from '#resilience/breakers.ts';
import type { SavedBreaker } from '#resilience/serialize-breaker.ts';
import { createBreakerModel } from '../cases/breaker-model.ts';
import type { Served } from './vendor-book.ts';
import type { Simulation } from './simulation.ts';

/**
 * Compares the breakers of one daemon with the plain model of them, and requests with the leave
 * that was given.
 */
export interface BreakerWatch {
  readonly onChange: (change: BreakerChange) => void;
  wrap(breakers: Breakers): Breakers;
  /** A vendor is asked, now; `running` are all that it answers. */
  asked(served: Served, running: ReadonlySet<Served>): void;
  /** Leaves that were given and of which nothing was heard since. */
  readonly out: number;
  check(): void;
}

export function createBreakerWatch(
  simulation: Simulation,
  clock: Clock,
  rules: BreakerRules,
  saved: readonly SavedBreaker[],
): BreakerWatch {
  const model = createBreakerModel(rules, clock);
  model.restore(saved);
  const out = new Map<string, number>();
  const keyOf = ({ provider, model: name }: BreakerTarget) => `${provider}/${name}`;
  const count = (key: string, by: number) => void out.set(key, (out.get(key) ?? 0) + by);

  function counted(key: string, permit: BreakerPermit): BreakerPermit {
    let isOut = true;
    const back = () => {
      if (isOut) count(key, -1);
      isOut = false;
    };
    count(key, 1);
    return {
      success() {
        back();
        permit.success();
      },
      failure(error) {
        back();
        permit.failure(error);
      },
      cancel() {
        back();
        permit.cancel();
      },
    };
  }

  return {
    onChange(change) {
      simulation.tell('breaker', () => `${change.key} ${change.to} ${change.coolOffMs ?? ''}`);
      model.onChange(change);
    },
    wrap(breakers) {
      const watched = model.watch(breakers);
      return {
        ...watched,
        tryAcquire(asked, mode) {
          const acquired = watched.tryAcquire(asked, mode);
          if (acquired.is === 'refused') return acquired;
          return { is: 'granted', permit: counted(keyOf(asked), acquired.permit) };
        },
      };
    },
    asked(served, running) {
      const key = keyOf(served);
      const asking = [...running].filter((other) => keyOf(other) === key).length;
      if (asking > (out.get(key) ?? 0))
        simulation.violate('breaker', `${key} is asked without leave of its breaker`);
    },
    get out() {
      return [...out.values()].reduce((sum, each) => sum + each, 0);
    },
    check() {
      const [complaint] = model.complaints;
      if (complaint !== undefined) simulation.violate('breaker', complaint);
    },
  };
}
