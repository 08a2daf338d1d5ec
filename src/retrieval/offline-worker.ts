import { parentPort, workerData } from 'node:worker_threads';

// Loads the offline model, which only this thread knows: its package is optional, and its weights are
// in a package.

export interface OfflineRequest {
  readonly id: number;
  readonly texts: readonly string[];
}

export type OfflineReply =
  | { readonly id: number; readonly vectors: readonly Float32Array[] }
  | { readonly id: number; readonly failure: 'missing' | 'failed'; readonly message: string };

/** What is used of the packages. */
interface Embeddings {
  initModel(source: unknown): Promise<{ embed(texts: string[]): Promise<number[][]> }>;
}
interface ModelPackage {
  readonly modelSource: unknown;
}

/** The names of the packages: the build does not look for them. */
export interface OfflinePackages {
  readonly embeddings: string;
  readonly model: string;
}

const packages = workerData as OfflinePackages;
const SIZE = 512;

type Model = Awaited<ReturnType<Embeddings['initModel']>>;
let model: Promise<Model> | undefined;

async function load(): Promise<Model> {
  const embeddings = (await import(packages.embeddings)) as Embeddings;
  const { modelSource } = (await import(packages.model)) as ModelPackage;
  // Without a source it would be downloaded.
  if (typeof modelSource !== 'function') throw new Error(`${packages.model} has no model.`);
  return embeddings.initModel(modelSource);
}

async function answer({ id, texts }: OfflineRequest): Promise<OfflineReply> {
  try {
    model ??= load();
    const made = await (await model).embed([...texts]);
    const vectors = made.map((values) => Float32Array.from(values));
    const isUsable =
      vectors.length === texts.length &&
      vectors.every((vector) => vector.length === SIZE && vector.every(Number.isFinite));
    if (!isUsable) throw new Error('its vectors are not usable');
    return { id, vectors };
  } catch (thrown) {
    const { code, message } = thrown as { readonly code?: unknown; readonly message?: string };
    const isMissing = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
    if (isMissing) model = undefined;
    return {
      id,
      failure: isMissing ? 'missing' : 'failed',
      message: String(message).slice(0, 200),
    };
  }
}

parentPort?.on('message', (request: OfflineRequest) => {
  void answer(request).then((reply) => parentPort?.postMessage(reply));
});
