import { describe, expect, test } from 'vitest';
import { findGatewayModel, readModelName } from './model-name.ts';
import { errorClassAndField, thrownError } from './thrown-error.fixture.ts';

describe('readModelName', () => {
  test('a missing or empty name is auto', () => {
    expect([undefined, null, '', 'auto', 'kimi-k3'].map(readModelName)).toEqual([
      'auto',
      'auto',
      'auto',
      'auto',
      'kimi-k3',
    ]);
  });

  test('an invalid name is rejected', () => {
    for (const value of [5, {}, ['auto'], 'm'.repeat(257)])
      expect(errorClassAndField(() => readModelName(value))).toBe('validation model');
    expect(readModelName('m'.repeat(256))).toHaveLength(256);
  });
});

describe('findGatewayModel', () => {
  test('a model is found by its whole id, and one that is not there is named shortly', () => {
    const kimi = { id: 'kimi-k3', title: 'Kimi K3', provider: 'kimi', createdAtMs: 0 } as const;
    const listed = { models: [kimi] };
    expect(findGatewayModel(listed, 'kimi-k3')).toBe(kimi);
    const { class: errorClass, message = '' } =
      thrownError(() => findGatewayModel(listed, `\n${'x'.repeat(10_000)}`)) ?? {};
    expect([errorClass, message.length < 140, message.includes('\n')]).toEqual([
      'not_found',
      true,
      false,
    ]);
  });
});
