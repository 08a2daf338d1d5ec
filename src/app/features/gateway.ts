import { USUAL_ALIASES } from '#config/schema/sections/gateway.schema.ts';
import { GATEWAY_TOKEN_METHODS, type TemporaryToken } from '#core/auth/client-token.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import type { FetchedDocument } from '#tools/gateway/chat-documents.ts';
import { gatewayOperations } from '#tools/gateway/index.ts';
import { createPictureFetcher } from '../files/fetch-media.ts';
import type { FeatureContext } from './context.ts';
import type { Feature } from './feature.ts';

/** A larger document of the web is refused. */
const MAX_DOCUMENT_BYTES = 24_000_000;

type GatewayContext = Pick<
  FeatureContext,
  | 'loaded'
  | 'modelDirectory'
  | 'embedder'
  | 'store'
  | 'content'
  | 'newId'
  | 'clock'
  | 'fileIntake'
  | 'checkSentTexts'
  | 'withPublicHttp'
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
  clock,
  fileIntake,
  checkSentTexts,
  withPublicHttp,
  authenticator: { temporary },
  onSettingsChange,
}: GatewayContext): Feature {
  const name = 'gateway';
  const { gateway, fallback } = config;
  if (!gateway.enabled) return { name };
  const { pages } = store;

  async function fetchDocument(url: string, signal: AbortSignalLike): Promise<FetchedDocument> {
    const { fetchPage } = await import('#net/fetch-page.ts');
    const page = await withPublicHttp((http) =>
      fetchPage(url, { http, pages, clock, signal, maxBytes: MAX_DOCUMENT_BYTES }),
    );
    const name = new URL(page.url).pathname.split('/').at(-1) ?? '';
    return { name, contentType: page.contentType, bytes: page.bytes };
  }

  const pictures = createPictureFetcher(withPublicHttp);

  const create = () => ({
    operations: gatewayOperations({
      modelDirectory,
      ...(embedder && { embedder }),
      responses: store.responses,
      files: store.files,
      newId,
      maxFileBytes: gateway.maxFileBytes,
      fileIntake,
      checkSentTexts,
      fetchDocument,
      fetchPicture: (url, field, signal) => pictures.fetch(url, field, signal),
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
