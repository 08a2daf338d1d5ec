import { USUAL_ALIASES } from '#config/schema/sections/gateway.schema.ts';
import { GATEWAY_TOKEN_METHODS, type TemporaryToken } from '#core/auth/client-token.ts';
import { CallError } from '#core/errors/call-error.ts';
import { gatewayOperations } from '#tools/gateway/index.ts';
import type { FeatureContext } from './context.ts';
import type { Feature } from './feature.ts';

type GatewayContext = Pick<
  FeatureContext,
  | 'loaded'
  | 'modelDirectory'
  | 'embedder'
  | 'store'
  | 'content'
  | 'newId'
  | 'authenticator'
  | 'onSettingsChange'
>;

/** The operations behind the OpenAI- and Anthropic-compatible endpoints. */
export function gatewayFeature({
  loaded: { config },
  modelDirectory,
  embedder,
  store,
  content,
  newId,
  authenticator: { temporary },
  onSettingsChange,
}: GatewayContext): Feature {
  const name = 'gateway';
  const { gateway, fallback } = config;
  if (!gateway.enabled) return { name };
  const create = () => ({
    operations: gatewayOperations({
      modelDirectory,
      ...(embedder && { embedder }),
      responses: store.responses,
      files: store.files,
      newId,
      maxFileBytes: gateway.maxFileBytes,
      timeoutMs: gateway.timeoutMs,
      aliases: gateway.aliases,
      // Vectors of another model would be wrong without a sign, so a default never names one.
      embeddingAliases: gateway.aliases.filter((each) => !USUAL_ALIASES.includes(each)),
      quotes: fallback.extractive === 'always' ? 'always' : 'as_asked',
    }),
  });
  onSettingsChange(() => content.put(name, create()));
  return {
    name,
    ...create(),
    adminMethods: {
      [GATEWAY_TOKEN_METHODS.renew]: async (params): Promise<TemporaryToken> =>
        temporary.renew([GATEWAY_SCOPE], tokenIn(params)),
      async [GATEWAY_TOKEN_METHODS.end](params) {
        const token = tokenIn(params);
        if (token !== undefined) temporary.end(token);
        return {};
      },
    },
  };
}

/** Every operation of the gateway, and nothing else. */
const GATEWAY_SCOPE = 'gateway_*';

function tokenIn(params: unknown): string | undefined {
  const { token } = (params ?? {}) as { token?: unknown };
  if (token === undefined || typeof token === 'string') return token;
  throw new CallError('validation', '"token" must be a text.', { field: 'token' });
}
