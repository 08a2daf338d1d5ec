import { expect, test } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import type { GatewayModels } from '#core/llm/gateway.ts';
import { writeAnthropicModel, writeAnthropicModels } from './models.ts';

const MODELS: GatewayModels = {
  models: [
    { id: 'auto', title: 'Whoever suits', provider: 'exai', createdAtMs: 0 },
    {
      id: 'kimi-k3',
      title: 'Kimi K3',
      provider: 'kimi',
      createdAtMs: 1_760_054_749_591,
      contextTokens: 1_000_000,
      maxOutputTokens: 128_000,
    },
  ],
};
const AUTO = {
  type: 'model',
  id: 'auto',
  display_name: 'Whoever suits',
  created_at: '1970-01-01T00:00:00.000Z',
  lifecycle: 'active',
  deprecated_at: null,
  retires_at: null,
  line: null,
  max_input_tokens: null,
  max_tokens: null,
  capabilities: null,
};
const KIMI = {
  ...AUTO,
  id: 'kimi-k3',
  display_name: 'Kimi K3',
  created_at: '2025-10-10T00:05:49.591Z',
  max_input_tokens: 1_000_000,
  max_tokens: 128_000,
};

test('the models are listed on one page', () => {
  expect(JSON.parse(writeAnthropicModels(MODELS))).toEqual({
    data: [AUTO, KIMI],
    has_more: false,
    first_id: 'auto',
    last_id: 'kimi-k3',
  });
  expect(JSON.parse(writeAnthropicModels({ models: [] }))).toEqual({
    data: [],
    has_more: false,
    first_id: null,
    last_id: null,
  });
});

test('one model is found by its id, and another is not', () => {
  expect(JSON.parse(writeAnthropicModel(MODELS, 'kimi-k3'))).toEqual(KIMI);
  expect(() => writeAnthropicModel(MODELS, '__proto__')).toThrow(CallError);
});
