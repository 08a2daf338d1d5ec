import { expect, test } from 'vitest';
import { PROVIDER_IDS } from '#core/llm/provider.ts';
import { assumeModel } from './assume-model.ts';

test('an undescribed model gets conservative assumptions', () => {
  for (const provider of PROVIDER_IDS) {
    const model = assumeModel('x', provider);
    expect(model).toMatchObject({ id: 'x', provider, state: 'live', input: ['text'], aliases: [] });
    expect(model.confidence).toBe('low');
    expect(model).not.toHaveProperty('price');
    expect(model.maxOutputTokens).toBeLessThanOrEqual(model.contextTokens);
    expect(model.thinking.control).not.toBe('switch');
  }
});

test('a new model of Kimi or GLM gets no field that the vendor may refuse', () => {
  const kimi = assumeModel('kimi-k9', 'kimi');
  expect(kimi.sampling).toEqual({ temperature: 'fixed', topP: 'fixed', penalties: 'fixed' });
  expect(kimi.thinking).toMatchObject({ control: 'always', efforts: [] });
  expect(assumeModel('glm-9', 'glm')).toMatchObject({ toolChoice: 'auto', maxStops: 1 });
});

test('what the provider says of it is believed, where it can be true', () => {
  const facts = {
    id: 'vendor/model:free',
    contextTokens: 4_096,
    images: true,
    tools: false,
    thinking: true,
    price: { input: 10, output: 20, cached: 30 },
  };
  expect(assumeModel('vendor/model:free', 'openrouter', facts)).toMatchObject({
    contextTokens: 4_096,
    maxOutputTokens: 4_096,
    input: ['text', 'image'],
    tools: 'no',
    thinking: { control: 'switch', efforts: ['low', 'medium', 'high'] },
    price: { input: 10, cached: 10, output: 20 },
    confidence: 'medium',
  });
  const absurd = { id: 'x', contextTokens: Number.MAX_VALUE, maxOutputTokens: -1 };
  expect(assumeModel('x', 'custom', absurd)).toEqual(assumeModel('x', 'custom'));
});
