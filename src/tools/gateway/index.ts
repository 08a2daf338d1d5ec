import type { Embedder } from '#core/embed.ts';
import type { Tool } from '#core/tool.ts';
import type { ModelDesk } from '#models/desk.ts';
import { gatewayChat } from './chat.ts';
import { gatewayCountTokens } from './count-tokens.ts';
import { gatewayEmbeddings } from './embeddings.ts';
import { createModelMeanings } from './model-meanings.ts';
import { gatewayModels } from './models.ts';

export interface GatewayDeps {
  readonly desk: Pick<ModelDesk, 'models' | 'resolve'>;
  /** Without one there is nobody who makes embeddings. */
  readonly embedder?: Embedder;
  readonly timeoutMs: number;
  /** `claude-*=auto`: what names mean that nobody here knows; of several that fit, the first counts. */
  readonly models: readonly string[];
  /** Whether a quotation will do for clients of the gateway, too, when no model answers. */
  readonly quotes: 'always' | 'as_asked';
}

/** What the doors for other people's clients run. */
export function gatewayOperations(deps: GatewayDeps): readonly Tool[] {
  const { desk, embedder, timeoutMs, quotes } = deps;
  const meanings = createModelMeanings(deps.models);
  return [
    gatewayChat({ desk, meanings, timeoutMs, quotes }),
    ...(embedder ? [gatewayEmbeddings({ embedder, desk, meanings, timeoutMs })] : []),
    gatewayModels(desk, meanings),
    gatewayCountTokens,
  ];
}
