import type { Clock } from '#core/clock.ts';
import { deadlineIn } from '#core/deadline.ts';
import type { ModelDesk, RefreshOutcome } from '#models/desk.ts';
import type { OwnMethods } from '#transport/admin/own-methods.ts';

/** For the unix door alone: it changes what every client sees. */
export const REFRESH_MODELS_METHOD = 'exai/models/refresh';

export interface RefreshAnswer {
  readonly outcomes: readonly RefreshOutcome[];
}

const TIMEOUT_MS = 60_000;

export function refreshModels(desk: Pick<ModelDesk, 'refresh'>, clock: Clock): OwnMethods {
  return {
    [REFRESH_MODELS_METHOD]: async (): Promise<RefreshAnswer> => ({
      outcomes: await desk.refresh({
        signal: new AbortController().signal,
        deadline: deadlineIn(clock, TIMEOUT_MS),
      }),
    }),
  };
}
