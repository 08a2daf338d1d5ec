import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import { deadlineIn, earlier } from '#core/deadline.ts';
import type { Provider, ProviderId } from '#core/provider.ts';
import type { Log } from '#core/telemetry.ts';
import { nearLimit } from '#models/near-limit.ts';
import type { Asking } from '../asking.ts';
import { modelKey } from '../model-key.ts';
import type { PlannedModel } from '../plan.ts';
import type { RouteWorld } from '../route-world.ts';
import { wholePrompt } from './fit.ts';
import type { Room } from './room.ts';

export interface ExactRoomDeps {
  readonly providers: ReadonlyMap<ProviderId, Provider>;
  readonly clock: Clock;
  readonly log: Log;
}

/** A count that takes longer is not worth waiting for: the estimate decides. */
const COUNT_TIMEOUT_MS = 2_000;

/**
 * The room of a candidate, with the count of the vendor's own tokenizer in place of the estimate where the estimate is so
 * near the limit that it could decide wrongly. Counted once for each model; whatever goes wrong, the estimate stands.
 */
export function createExactRoom(
  asking: Asking,
  world: Pick<RouteWorld, 'health'>,
  deps: ExactRoomDeps,
): (candidate: PlannedModel, room: Room) => Promise<Room> {
  const { measured, facts } = asking;
  // Media are counted by the vendor only after they were fetched, and cut histories have no whole to count.
  const isText = facts.images === 0 && facts.videos === 0 && (facts.files.attached ?? 0) === 0;
  const isCountable = isText && measured.history.uncounted === 0 && measured.tokens > 0;
  const counts = new Map<string, Promise<number | undefined>>();

  async function count({ entry }: PlannedModel): Promise<number | undefined> {
    const provider = deps.providers.get(entry.provider);
    if (!provider?.countTokens || world.health(entry).is !== 'closed') return undefined;
    const { request } = measured;
    const { signal } = asking.by;
    const deadline = earlier(deadlineIn(deps.clock, COUNT_TIMEOUT_MS), asking.deadline);
    const { tools } = request;
    const input = { model: entry.id, messages: wholePrompt(measured), ...(tools && { tools }) };
    try {
      const tokens = await provider.countTokens(input, { signal, deadline });
      return Number.isFinite(tokens) && tokens > 0 ? tokens : undefined;
    } catch (thrown) {
      if (signal.aborted) throw thrown;
      const { class: errorClass } = CallError.from(thrown);
      deps.log.info('tokens_not_counted', { provider: entry.provider, class: errorClass });
      return undefined;
    }
  }

  return async (candidate, room) => {
    const estimate = measured.tokens * room.correction;
    if (!isCountable || !nearLimit(estimate, room.roomTokens)) return room;
    const key = modelKey(candidate.entry);
    const counting = counts.get(key) ?? count(candidate);
    counts.set(key, counting);
    const tokens = await counting;
    return tokens === undefined ? room : { ...room, correction: tokens / measured.tokens };
  };
}
