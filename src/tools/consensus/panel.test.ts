import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CallError } from '#core/call-error.ts';
import type { ProviderId } from '#core/provider.ts';
import { createCatalogue } from '#models/catalogue.ts';
import type { ModelStanding } from '#models/desk.ts';
import type { Model } from '#models/model.ts';
import { DESK, deskWith } from './consensus.fixture.ts';
import { choosePanel } from './panel.ts';

const sample = createCatalogue().find('glm-5.3') as Model;

type Given = Partial<Model> & { roles?: readonly string[]; usable?: 'yes' | 'no' };

function standing({ roles = [], usable = 'yes', ...more }: Given): ModelStanding {
  return { model: { ...sample, ...more }, usable, roles };
}

/** Of two with one name it means the first. */
function deskOf(models: readonly ModelStanding[]) {
  return {
    ...DESK,
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
  expect(choosePanel(DESK, 'no')).toEqual(['kimi-k3', 'glm-5.3', 'kimi-k2.6']);
  expect(choosePanel(deskOf([QUICK, PLAIN, GLM, KIMI]), 'no')).toEqual([
    'glm-5.3',
    'kimi-k3',
    'kimi-k2.6',
  ]);
});

test('another provider comes before a second model of the same one', () => {
  expect(choosePanel(deskOf([KIMI, PLAIN, GLM, standing(OWN)]), 'no')).toEqual([
    'kimi-k3',
    'glm-5.3',
    'acme/large',
  ]);
});

test('nobody is chosen who costs more than those that the settings name, while others are there', () => {
  const dear = standing({ ...OWN, price: { input: 1, cached: 1, output: 10 ** 9 } });
  const { price: _, ...unknown } = sample;
  const unpriced: ModelStanding = {
    model: { ...unknown, provider: 'openrouter', id: 'acme/unpriced' },
    usable: 'yes',
    roles: [],
  };
  expect(choosePanel(deskOf([dear, unpriced, KIMI, PLAIN, GLM]), 'no')).toEqual([
    'kimi-k3',
    'glm-5.3',
    'kimi-k2.6',
  ]);
  expect(choosePanel(deskOf([dear, KIMI]), 'no')).toEqual(['kimi-k3', 'acme/large']);
});

test('one model by two ways is one opinion', () => {
  const routed = standing({ ...OWN, id: 'moonshotai/Kimi-K3' });
  expect(choosePanel(deskOf([routed, KIMI, GLM]), 'no')).toEqual(['kimi-k3', 'glm-5.3']);
});

test('a name that means another model is not used', () => {
  const shadowed = standing({ provider: 'custom', id: 'kimi-k3' });
  const panel = choosePanel(deskOf([KIMI, shadowed, GLM]), 'no');
  expect(panel).toEqual(['kimi-k3', 'glm-5.3']);
});

test('pictures are shown to those who see them', () => {
  const seeing = (given: ModelStanding): ModelStanding => ({
    ...given,
    model: { ...given.model, input: ['text', 'image'] },
  });
  const blind = (given: ModelStanding): ModelStanding => ({
    ...given,
    model: { ...given.model, input: ['text'] },
  });
  const desk = deskOf([blind(KIMI), seeing(PLAIN), seeing(QUICK), blind(GLM)]);
  expect(choosePanel(desk, 'yes')).toEqual(['kimi-k2.6', 'glm-flash']);
  expect(() => choosePanel(deskOf([blind(KIMI), blind(GLM)]), 'yes')).toThrow(
    expect.objectContaining({ class: 'not_configured', fix: 'Leave images out.' }),
  );
});

test('with one model, or none, it is told what to do', () => {
  expect(() => choosePanel(deskWith({ 'kimi-k3': ['kimiQuality'] }), 'no')).toThrow(
    expect.objectContaining({
      class: 'not_configured',
      field: 'models',
      message: 'A consensus needs two models, and kimi-k3 is the only one that can be asked.',
      fix: 'exai keys add glm, or name kimi-k3 twice in models with the stances for and against.',
    }),
  );
  expect(() => choosePanel(deskOf([]), 'no')).toThrow(
    expect.objectContaining({ class: 'not_configured', message: 'No model can be asked.' }),
  );
});

/** The one way in which it may fail, by name. */
function panelOrClass(desk: ReturnType<typeof deskOf>): readonly string[] | 'not_configured' {
  try {
    return choosePanel(desk, 'no');
  } catch (thrown) {
    if (thrown instanceof CallError && thrown.class === 'not_configured') return thrown.class;
    throw thrown;
  }
}

test('whatever there is, the panel is two or three different models that can be used', () => {
  const model = fc.record({
    provider: fc.constantFrom<ProviderId>('kimi', 'glm', 'custom', 'openrouter', 'local'),
    id: fc.constantFrom('a', 'b', 'c', 'x/a', 'y/d', 'e', 'f'),
    roles: fc.subarray(['kimiQuality', 'glmQuality', 'kimiDefault', 'glmSpeed', 'vision']),
    usable: fc.constantFrom('yes' as const, 'no' as const),
    state: fc.constantFrom('live' as const, 'retired' as const),
  });
  fc.assert(
    fc.property(
      fc.uniqueArray(model, { maxLength: 12, selector: ({ provider, id }) => `${provider} ${id}` }),
      (given) => {
        const desk = deskOf(given.map(standing));
        const panel = panelOrClass(desk);
        if (panel === 'not_configured') return;
        expect([2, 3]).toContain(panel.length);
        const bases = panel.map((id) => id.split('/').at(-1));
        expect(new Set(bases).size).toBe(panel.length);
        for (const id of panel) {
          const meant = desk.models().find((each) => each.model.id === id);
          expect(meant).toMatchObject({ usable: 'yes', model: { state: 'live' } });
          expect(meant?.model.provider).not.toBe('local');
        }
        expect(choosePanel(desk, 'no')).toEqual(panel);
      },
    ),
  );
});
