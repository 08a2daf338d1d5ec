import type { RefreshOutcome } from '#models/model-directory.ts';

/** Available on the unix socket only, because it changes what every client sees. */
export const REFRESH_MODELS_METHOD = 'exai/models/refresh';

export interface RefreshAnswer {
  readonly outcomes: readonly RefreshOutcome[];
}
