import type { AskContext } from '#core/llm/ask.ts';
import type { Call } from '#core/calls/call.ts';
import type { Embedder } from '#core/llm/embed.ts';
import { GATEWAY_OPERATIONS, type GatewayEmbeddings } from '#core/llm/gateway.ts';
import type { Tool } from '#core/tools/tool.ts';
import { otherUse } from '#models/built-in.ts';
import type { ModelDirectory } from '#models/model-directory.ts';
import { defineOperation } from './define-operation.ts';
import { resolveAlias, type ModelAliases } from './model-aliases.ts';

export interface GatewayEmbeddingsDeps {
  readonly embedder: Embedder;
  readonly modelDirectory: Pick<ModelDirectory, 'resolve'>;
  readonly aliases: ModelAliases;
  readonly timeoutMs: number;
}

/** Runs an embeddings request for the gateway. */
export function gatewayEmbeddings(deps: GatewayEmbeddingsDeps): Tool {
  const { embedder, modelDirectory, aliases, timeoutMs } = deps;
  const isKnown = (name: string) =>
    otherUse(name.trim()) === 'embedding' || modelDirectory.resolve(name).is === 'found';
  return defineOperation<GatewayEmbeddings>({
    name: GATEWAY_OPERATIONS.embeddings,
    title: 'Gateway: embeddings',
    description: 'Embeddings for clients of the OpenAI API, at /v1/embeddings.',
    pool: 'provider',
    timeoutMs,
    async run(args, context) {
      const request = { ...args, ...resolveAlias(args.model, aliases, isKnown) };
      const { made, report } = await embedder.embed(request, askedBy(context));
      return { text: '', content: made, askReports: [report] };
    },
  });
}

function askedBy({ reqId, tool, caller, deadline, signal }: Call): AskContext {
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
