import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { notice } from '#core/messages/notices.ts';
import { toAddedProviderId } from '#core/providers/added.ts';
import { CATALOGUE_FACTS } from '../../test/facts.ts';
import { verifies } from '../../test/verifies.ts';
import { otherUse } from './built-in.ts';
import { createCatalogue } from './catalogue.ts';
import file from './catalogue.json' with { type: 'json' };
import { catalogueSchema, type CatalogueData } from './catalogue.schema.ts';
import { nameKey } from './model-name.ts';

const catalogue = createCatalogue();
const answer = (name: string) => {
  const resolved = catalogue.resolve(name);
  return resolved.is === 'found' ? resolved.model.id : undefined;
};

describe('the file', () => {
  const data = catalogueSchema.parse(file);

  verifies('models:catalogue', 'has the shape that its schema tells', () => {
    expect(data).toEqual(file);
  });

  const idsOf = (wrong: (model: CatalogueData['models'][number]) => boolean) =>
    data.models.filter(wrong).map(({ id }) => id);

  verifies('models:catalogue', 'names every model once, by whatever name', () => {
    const namesOf = (plan: string | undefined) =>
      data.models
        .filter((model) => model.plan === plan)
        .flatMap(({ id, aliases }) => [id, ...aliases])
        .map(nameKey);
    // A plan has other models than the platform, under names that users know from there.
    for (const names of [namesOf(undefined), namesOf('coding')])
      expect(names).toHaveLength(new Set(names).size);
    const names = [...namesOf(undefined), ...namesOf('coding')];
    expect(data.others.filter(({ id }) => names.includes(id))).toEqual([]);
    expect(names.filter((name) => otherUse(name) !== undefined)).toEqual([]);
  });

  verifies('models:catalogue', 'has a family for every model, and a model for every family', () => {
    const used = new Set(data.models.map(({ family }) => family));
    expect([...used].toSorted()).toEqual(Object.keys(data.families).toSorted());
  });

  verifies('models:catalogue', 'has successors that exist and end with a live model', () => {
    const byId = new Map(data.models.map((model) => [model.id, model]));
    for (const { id, provider } of data.models) {
      const chain = [id];
      let at = byId.get(id);
      while (at?.successor !== undefined && !chain.includes(at.successor)) {
        chain.push(at.successor);
        at = byId.get(at.successor);
      }
      expect({ chain, end: at }).toMatchObject({ chain, end: { state: 'live', provider } });
      expect(at).not.toHaveProperty('successor');
    }
  });

  verifies('models:catalogue', 'says why a retired model is, and what takes its place', () => {
    const isExplained = ({ until, reason, successor, asOf }: CatalogueData['models'][number]) =>
      successor !== undefined && (until === undefined ? reason !== undefined : until <= asOf);
    expect(idsOf((model) => model.state === 'retired' && !isExplained(model))).toEqual([]);
    const live = data.models.filter(({ state }) => state === 'live');
    expect(live.filter(({ reason }) => reason !== undefined)).toEqual([]);
    const ending = live.filter(({ until }) => until !== undefined);
    expect(ending.filter(({ until = '', asOf }) => until <= asOf)).toEqual([]);
    expect(ending.filter(({ successor }) => successor === undefined)).toEqual([]);
  });

  verifies('models:catalogue', 'has figures that fit each other', () => {
    expect(idsOf((model) => model.maxOutputTokens > model.contextTokens)).toEqual([]);
    expect(idsOf(({ input }) => !input.includes('text'))).toEqual([]);
    expect(idsOf(({ input }) => new Set(input).size < input.length)).toEqual([]);
    expect(idsOf(({ since = '', until = '9999' }) => since >= until)).toEqual([]);
    for (const { thinking } of Object.values(data.families)) {
      expect(thinking.default).toBe(thinking.control === 'never' ? 'off' : 'on');
    }
  });
});

describe('the figures', () => {
  for (const { model, has, source, asOf } of CATALOGUE_FACTS) {
    verifies('models:catalogue', `of ${model} follow ${source}: ${Object.keys(has).join()}`, () => {
      expect(catalogue.find(model)).toMatchObject(has);
      expect((catalogue.find(model)?.asOf ?? '') >= asOf).toBe(true);
    });
  }
});

