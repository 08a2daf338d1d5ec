import { expect } from 'vitest';
import { USUAL_TIMEOUTS } from '#core/llm/stream-timeouts.ts';
import { verifies } from '../../test/verifies.ts';
import { createCatalogue } from './catalogue.ts';
import { modelTimeouts } from './timeouts.ts';

const catalogue = createCatalogue();

function limits(id: string, mode?: 'on' | 'off', settings = USUAL_TIMEOUTS) {
  const model = catalogue.find(id);
  if (!model) throw new Error(`The catalogue has no ${id}.`);
  const { firstTokenMs, idleMs } = modelTimeouts(model, mode && { mode }, settings);
  return [firstTokenMs, idleMs];
}

verifies('ask:model-timeouts', 'models that think have minutes, others the usual', () => {
  expect(limits('kimi-k3')).toEqual([300_000, 120_000]);
  expect(limits('glm-5.3')).toEqual([600_000, 120_000]);
  expect(limits('kimi-k2.6')).toEqual([300_000, 120_000]);
  expect(limits('kimi-k2.6', 'off')).toEqual([60_000, 30_000]);
  // It cannot be switched off.
  expect(limits('kimi-k3', 'off')).toEqual([300_000, 120_000]);
  expect(limits('glm-4-32b-0414-128k')).toEqual([60_000, 30_000]);
});

verifies('ask:model-timeouts', 'a changed setting applies to all models', () => {
  expect(limits('glm-5.3', 'on', { firstTokenMs: 5000, idleMs: 30_000 })).toEqual([5000, 120_000]);
  expect(limits('glm-5.3', 'on', { firstTokenMs: 60_000, idleMs: 1000 })).toEqual([600_000, 1000]);
});
