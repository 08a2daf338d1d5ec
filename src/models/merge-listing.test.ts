import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { notice } from '#core/messages/notices.ts';
import type { ProviderModel } from '#core/llm/provider.ts';
import { verifies } from '../../test/verifies.ts';
import { createCatalogue } from './catalogue.ts';
import { retiringSoon } from './retiring-soon.ts';
import { mergeListing } from './merge-listing.ts';
import { readOverlay } from './overlay.schema.ts';

const TODAY = '2026-11-15';
const fresh = createCatalogue();
const ids = (provider: string) =>
  fresh.models.filter((each) => each.provider === provider && each.state === 'live');
const kimiAsKnown: readonly ProviderModel[] = ids('kimi').map(({ id }) => ({ id }));
const without = (id: string) => kimiAsKnown.filter((each) => each.id !== id);

describe('a provider’s list', () => {
  test('that says what is known changes nothing', () => {
    const { overlay, changes, notices } = mergeListing(fresh, 'kimi', kimiAsKnown, TODAY);
    expect([changes, notices]).toEqual([[], []]);
    expect(createCatalogue(overlay).find('kimi-k3')).toMatchObject({ asOf: TODAY, state: 'live' });
  });

  verifies('models:refresh', 'brings new models, with what it says of them', () => {
    const novel = { id: 'kimi-k4', contextTokens: 2_097_152, images: true, thinking: true };
    const { overlay, changes } = mergeListing(fresh, 'kimi', [...kimiAsKnown, novel], TODAY);
    expect(changes).toEqual([
      { is: 'new', provider: 'kimi', id: 'kimi-k4', text: '2097152 tokens of context' },
    ]);
    expect(createCatalogue(overlay).resolve('Kimi-K4')).toMatchObject({
      is: 'found',
      model: {
        id: 'kimi-k4',
        contextTokens: 2_097_152,
        input: ['text', 'image'],
        confidence: 'medium',
        origin: 'listed',
      },
    });
  });

  verifies('models:refresh', 'corrects windows and prices', () => {
    const price = { input: 900_000, output: 3_500_000 };
    const listed = [
      ...without('kimi-k2.6'),
      { id: 'kimi-k2.6', contextTokens: 16_384, price, video: false },
    ];
    const { overlay, changes } = mergeListing(fresh, 'kimi', listed, TODAY);
    expect(changes).toHaveLength(1);
    expect(changes[0]?.text).toContain('context 262144 → 16384');
    expect(createCatalogue(overlay).find('kimi-k2.6')).toMatchObject({
      contextTokens: 16_384,
      maxOutputTokens: 16_384,
      price: { ...price, cached: 900_000 },
      input: ['text', 'image'],
      thinking: { control: 'switch' },
    });
  });

  verifies('models:refresh', 'marks what it has no more, which stays and may return', () => {
    const first = mergeListing(fresh, 'kimi', without('kimi-k3'), TODAY);
    expect(first.changes).toMatchObject([{ is: 'missing', id: 'kimi-k3' }]);
    const after = createCatalogue(first.overlay);
    expect(after.find('kimi-k3')).toMatchObject({
      state: 'live',
      missingSince: TODAY,
      note: 'kimi has not listed it since 2026-11-15; it may be switched off.',
    });

    const second = mergeListing(after, 'kimi', without('kimi-k3'), '2027-03-01');
    expect(second.changes).toEqual([]);
    expect(createCatalogue(second.overlay).find('kimi-k3')?.missingSince).toBe(TODAY);

    const third = mergeListing(createCatalogue(second.overlay), 'kimi', kimiAsKnown, '2027-03-02');
    expect(third.changes).toMatchObject([{ is: 'returned', id: 'kimi-k3' }]);
    expect(createCatalogue(third.overlay).find('kimi-k3')).not.toHaveProperty('missingSince');
  });

  test('without a model whose announced end is past retires it', () => {
    const listed = without('kimi-k2.6');
    const { overlay, changes } = mergeListing(fresh, 'kimi', listed, '2027-01-02');
    expect(changes).toMatchObject([{ is: 'retired', id: 'kimi-k2.6' }]);
    expect(createCatalogue(overlay).resolve('kimi-k2.5')).toMatchObject({
      model: { id: 'kimi-k3' },
    });
    expect(createCatalogue(overlay).resolve('kimi-k2.6')).toMatchObject({
      notice: notice('model_retired', {
        model: 'kimi-k2.6',
        successor: 'kimi-k3',
        until: '2026-12-31',
      }),
    });
  });

  test('that has a retired model brings it back', () => {
    const listed = [...kimiAsKnown, { id: 'moonshot-v1-8k' }];
    const { overlay, changes } = mergeListing(fresh, 'kimi', listed, TODAY);
    expect(changes).toMatchObject([{ is: 'returned', id: 'moonshot-v1-8k' }]);
    const back = createCatalogue(overlay);
    expect(back.resolve('moonshot-v1-8k')).toMatchObject({
      model: { id: 'moonshot-v1-8k', state: 'live' },
    });
    const again = mergeListing(back, 'kimi', kimiAsKnown, '2026-12-01');
    expect(again.changes).toMatchObject([{ is: 'retired', id: 'moonshot-v1-8k' }]);
    expect(createCatalogue(again.overlay).find('moonshot-v1-8k')?.state).toBe('retired');
  });

  test('drops models known only from it after a month', () => {
    const first = mergeListing(fresh, 'custom', [{ id: 'a' }, { id: 'b' }], '2026-10-01');
    const second = mergeListing(
      createCatalogue(first.overlay),
      'custom',
      [{ id: 'a' }],
      '2026-10-02',
    );
    expect(second.changes).toMatchObject([{ is: 'missing', id: 'b' }]);
    const third = mergeListing(
      createCatalogue(second.overlay),
      'custom',
      [{ id: 'a' }],
      '2026-11-02',
    );
    expect(third.changes).toMatchObject([{ is: 'gone', id: 'b' }]);
    expect(createCatalogue(third.overlay).find('b')).toBeUndefined();
  });

  test('touches no other provider', () => {
    const first = mergeListing(fresh, 'custom', [{ id: 'kimi-k3', contextTokens: 4_096 }], TODAY);
    const both = createCatalogue(first.overlay);
    expect(both.find('kimi-k3', 'custom')?.contextTokens).toBe(4_096);
    expect(both.find('kimi-k3', 'kimi')?.contextTokens).toBe(1_048_576);
    expect(both.resolve('kimi-k3')).toMatchObject({ model: { provider: 'kimi' } });
    const second = mergeListing(both, 'kimi', kimiAsKnown, TODAY);
    expect(createCatalogue(second.overlay).find('kimi-k3', 'custom')).toBeDefined();
  });

  test('that is empty, or has nothing that chats, is not believed', () => {
    for (const listed of [[], [{ id: 'embedding-3' }], [{ id: 'a\u0000b' }]]) {
      const { overlay, changes, notices } = mergeListing(fresh, 'glm', listed, TODAY);
      expect([overlay, changes]).toEqual([fresh.overlay, []]);
      expect(notices.at(-1)).toEqual(notice('listing_empty', { provider: 'glm' }));
    }
  });

  test('is bounded, and what cannot be true is left out', () => {
    const flood = Array.from({ length: 5_000 }, (_, index) => ({ id: `m${index}` }));
    const { overlay, notices } = mergeListing(fresh, 'openrouter', flood, TODAY);
    expect(overlay).toHaveLength(2_000);
    expect(notices).toEqual([
      notice('listing_cut', { provider: 'openrouter', count: 5000, limit: 2000 }),
    ]);
    const wrong = [
      { id: 'm', contextTokens: -1, maxOutputTokens: 1e30, price: { input: NaN, output: 1 } },
      { id: 'M', contextTokens: 5 },
      { id: '__proto__', contextTokens: 1.5 },
    ];
    const merged = mergeListing(fresh, 'openrouter', wrong, TODAY);
    expect(merged.overlay).toEqual([
      { provider: 'openrouter', id: 'm', seenOn: TODAY },
      { provider: 'openrouter', id: '__proto__', seenOn: TODAY },
    ]);
    expect(createCatalogue(merged.overlay).find('__proto__')?.contextTokens).toBe(32_768);
  });

  verifies('models:refresh', 'merged twice reports nothing new, and survives being stored', () => {
    const listed = fc.array(
      fc.record(
        {
          id: fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('kimi-k3', 'kimi-latest')),
          contextTokens: fc.oneof(fc.integer(), fc.double()),
          maxOutputTokens: fc.integer(),
          images: fc.boolean(),
          tools: fc.boolean(),
          price: fc.record({ input: fc.integer(), output: fc.integer(), cached: fc.integer() }),
        },
        { requiredKeys: ['id'] },
      ),
    );
    fc.assert(
      fc.property(listed, (models) => {
        const once = mergeListing(fresh, 'kimi', models, TODAY);
        const kept = readOverlay(JSON.parse(JSON.stringify(once.overlay)));
        expect(kept).toEqual({ overlay: once.overlay });
        const twice = mergeListing(createCatalogue(kept.overlay), 'kimi', models, TODAY);
        expect(twice.changes).toEqual([]);
        expect(new Set(twice.overlay)).toEqual(new Set(once.overlay));
      }),
    );
  });
});

