import { expect, test } from 'vitest';
import { findModel } from './find-model.ts';
import { thrownBy } from './refused.fixture.ts';

test('a model is found by its whole id, and one that is not there is named shortly', () => {
  const kimi = { id: 'kimi-k3', title: 'Kimi K3', provider: 'kimi', createdAtMs: 0 } as const;
  const listed = { models: [kimi] };
  expect(findModel(listed, 'kimi-k3')).toBe(kimi);
  const { class: errorClass, message = '' } =
    thrownBy(() => findModel(listed, `\n${'x'.repeat(10_000)}`)) ?? {};
  expect([errorClass, message.length < 140, message.includes('\n')]).toEqual([
    'not_found',
    true,
    false,
  ]);
});
