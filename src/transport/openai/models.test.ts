import { expect, test } from 'vitest';
import type { GatewayModels } from '#core/llm/gateway.ts';
import { errorClassAndField } from '../gateway/thrown-error.fixture.ts';
import { writeOpenAiModel, writeOpenAiModels } from './models.ts';

const listed: GatewayModels = {
  models: [
    { id: 'auto', title: 'EX-AI chooses', provider: 'exai', createdAtMs: 0 },
    {
      id: 'kimi-k3',
      title: 'Kimi K3',
      provider: 'kimi',
      createdAtMs: 1_700_000_000_500,
      contextTokens: 262_144,
      maxOutputTokens: 32_768,
    },
  ],
};

const auto = { id: 'auto', object: 'model', created: 0, owned_by: 'exai' };
const kimi = {
  id: 'kimi-k3',
  object: 'model',
  created: 1_700_000_000,
  owned_by: 'kimi',
  context_window: 262_144,
  max_output_tokens: 32_768,
};

test('models are listed with their properties', () => {
  expect(JSON.parse(writeOpenAiModels(listed))).toEqual({ object: 'list', data: [auto, kimi] });
});

test('one model is found by its id alone', () => {
  expect(JSON.parse(writeOpenAiModel(listed, 'kimi-k3'))).toEqual(kimi);
  for (const id of ['', 'kimi', '__proto__', 'x'.repeat(10_000)])
    expect(errorClassAndField(() => writeOpenAiModel(listed, id))).toBe('not_found model');
});
