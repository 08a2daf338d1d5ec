import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import type { ProviderId } from '#core/llm/provider.ts';
import { createCatalogue } from '#models/catalogue.ts';
import type { ModelStatus } from '#models/model-directory.ts';
import type { Model } from '#models/model.ts';
import { DIRECTORY, directoryWith } from './consensus.fixture.ts';
import { choosePanel } from './panel.ts';

const sample = createCatalogue().find('glm-5.3') as Model;

const PLAIN_QUESTION = { withImages: false };
type Given = Partial<Model> & { roles?: readonly string[]; isUsable?: boolean };

function standing({ roles = [], isUsable = true, ...more }: Given): ModelStatus {
  return { model: { ...sample, ...more }, isUsable, roles };
}

/** Of two models with one name it resolves to the first. */
function directoryOf(models: readonly ModelStatus[]) {
  return {
    ...DIRECTORY,
    models: () => models,
    resolve(name: string) {
      const found = models.find(({ model }) => model.id === name);
      return found ? ({ is: 'found', model: found.model } as const) : ({ is: 'unknown' } as const);
    },
  };
}

const KIMI = standing({ provider: 'kimi', id: 'kimi-k3', roles: ['kimiQuality'] });
const GLM = standing({ provider: 'glm', id: 'glm-5.3', roles: ['glmQuality'] });
const QUICK = standing({ provider: 'glm', id: 'glm-flash', roles: ['glmSpeed', 'manager'] });
const PLAIN = standing({ provider: 'kimi', id: 'kimi-k2.6', roles: ['kimiDefault', 'kimiSpeed'] });
const OWN = {
  provider: 'openrouter',
  id: 'acme/large',
  price: { input: 1, cached: 1, output: 1 },
} as const;

test('the strongest of each provider come first, then the next strongest', () => {
  expect(choosePanel(DIRECTORY, PLAIN_QUESTION)).toEqual(['kimi-k3', 'glm-5.3', 'kimi-k2.6']);
  expect(choosePanel(directoryOf([QUICK, PLAIN, GLM, KIMI]), PLAIN_QUESTION)).toEqual([
    'glm-5.3',
    'kimi-k3',
    'kimi-k2.6',
  ]);
});

test('another provider comes before a second model of the same one', () => {
  expect(choosePanel(directoryOf([KIMI, PLAIN, GLM, standing(OWN)]), PLAIN_QUESTION)).toEqual([
    'kimi-k3',
    'glm-5.3',
    'acme/large',
  ]);
});

test('no model is chosen that costs more than those with a role, while there are others', () => {
  const dear = standing({ ...OWN, price: { input: 1, cached: 1, output: 10 ** 9 } });
  const { price: _, ...unknown } = sample;
  const unpriced: ModelStatus = {
    model: { ...unknown, provider: 'openrouter', id: 'acme/unpriced' },
    isUsable: true,
    roles: [],
  };
  expect(choosePanel(directoryOf([dear, unpriced, KIMI, PLAIN, GLM]), PLAIN_QUESTION)).toEqual([
    'kimi-k3',
    'glm-5.3',
    'kimi-k2.6',
  ]);
  expect(choosePanel(directoryOf([dear, KIMI]), PLAIN_QUESTION)).toEqual(['kimi-k3', 'acme/large']);
});

test('one model by two ways is one opinion', () => {
  const routed = standing({ ...OWN, id: 'moonshotai/Kimi-K3' });
  expect(choosePanel(directoryOf([routed, KIMI, GLM]), PLAIN_QUESTION)).toEqual([
    'kimi-k3',
    'glm-5.3',
  ]);
});

test('a name that means another model is not used', () => {
  const shadowed = standing({ provider: 'custom', id: 'kimi-k3' });
  const panel = choosePanel(directoryOf([KIMI, shadowed, GLM]), PLAIN_QUESTION);
  expect(panel).toEqual(['kimi-k3', 'glm-5.3']);
});

test('images go to models that accept them', () => {
  const seeing = (given: ModelStatus): ModelStatus => ({
    ...given,
    model: { ...given.model, input: ['text', 'image'] },
  });
  const blind = (given: ModelStatus): ModelStatus => ({
    ...given,
    model: { ...given.model, input: ['text'] },
  });
  const modelDirectory = directoryOf([blind(KIMI), seeing(PLAIN), seeing(QUICK), blind(GLM)]);
  expect(choosePanel(modelDirectory, { withImages: true })).toEqual(['kimi-k2.6', 'glm-flash']);
  expect(() => choosePanel(directoryOf([blind(KIMI), blind(GLM)]), { withImages: true })).toThrow(
    expect.objectContaining({ class: 'not_configured', fix: 'Leave out images.' }),
  );
});

test('with one model, or none, the error says what to do', () => {
  expect(() => choosePanel(directoryWith({ 'kimi-k3': ['kimiQuality'] }), PLAIN_QUESTION)).toThrow(
    expect.objectContaining({
      class: 'not_configured',
      field: 'models',
      message: 'A consensus needs two models, and kimi-k3 is the only one that can be asked.',
      fix: 'Add a key with: exai keys add glm. Or name kimi-k3 twice in models with the stances for and against.',
    }),
  );
  expect(() => choosePanel(directoryOf([]), PLAIN_QUESTION)).toThrow(
    expect.objectContaining({ class: 'not_configured', message: 'No model can be asked.' }),
  );
});

/** The only error it may throw. */
function panelOrClass(
  modelDirectory: ReturnType<typeof directoryOf>,
): readonly string[] | 'not_configured' {
  try {
    return choosePanel(modelDirectory, PLAIN_QUESTION);
  } catch (thrown) {
    if (thrown instanceof CallError && thrown.class === 'not_configured') return thrown.class;
    throw thrown;
  }
}

test('whatever there is, the panel is two or three different models that can be used', () => {
  const model = fc.record({
    provider: fc.constantFrom<ProviderId>('kimi', 'glm', 'custom', 'openrouter', 'extractive'),
    id: fc.constantFrom('a', 'b', 'c', 'x/a', 'y/d', 'e', 'f'),
    roles: fc.subarray(['kimiQuality', 'glmQuality', 'kimiDefault', 'glmSpeed', 'vision']),
    isUsable: fc.boolean(),
    state: fc.constantFrom('live' as const, 'retired' as const),
  });
  fc.assert(
    fc.property(
      fc.uniqueArray(model, { maxLength: 12, selector: ({ provider, id }) => `${provider} ${id}` }),
      (given) => {
        const modelDirectory = directoryOf(given.map(standing));
        const panel = panelOrClass(modelDirectory);
        if (panel === 'not_configured') return;
        expect([2, 3]).toContain(panel.length);
        const bases = panel.map((id) => id.split('/').at(-1));
        expect(new Set(bases).size).toBe(panel.length);
        for (const id of panel) {
          const meant = modelDirectory.models().find((each) => each.model.id === id);
          expect(meant).toMatchObject({ isUsable: true, model: { state: 'live' } });
          expect(meant?.model.provider).not.toBe('extractive');
        }
        expect(choosePanel(modelDirectory, PLAIN_QUESTION)).toEqual(panel);
      },
    ),
  );
});
