import { gatewayOperations } from '#tools/gateway/index.ts';
import type { FeatureContext } from './context.ts';
import type { Feature } from './feature.ts';

type GatewayContext = Pick<FeatureContext, 'loaded' | 'modelDirectory' | 'embedder'>;

/** The operations behind the OpenAI- and Anthropic-compatible endpoints. */
export function gatewayFeature({
  loaded: { config },
  modelDirectory,
  embedder,
}: GatewayContext): Feature {
  const name = 'gateway';
  const { gateway, fallback } = config;
  if (!gateway.enabled) return { name };
  return {
    name,
    operations: gatewayOperations({
      modelDirectory,
      ...(embedder && { embedder }),
      timeoutMs: gateway.timeoutMs,
      models: gateway.models,
      quotes: fallback.extractive === 'always' ? 'always' : 'as_asked',
    }),
  };
}
