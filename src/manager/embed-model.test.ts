import { expect, test } from 'vitest';
import { CallError } from '#core/call-error.ts';
import { assumeModel } from '#models/assume-model.ts';
import { EMBEDDING_MODELS } from '#models/built-in.ts';
import { createCatalogue } from '#models/catalogue.ts';
import { pickEmbedding, withMeaningFix, type EmbedWorld } from './embed-model.ts';

const catalogue = createCatalogue();
const own = (id: string, is: 'set' | 'any') => ({ model: assumeModel(id, 'custom'), is }) as const;

function world(more: Partial<EmbedWorld> = {}): EmbedWorld {
  return {
    known: EMBEDDING_MODELS.map(({ id, provider }) => assumeModel(id, provider)),
    obstacle: () => undefined,
    resolve: (name) => catalogue.resolve(name),
    ...more,
  };
}

const noKey = (model: { provider: string }) =>
  model.provider === 'glm' ? 'exai keys add glm' : undefined;

function picked(name: string, more: Partial<EmbedWorld> = {}): string {
  const { model } = pickEmbedding({ model: name }, world(more));
  return `${model.provider}/${model.id}`;
}

function refused(name: string, more: Partial<EmbedWorld> = {}): CallError {
  try {
    pickEmbedding({ model: name }, world(more));
  } catch (thrown) {
    if (thrown instanceof CallError) return thrown;
    throw thrown;
  }
  throw new Error('It was picked');
}

test.each([
  ['auto', 'glm/embedding-3'],
  [' AUTO ', 'glm/embedding-3'],
  ['', 'glm/embedding-3'],
  ['embedding-3', 'glm/embedding-3'],
  ['Embedding_2', 'glm/embedding-2'],
  ['zhipu/embedding-3', 'glm/embedding-3'],
  ['z-ai/embedding-2', 'glm/embedding-2'],
])('%j is %s', (name, expected) => {
  expect(picked(name)).toBe(expected);
});

test('a model that is set for one’s own server is what auto means; a server alone is, too', () => {
  expect(picked('auto', { own: own('nomic-embed-text', 'set') })).toBe('custom/nomic-embed-text');
  expect(picked('auto', { own: own('default', 'any') })).toBe('glm/embedding-3');
  expect(picked('auto', { own: own('default', 'any'), obstacle: noKey })).toBe('custom/default');
});

test('a model that a list forbids is passed over by auto, and refused by its name', () => {
  const obstacle = ({ id }: { id: string }) =>
    id === 'embedding-3' ? 'models.deny.glm has "embedding-3"' : undefined;
  expect(picked('auto', { obstacle })).toBe('glm/embedding-2');
  expect(refused('embedding-3', { obstacle })).toMatchObject({
    class: 'not_configured',
    field: 'model',
    message: 'embedding-3 cannot make embeddings: models.deny.glm has "embedding-3".',
  });
});

test('one’s own server may have any model, with or without its name before it', () => {
  const server = { own: own('default', 'any') };
  expect(picked('mxbai-embed-large', server)).toBe('custom/mxbai-embed-large');
  expect(picked('custom/kimi-k3', server)).toBe('custom/kimi-k3');
  expect(picked('openai/clip', server)).toBe('custom/openai/clip');
});

test('without a server a name that nobody knows is an error that names those there are', () => {
  for (const name of ['text-embedding-3-small', 'custom/nomic', '__proto__', 'a\nb']) {
    expect(refused(name)).toMatchObject({ class: 'not_found', field: 'model' });
  }
  expect(refused('text-embedding-3-small')).toMatchObject({
    message: 'There is no model "text-embedding-3-small" that makes embeddings.',
    fix: 'Name one of embedding-3, embedding-2, auto; gateway.models can give it a meaning: text-embedding-3-small=auto.',
  });
  expect(refused('x'.repeat(100_000)).message.length).toBeLessThan(200);
});

test('a name that no server could have is refused although there is one', () => {
  expect(refused('a\nb', { own: own('default', 'any') })).toMatchObject({ class: 'not_found' });
});

test('a model that answers questions makes no vectors', () => {
  const error = refused('kimi-k3', { own: own('default', 'any') });
  expect(error).toMatchObject({ class: 'not_found', field: 'model' });
  expect(error.message).toBe('kimi-k3 answers questions and makes no embeddings.');
});

test('with nobody at all it is said what to set up', () => {
  expect(refused('auto', { obstacle: noKey })).toMatchObject({
    class: 'not_configured',
    message: 'Nobody can make embeddings: embedding-3 cannot be asked, exai keys add glm.',
    fix: 'exai keys add glm, or set CUSTOM_API_URL to a server that has a model for them.',
  });
  expect(refused('auto', { known: [] }).message).toBe('Nobody can make embeddings.');
});

test('a name that the settings gave a meaning is told with it, also where nobody is called so', () => {
  const because = (model: string) =>
    pickEmbedding({ model, namedAs: 'text-embedding-3-small' }, world()).because;
  expect(because('embedding-3')).toBe('text-embedding-3-small means embedding-3 (gateway.models).');
  expect(because('auto')).toMatch(/^text-embedding-3-small means auto \(gateway\.models\)\. /);
  expect(() => because('embedding-99')).toThrow(
    'gateway.models says that "text-embedding-3-small" means "embedding-99", and no such model makes embeddings.',
  );
});

test('what one’s own server does not know can be given a meaning, unless nobody named it', () => {
  const server = assumeModel('ada', 'custom');
  const fix = 'ollama pull ada';
  const error = new CallError('not_found', 'Ollama does not know it.', { fix, model: 'ada' });
  const told = withMeaningFix(error, server, { model: 'ada' });
  expect(told).toMatchObject({
    class: 'not_found',
    message: error.message,
    model: 'ada',
    fix: 'ollama pull ada; or gateway.models can give it a meaning: ada=auto.',
  });
  expect(withMeaningFix(error, server, { model: ' Auto ' })).toBe(error);
  expect(withMeaningFix(error, assumeModel('ada', 'glm'), { model: 'ada' })).toBe(error);
  const slow = new CallError('timeout', 'Slow.');
  expect(withMeaningFix(slow, server, { model: 'ada' })).toBe(slow);
});
