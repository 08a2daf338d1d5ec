import { expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import { reason } from '#core/messages/reasons.ts';
import { assumeModel } from '#models/assume-model.ts';
import { EMBEDDING_MODELS } from '#models/built-in.ts';
import { createCatalogue } from '#models/catalogue.ts';
import { selectEmbeddingModel, withAliasHint, type EmbeddingState } from './embedding-model.ts';

const catalogue = createCatalogue();
const own = (id: string, is: 'set' | 'any') => ({ model: assumeModel(id, 'custom'), is }) as const;

function world(more: Partial<EmbeddingState> = {}): EmbeddingState {
  return {
    known: EMBEDDING_MODELS.map(({ id, provider }) => assumeModel(id, provider)),
    obstacle: () => undefined,
    resolve: (name) => catalogue.resolve(name),
    ...more,
  };
}

const noKey = (model: { provider: string }) =>
  model.provider === 'glm' ? reason('no_key', { provider: 'glm' }) : undefined;

function picked(name: string, more: Partial<EmbeddingState> = {}): string {
  const { model } = selectEmbeddingModel({ model: name }, world(more));
  return `${model.provider}/${model.id}`;
}

function refused(name: string, more: Partial<EmbeddingState> = {}): CallError {
  try {
    selectEmbeddingModel({ model: name }, world(more));
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

test('auto means the model configured for the user’s own server, or any model of it', () => {
  expect(picked('auto', { own: own('nomic-embed-text', 'set') })).toBe('custom/nomic-embed-text');
  expect(picked('auto', { own: own('default', 'any') })).toBe('glm/embedding-3');
  expect(picked('auto', { own: own('default', 'any'), obstacle: noKey })).toBe('custom/default');
});

test('a model that a list forbids is passed over by auto, and refused by its name', () => {
  const obstacle = ({ id }: { id: string }) =>
    id === 'embedding-3'
      ? reason('model_denied', { setting: 'models.deny.glm', pattern: 'embedding-3' })
      : undefined;
  expect(picked('auto', { obstacle })).toBe('glm/embedding-2');
  expect(refused('embedding-3', { obstacle })).toMatchObject({
    class: 'not_configured',
    field: 'model',
    message: 'embedding-3 cannot make embeddings: models.deny.glm has "embedding-3".',
  });
});

test('the user’s own server may have any model, with or without its prefix', () => {
  const server = { own: own('default', 'any') };
  expect(picked('mxbai-embed-large', server)).toBe('custom/mxbai-embed-large');
  expect(picked('custom/kimi-k3', server)).toBe('custom/kimi-k3');
  expect(picked('openai/clip', server)).toBe('custom/openai/clip');
});

test('without a server an unknown name is an error that lists the known ones', () => {
  for (const name of ['text-embedding-3-small', 'custom/nomic', '__proto__', 'a\nb']) {
    expect(refused(name)).toMatchObject({ class: 'not_found', field: 'model' });
  }
  expect(refused('text-embedding-3-small')).toMatchObject({
    message: 'There is no model "text-embedding-3-small" that makes embeddings.',
    fix: 'Name one of embedding-3, embedding-2, auto. gateway.aliases can give it a meaning: text-embedding-3-small=auto.',
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

test('without any model the error says what to set up', () => {
  expect(refused('auto', { obstacle: noKey })).toMatchObject({
    class: 'not_configured',
    reason: { code: 'no_embedding_model', params: { model: 'embedding-3' } },
    message: 'No model can make embeddings: embedding-3: it has no key: exai keys add glm.',
    fixes: [{ kind: 'add_key' }, { kind: 'set_setting', params: { setting: 'CUSTOM_API_URL' } }],
  });
  expect(refused('auto', { known: [] }).message).toBe('No model can make embeddings.');
});

test('an alias is reported with its model, also when no such model exists', () => {
  const writtenAs = 'text-embedding-3-small';
  const reasons = (model: string) =>
    selectEmbeddingModel({ model, namedAs: writtenAs }, world()).reasons;
  expect(reasons('embedding-3')).toEqual([
    reason('name_mapped', { writtenAs, model: 'embedding-3' }),
  ]);
  expect(reasons('auto')).toEqual([
    reason('name_mapped', { writtenAs, model: 'auto' }),
    reason('first_embedding_model', { model: 'embedding-3' }),
  ]);
  expect(() => reasons('embedding-99')).toThrow(
    'gateway.aliases says that "text-embedding-3-small" means "embedding-99", and no such model makes embeddings.',
  );
});

test('a name that the user’s own server does not know gets an alias hint, unless it was auto', () => {
  const server = assumeModel('ada', 'custom');
  const fix = 'ollama pull ada';
  const error = new CallError('not_found', 'Ollama does not know it.', { fix, model: 'ada' });
  const told = withAliasHint(error, server, { model: 'ada' });
  expect(told).toMatchObject({
    class: 'not_found',
    message: error.message,
    model: 'ada',
    fix: 'gateway.aliases can give it a meaning: ada=auto. ollama pull ada',
  });
  expect(withAliasHint(error, server, { model: ' Auto ' })).toBe(error);
  expect(withAliasHint(error, assumeModel('ada', 'glm'), { model: 'ada' })).toBe(error);
  const slow = new CallError('timeout', 'Slow.');
  expect(withAliasHint(slow, server, { model: 'ada' })).toBe(slow);
});