describe('the models of a plan', () => {
  const coding = createCatalogue([], { plans: { kimi: 'coding' } });

  verifies('models:catalogue', 'are those of its address, under the names of the platform', () => {
    const ids = coding.models.filter(({ provider }) => provider === 'kimi').map(({ id }) => id);
    expect(ids).toEqual(['k3', 'k3-256k', 'kimi-for-coding', 'kimi-for-coding-highspeed']);
    const names = { kimi: 'k3', 'kimi-k3': 'k3', 'kimi-k2.6': 'kimi-for-coding' };
    for (const [name, id] of Object.entries(names))
      expect(coding.resolve(name)).toMatchObject({ is: 'found', model: { id } });
    expect(coding.find('glm-5.3')).toBeDefined();
  });

  test('stay with those of added providers when listings change', () => {
    const provider = toAddedProviderId('groq');
    if (!provider) throw new Error('groq is not a name of a provider.');
    const added = [{ provider, models: [{ id: 'fast-1' }], unnamed: 'none' }] as const;
    const both = createCatalogue([], { plans: { kimi: 'coding' }, added }).withOverlay([]);
    expect(both.find('k3', 'kimi')).toBeDefined();
    expect(both.find('fast-1', provider)).toBeDefined();
    expect(both.added).toBe(added);
  });

  test('are none of the platform', () => {
    expect(catalogue.models.filter(({ plan }) => plan !== undefined)).toEqual([]);
    expect(answer('kimi-for-coding')).toBe('kimi-k2.7-code');
  });
});

describe('the models', () => {
  test('come live ones first, in the order of their providers', () => {
    const order = catalogue.models.map(({ state, provider }) => `${state} ${provider}`);
    expect([...new Set(order)]).toEqual(['live kimi', 'live glm', 'retired kimi', 'retired glm']);
  });

  const policies = [
    ['kimi-k3', 'always', ['low', 'high', 'max'], 'fixed'],
    ['kimi-k2.6', 'switch', [], 'fixed'],
    ['kimi-k2.7-code', 'always', [], 'fixed'],
    ['moonshot-v1-8k', 'never', [], { min: 0, max: 1 }],
    ['glm-4.5', 'switch', [], { min: 0, max: 1 }],
    ['glm-5.1', 'switch', [], { min: 0, max: 1 }],
    ['glm-5.2', 'switch', ['high', 'max'], { min: 0, max: 1 }],
    ['glm-5.3-flash', 'always', ['low', 'high', 'max'], { min: 0, max: 1 }],
  ] as const;
  for (const [id, control, efforts, temperature] of policies) {
    test(`have the policies of their vendor: ${id}`, () => {
      const model = catalogue.find(id);
      expect(model?.thinking).toMatchObject({ control, efforts });
      expect(model?.sampling.temperature).toEqual(temperature);
      const isKimi = model?.provider === 'kimi';
      const forced = id === 'kimi-k3' ? 'required_thinking' : 'unless_thinking';
      expect(model?.toolChoice).toBe(isKimi ? forced : 'auto');
      expect(model?.json).toBe(isKimi ? 'schema' : 'object');
      expect([model?.maxStops, model?.maxTools]).toEqual([isKimi ? 5 : 1, 128]);
    });
  }

  test('that cannot use tools say so', () => {
    expect(catalogue.find('kimi-thinking-preview')?.tools).toBe('no');
  });

  test('are found by their very id, retired or not, at their provider alone', () => {
    expect(catalogue.find('kimi-latest')?.state).toBe('retired');
    expect(catalogue.find('KIMI-K3', 'kimi')?.id).toBe('kimi-k3');
    expect(catalogue.find('kimi-k3', 'glm')).toBeUndefined();
    expect(catalogue.find('kimi')).toBeUndefined();
    expect(catalogue.find('__proto__')).toBeUndefined();
  });
});

/** Every name of a model in what the system was asked for in, and in what it grew out of. */
const ORIGINALS = {
  'GLM-4.5-Flash': 'glm-4.5-flash',
  'GLM4.5-Flash': 'glm-4.5-flash',
  'GLM-4.5': 'glm-4.5',
  'glm-4.5-air': 'glm-4.5-air',
  'glm-4.5-x': 'glm-4.5-x',
  'GLM-4v': 'glm-4.6v',
  'glm-4.5v': 'glm-4.6v',
  'glm-4.6': 'glm-4.6',
  'GLM-4.6V': 'glm-4.6v',
  'glm-5.3-flash': 'glm-5.3-flash',
  'Kimi K2': 'kimi-k3',
  'kimi-k2': 'kimi-k3',
  'kimi-k2-0711-preview': 'kimi-k3',
  'kimi-k2-0905-preview': 'kimi-k3',
  'kimi-k2-turbo-preview': 'kimi-k3',
  'kimi-k2-turbo': 'kimi-k3',
  'kimi-k2-0905': 'kimi-k3',
  'kimi-thinking-preview': 'kimi-k3',
  'kimi-latest': 'kimi-k3',
  'Kimi latest': 'kimi-k3',
  'kimi-latest-8k': 'kimi-k3',
  'kimi-latest-32k': 'kimi-k3',
  'kimi-latest-128k': 'kimi-k3',
  'moonshot-v1-8k': 'kimi-k3',
  'moonshot-v1-32k': 'kimi-k3',
  'moonshot-v1-128k': 'kimi-k3',
  'moonshot-v1-8k-vision-preview': 'kimi-k3',
  'moonshot-v1-32k-vision-preview': 'kimi-k3',
  'moonshot-v1-128k-vision-preview': 'kimi-k3',
  'moonshotai/kimi-k2': 'kimi-k3',
  'z-ai/glm-4.6': 'glm-4.6',
  'zhipuai/glm-4.5-flash': 'glm-4.5-flash',
};