describe('a stored overlay', () => {
  test('and is damaged is left out with a notice', () => {
    const damaged = [
      null,
      'x',
      {},
      [{}],
      [{ provider: 'kimi', id: 'a\nb' }],
      [{ provider: 'No body', id: 'a' }],
      [{ provider: '__proto__', id: 'a' }],
      [{ provider: 'kimi', id: 'a', seenOn: 'yesterday' }],
      [{ provider: 'kimi', id: 'a', more: 1 }],
      [{ provider: 'kimi', id: 'a', price: { input: 0.5, cached: 0, output: 0 } }],
    ];
    for (const json of damaged) {
      const { overlay, notice: told } = readOverlay(json);
      expect(overlay).toEqual([]);
      expect(told?.code).toBe('model_lists_damaged');
    }
  });
});

describe('ends that are near', () => {
  test('are found within the given days, the nearest first', () => {
    expect(retiringSoon(fresh, TODAY)).toEqual([]);
    const soon = retiringSoon(fresh, '2026-12-01');
    expect(soon.map(({ model, daysLeft }) => [model.id, daysLeft])).toEqual([
      ['kimi-k2.6', 30],
      ['kimi-k2.7-code', 30],
      ['kimi-k2.7-code-highspeed', 30],
    ]);
    expect(retiringSoon(fresh, '2027-01-10')[0]?.daysLeft).toBe(-10);
    expect(retiringSoon(fresh, TODAY, 60)).toHaveLength(3);
    expect(retiringSoon(fresh, 'no day')).toEqual([]);
  });
});
