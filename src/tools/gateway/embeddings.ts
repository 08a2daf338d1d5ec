import type { AskedBy } from '#core/ask.ts';
import type { Call } from '#core/call.ts';
import type { Embedder } from '#core/embed.ts';
import { GATEWAY_OPERATIONS, type GatewayEmbeddings } from '#core/gateway.ts';
import type { Tool } from '#core/tool.ts';
import { otherUse } from '#models/built-in.ts';
import type { ModelDesk } from '#models/desk.ts';
import { defineOperation } from './define-operation.ts';
import { meant } from './meant.ts';
import type { ModelMeanings } from './model-meanings.ts';

export interface GatewayEmbeddingsDeps {
  readonly embedder: Embedder;
  readonly desk: Pick<ModelDesk, 'resolve'>;
  readonly meanings: ModelMeanings;
  readonly timeoutMs: number;
}

/** Texts as vectors. */
export function gatewayEmbeddings(deps: GatewayEmbeddingsDeps): Tool {
  const { embedder, desk, meanings, timeoutMs } = deps;
  const isKnown = (name: string) =>
    otherUse(name.trim()) === 'embedding' || desk.resolve(name).is === 'found';
  return defineOperation<GatewayEmbeddings>({
    name: GATEWAY_OPERATIONS.embeddings,
    title: 'Gateway: embeddings',
    description: 'Embeddings for clients of the OpenAI API, at /v1/embeddings.',
    lane: 'provider',
    timeoutMs,
    async run(args, context) {
      const request = { ...args, ...meant(args.model, meanings, isKnown) };
      const { made, report } = await embedder.embed(request, askedBy(context));
      return { text: '', content: made, asked: [report] };
    },
  });
}

function askedBy({ reqId, tool, caller, deadline, signal }: Call): AskedBy {
  let attempts = 0;
  return {
    reqId,
    tool,
    caller,
    deadline,
    signal,
    category: 'balanced',
    nextAttempt: () => ++attempts,
  };
}
