import { gatewayOperations } from '#tools/gateway/index.ts';
import type { FeatureContext } from './context.ts';
import type { Feature } from './feature.ts';

type GatewayContext = Pick<FeatureContext, 'loaded' | 'desk' | 'embedder'>;

/** The operations behind the OpenAI- and Anthropic-compatible endpoints. */
export function gatewayFeature({ loaded: { config }, desk, embedder }: GatewayContext): Feature {
  const name = 'gateway';
  const { gateway, fallback } = config;
  if (!gateway.enabled) return { name };
  return {
    name,
    operations: gatewayOperations({
      desk,
      ...(embedder && { embedder }),
      timeoutMs: gateway.timeoutMs,
      models: gateway.models,
      quotes: fallback.local === 'always' ? 'always' : 'as_asked',
    }),
  };
}
