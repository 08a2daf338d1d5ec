import { CallError } from '#core/errors/call-error.ts';
import type { EmbeddingContext, PassageEmbedder } from '#core/files/passage-embedder.ts';
import type { NewId } from '#core/ids.ts';
import type { Embedder } from '#core/llm/embed.ts';
import type { Clock } from '#core/time/clock.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import { createOfflineEmbedder } from '#retrieval/vectors/create-offline-embedder.ts';

export interface PassageEmbedderDeps {
  /** `off`, `offline` or the name of a model; read at each use. */
  readonly name: () => string;
  /** Absent where no provider makes embeddings. */
  readonly embedder: Embedder | undefined;
  readonly clock: Clock;
  readonly newId: NewId;
}

/** A passage has up to that many, so that it has one vector. */
const MAX_CHARS = 3_500;
const TIMEOUT_MS = 300_000;

/** What makes the vectors of passages, as the settings say; undefined if it is off. */
export function createPassageEmbedder(
  deps: PassageEmbedderDeps,
): () => PassageEmbedder | undefined {
  const offline = createOfflineEmbedder(deps.clock);
  return () => {
    const name = deps.name().trim();
    if (name === '' || name.toLowerCase() === 'off') return undefined;
    return name.toLowerCase() === 'offline' ? offline : providerEmbedder(name, deps);
  };
}

function providerEmbedder(
  model: string,
  { embedder, clock, newId }: PassageEmbedderDeps,
): PassageEmbedder {
  async function embed(
    texts: readonly string[],
    { principal, signal }: EmbeddingContext,
  ): Promise<readonly Float32Array[]> {
    if (model.toLowerCase() === 'auto') throw mustName();
    if (!embedder) {
      throw new CallError('not_configured', 'No provider makes embeddings.', {
        field: 'files.embeddings',
        fix: 'Run exai config set files.embeddings off, or add a key: exai keys add glm',
      });
    }
    let attempts = 0;
    const { made } = await embedder.embed(
      { model, texts },
      {
        reqId: newId('req'),
        tool: 'index',
        caller: { principal, scopes: ['*'], roots: [] },
        deadline: deadlineIn(clock, TIMEOUT_MS),
        signal,
        category: 'balanced',
        nextAttempt: () => (attempts += 1),
      },
    );
    return made.vectors;
  }
  return { id: `provider/${model}`, language: 'any', maxChars: MAX_CHARS, embed };
}

/** What `auto` means may change, and vectors of two models cannot be compared. */
function mustName(): CallError {
  return new CallError('not_configured', 'files.embeddings must name a model.', {
    field: 'files.embeddings',
    fix: 'Example: exai config set files.embeddings embedding-3',
  });
}
