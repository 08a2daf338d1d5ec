import type { RefreshOutcome } from '#models/desk.ts';

/** For the unix door alone: it changes what every client sees. */
export const REFRESH_MODELS_METHOD = 'exai/models/refresh';

export interface RefreshAnswer {
  readonly outcomes: readonly RefreshOutcome[];
}
