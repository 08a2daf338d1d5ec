import {
  GATEWAY_OPERATIONS,
  type GatewayModels,
  type GatewayTokens,
  type GatewayVectors,
} from '#core/gateway.ts';
import { readCount, writeCount } from '../anthropic/count-tokens.ts';
import * as anthropicModels from '../anthropic/write-models.ts';
import type { Endpoint, Exchange } from '../http/endpoint.ts';
import { readEmbeddings } from '../openai/read-embeddings.ts';
import { writeEmbeddings } from '../openai/write-embeddings.ts';
import * as openaiModels from '../openai/write-models.ts';
import type { Dialect } from './dialect.ts';
import type { GatewayParts } from './gateway-door.ts';
import type { PlainCalls } from './plain-calls.ts';
import { askedEndpoint, postedEndpoint } from './posted-endpoint.ts';

export function countEndpoint(
  path: string,
  dialect: Dialect,
  plain: PlainCalls,
  parts: GatewayParts,
): Endpoint {
  return postedEndpoint(path, dialect, parts, (exchange, { body, sha256 }, asker) => {
    const order = {
      tool: GATEWAY_OPERATIONS.countTokens,
      args: readCount(body),
      sha256,
      write: ({ content }: { content?: unknown }) => writeCount((content as GatewayTokens).tokens),
    };
    plain.serve(exchange, dialect, order, asker);
  });
}

export function embeddingsEndpoint(
  path: string,
  dialect: Dialect,
  plain: PlainCalls,
  parts: GatewayParts,
): Endpoint {
  return postedEndpoint(path, dialect, parts, (exchange, { body, sha256 }, asker) => {
    const { request, encoding } = readEmbeddings(body);
    const { reqId } = exchange;
    plain.serve(
      exchange,
      dialect,
      {
        tool: GATEWAY_OPERATIONS.embeddings,
        args: request,
        sha256,
        write: (envelope) =>
          writeEmbeddings(
            { reqId, answer: envelope.content as GatewayVectors, envelope },
            encoding,
          ),
      },
      asker,
    );
  });
}

const MODELS_OF = { openai: openaiModels, anthropic: anthropicModels } as const;

/** Both vendors have it at the same path; Anthropic's clients say which version they speak. */
export function modelsEndpoint(
  path: string,
  dialects: { readonly openai: Dialect; readonly anthropic: Dialect },
  plain: PlainCalls,
  parts: GatewayParts,
): Endpoint {
  const dialectOf = ({ request }: Exchange) =>
    request.headers['anthropic-version'] === undefined ? dialects.openai : dialects.anthropic;
  return askedEndpoint(path, dialectOf, parts, (exchange, asker, dialect) => {
    const { writeModel, writeModels } = MODELS_OF[dialect.door];
    const id = idBelow(path, exchange.request.url ?? '');
    const order = {
      tool: GATEWAY_OPERATIONS.models,
      args: id === undefined ? {} : { id },
      write({ content }: { content?: unknown }) {
        const models = content as GatewayModels;
        return id === undefined ? writeModels(models) : writeModel(models, id);
      },
    };
    plain.serve(exchange, dialect, order, asker);
  });
}

/** The rest of the path, which may be written with slashes of its own. */
function idBelow(path: string, url: string): string | undefined {
  const target = url.startsWith('/') ? url : new URL(url, 'http://localhost').pathname;
  const [plain = ''] = target.split('?');
  const rest = plain.slice(path.length + 1);
  if (rest === '') return undefined;
  try {
    return decodeURIComponent(rest);
  } catch {
    // What cannot be read is taken as it is written; no model is called so.
    return rest;
  }
}
