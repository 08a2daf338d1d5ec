import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import type { Ops, StoreFinding } from '#core/ops.ts';
import type { Store } from '#core/stores/store.ts';
import { MIGRATIONS } from '#store/migrations.ts';
import { bounded } from './bounded.ts';

const PATIENCE_MS = 2000;
/** What was found is still told for so long; a flood of questions then costs the store nothing. */
const FRESH_MS = 5000;

/** Looks at the store in bounded time and never rejects. Those who look at the same moment share the look. */
export function createStoreLook(
  store: Pick<Store, 'health'>,
  place: Pick<StoreFinding, 'kind' | 'name'>,
  clock: Clock,
): Ops['store'] {
  let last: { readonly at: number; readonly finding: Promise<StoreFinding> } | undefined;

  return (look) => {
    const isFresh = last !== undefined && clock.monotonic() - last.at < FRESH_MS;
    if (look === 'known' && last && isFresh) return last.finding;
    const finding = ask(store, place, clock);
    last = { at: clock.monotonic(), finding };
    return finding;
  };
}

async function ask(
  store: Pick<Store, 'health'>,
  place: Pick<StoreFinding, 'kind' | 'name'>,
  clock: Clock,
): Promise<StoreFinding> {
  const lost = { ...place, ok: false, schemaVersion: MIGRATIONS.length };
  try {
    const health = await bounded(clock, PATIENCE_MS, store.health());
    return health === 'late'
      ? { ...lost, detail: 'It does not answer.' }
      : { ...health, name: place.name };
  } catch (thrown) {
    return { ...lost, detail: CallError.from(thrown).message };
  }
}
