import { deadlineIn } from '#core/time/deadline.ts';
import { modelTools } from '#tools/index.ts';
import { REFRESH_MODELS_METHOD, type RefreshAnswer } from '../admin/refresh-models.ts';
import type { FeatureContext } from './context.ts';
import type { Feature } from './feature.ts';

const REFRESH_TIMEOUT_MS = 60_000;

/** Models and providers, as tools, and the refresh of the catalogue by the owner. */
export function modelsFeature({
  modelDirectory,
  clock,
}: Pick<FeatureContext, 'modelDirectory' | 'clock'>): Feature {
  return {
    name: 'models',
    tools: modelTools(modelDirectory),
    adminMethods: {
      [REFRESH_MODELS_METHOD]: async (): Promise<RefreshAnswer> => ({
        outcomes: await modelDirectory.refresh({
          signal: new AbortController().signal,
          deadline: deadlineIn(clock, REFRESH_TIMEOUT_MS),
        }),
      }),
    },
  };
}
