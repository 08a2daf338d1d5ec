import { CallError } from '#core/errors/call-error.ts';
import type { Clock } from '#core/time/clock.ts';
import { deadlineIn, earlier } from '#core/time/deadline.ts';
import type { Provider, ProviderId } from '#core/llm/provider.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import { nearLimit } from '#models/estimate-tokens.ts';
import type { AskState } from '../ask-state.ts';
import { modelIdentity } from '../route/routing-context.ts';
import type { PlannedModel } from '../route/plan.ts';
import type { RoutingState } from '../route/routing-state.ts';
import { wholePrompt } from './fit.ts';
import type { MeasuredParts } from './measure.ts';
import type { Room } from './prompt-room.ts';

export interface ExactRoomDeps {
  readonly providers: ReadonlyMap<ProviderId, Provider>;
  readonly clock: Clock;
  readonly log: Log;
}

/** After this time the estimate is used. */
const COUNT_TIMEOUT_MS = 2_000;

/**
 * The room of a candidate by the vendor's own tokenizer, if the estimate is so near the limit that
 * it could be wrong. Counted once per model; on any error the estimate is used.
 */
export function createExactRoom(
  askState: AskState,
  routing: Pick<RoutingState, 'health'>,
  deps: ExactRoomDeps,
): (candidate: PlannedModel, room: Room, measured: MeasuredParts) => Promise<Room> {
  const { facts } = askState;
  // Media are counted by the vendor only after fetching, and a cut history has no whole to count.
  const isText = facts.images === 0 && facts.videos === 0 && (facts.files.attached ?? 0) === 0;
  const isCountable = ({ history, tokens }: MeasuredParts) =>
    isText && history.uncounted === 0 && tokens > 0;
  let counts: Map<string, Promise<number | undefined>> | undefined;

  async function count(
    { entry }: PlannedModel,
    measured: MeasuredParts,
  ): Promise<number | undefined> {
    const provider = deps.providers.get(entry.provider);
    if (!provider?.countTokens || routing.health(entry).is !== 'closed') return undefined;
    const { request } = measured;
    const { signal } = askState.by;
    const deadline = earlier(deadlineIn(deps.clock, COUNT_TIMEOUT_MS), askState.deadline);
    const { tools } = request;
    const input = { model: entry.id, messages: wholePrompt(measured), ...(tools && { tools }) };
    try {
      const tokens = await provider.countTokens(input, { signal, deadline });
      return Number.isFinite(tokens) && tokens > 0 ? tokens : undefined;
    } catch (thrown) {
      if (signal.aborted) throw thrown;
      const { class: errorClass } = CallError.from(thrown);
      deps.log.info('token_count_failed', { provider: entry.provider, class: errorClass });
      return undefined;
    }
  }

  return async (candidate, room, measured) => {
    const estimate = measured.tokens * room.correction;
    if (!isCountable(measured) || !nearLimit(estimate, room.roomTokens)) return room;
    const key = modelIdentity(candidate.entry);
    counts ??= new Map();
    const counting = counts.get(key) ?? count(candidate, measured);
    counts.set(key, counting);
    const tokens = await counting;
    return tokens === undefined ? room : { ...room, correction: tokens / measured.tokens };
  };
}