describe('a name', () => {
  for (const [name, id] of Object.entries(ORIGINALS)) {
    verifies('models:resolve', `of the originals resolves: ${name}`, () => {
      expect(answer(name)).toBe(id);
    });
  }

  verifies('models:resolve', 'of a retired model gives its successor, and says so', () => {
    expect(catalogue.resolve('kimi-k2-0905-preview')).toMatchObject({
      is: 'found',
      model: { id: 'kimi-k3', state: 'live' },
      notice: notice('model_retired', {
        model: 'kimi-k2-0905-preview',
        successor: 'kimi-k3',
        until: '2026-05-25',
      }),
    });
    expect(catalogue.resolve('Kimi K2')).toMatchObject({
      notice: { code: 'model_retired', params: { name: 'Kimi K2', model: 'kimi-k2-0905-preview' } },
    });
    expect(catalogue.resolve('moonshot-v1-8k')).toMatchObject({
      notice: notice('model_retired', {
        model: 'moonshot-v1-8k',
        successor: 'kimi-k3',
        reason: 'off by September 2026',
      }),
    });
  });

  test('of a live model comes without a notice', () => {
    const resolved = catalogue.resolve('glm-5.3');
    expect(resolved).not.toHaveProperty('notice');
  });

  test('may have blanks around it, any case and its vendor before it', () => {
    expect(answer('  KIMI-K3 ')).toBe('kimi-k3');
    expect(answer('kimi_k3')).toBe('kimi-k3');
    expect(answer('MoonshotAI/Kimi-K3')).toBe('kimi-k3');
    expect(answer('zai-org/GLM-5.3')).toBe('glm-5.3');
  });

  test('with the vendor of another or an unknown provider is unknown', () => {
    expect(answer('z-ai/kimi-k3')).toBeUndefined();
    expect(answer('openai/kimi-k3')).toBeUndefined();
    expect(answer('z-ai/glm-4.5-air:free')).toBeUndefined();
    expect(answer('z-ai/z-ai/glm-4.6')).toBeUndefined();
  });

  verifies('models:resolve', 'that is unknown comes with the nearest', () => {
    expect(catalogue.resolve('kimi-k33')).toEqual({ is: 'unknown', nearest: 'kimi-k3' });
    expect(catalogue.resolve('glm-4.7-flas')).toEqual({ is: 'unknown', nearest: 'glm-4.7-flash' });
    expect(catalogue.resolve('moonshotai/kimi-k33')).toEqual({ is: 'unknown', nearest: 'kimi-k3' });
    expect(catalogue.resolve('something-else-entirely')).toEqual({ is: 'unknown' });
  });

  test('that is no name at all is unknown', () => {
    const hostile = [
      '',
      ' ',
      '/',
      'kimi-k3\u0000',
      'kimi\nk3',
      '\ud800',
      '__proto__',
      'constructor',
      'toString',
      'x'.repeat(10_000_000),
      '/'.repeat(100_000),
      'kimi-k3'.repeat(1_000),
    ];
    for (const name of hostile) expect(answer(name)).toBeUndefined();
    for (const wrong of [undefined, null, 1, {}, ['kimi-k3']]) {
      expect(catalogue.resolve(wrong as unknown as string)).toEqual({ is: 'unknown' });
    }
  });

  test('never throws, and what is found is live', () => {
    const known = catalogue.models.flatMap(({ id, aliases }) => [id, ...aliases]);
    const name = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(...known),
      fc
        .tuple(fc.constantFrom('moonshotai', 'z-ai', ''), fc.constantFrom(...known))
        .map(([vendor, rest]) => `${vendor}/${rest}`),
    );
    fc.assert(
      fc.property(name, (given) => {
        const resolved = catalogue.resolve(given);
        expect(resolved.is === 'unknown' || resolved.model.state === 'live').toBe(true);
      }),
    );
  });
});

test('models for something else than chat are not in the catalogue', () => {
  for (const id of ['embedding-3', 'glm-ocr', 'cogview-4', 'nomic-embed-text:latest']) {
    expect(catalogue.find(id)).toBeUndefined();
    expect(otherUse(id)).toBeDefined();
  }
  expect(otherUse('Embedding-3')).toBe('embedding');
  expect(otherUse('llama3.3')).toBeUndefined();
});
