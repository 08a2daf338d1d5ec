import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '#core/json/json.ts';
import { createTokenCalibration } from './token-calibration.ts';
import { verifies } from '../../../test/verifies.ts';

describe('the learned ratio of a model', () => {
  verifies(
    'context:corrections',
    'comes near the truth after a few large prompts, and stays out of other models',
    () => {
      const corrections = createTokenCalibration();
      for (let each = 0; each < 12; each++) corrections.learn('kimi', 'kimi-k2.6', 50_000, 60_000);
      expect(corrections.correction('kimi', 'kimi-k2.6')).toBeCloseTo(1.2, 2);
      expect(corrections.correction('glm', 'kimi-k2.6')).toBe(1);
      expect(corrections.correction('kimi', 'kimi-k3')).toBe(1);
    },
  );

  test('weighs large prompts more than small ones, and the smallest nothing', () => {
    const [large, small, tiny] = [
      createTokenCalibration(),
      createTokenCalibration(),
      createTokenCalibration(),
    ];
    large.learn('glm', 'glm-5.3', 100_000, 150_000);
    small.learn('glm', 'glm-5.3', 300, 450);
    tiny.learn('glm', 'glm-5.3', 199, 400);
    expect(large.correction('glm', 'glm-5.3')).toBeGreaterThan(1.1);
    expect(small.correction('glm', 'glm-5.3')).toBeLessThan(1.05);
    expect(small.correction('glm', 'glm-5.3')).toBeGreaterThan(1);
    expect(tiny.correction('glm', 'glm-5.3')).toBe(1);
    expect(tiny.isDirty).toBe(false);
  });

  test('stays between a half and three, and ignores implausible counts', () => {
    const corrections = createTokenCalibration();
    for (let each = 0; each < 100; each++) corrections.learn('glm', 'high', 1e6, 7e6);
    for (let each = 0; each < 100; each++) corrections.learn('glm', 'low', 1e6, 2e5);
    expect(corrections.correction('glm', 'high')).toBeCloseTo(3, 6);
    expect(corrections.correction('glm', 'low')).toBeCloseTo(0.5, 6);
    for (const real of [Number.NaN, Infinity, -5, 0, 9e9, 1]) {
      corrections.learn('glm', 'absurd', 100_000, real);
      corrections.learn('glm', 'absurd', real, 100_000);
    }
    expect(corrections.correction('glm', 'absurd')).toBe(1);
  });

  test('is stored and read again, and is dirty only after something changed', () => {
    const corrections = createTokenCalibration();
    expect(corrections.isDirty).toBe(false);
    corrections.learn('kimi', 'kimi-k3', 80_000, 100_000);
    expect(corrections.isDirty).toBe(true);
    const saved = JSON.parse(JSON.stringify(corrections.toJson())) as Json;
    expect(corrections.isDirty).toBe(false);
    const again = createTokenCalibration(saved);
    expect(again.isDirty).toBe(false);
    expect(again.correction('kimi', 'kimi-k3')).toBeCloseTo(
      corrections.correction('kimi', 'kimi-k3'),
      3,
    );
    const ratio = again.correction('kimi', 'kimi-k3');
    again.learn('kimi', 'kimi-k3', 80_000, 80_000 * ratio);
    expect(again.isDirty).toBe(false);
  });

  test('keeps the 256 models that learned last', () => {
    const corrections = createTokenCalibration();
    for (let each = 0; each < 1_000; each++) {
      corrections.learn('openrouter', `model-${each}`, 50_000, 70_000);
      corrections.learn('openrouter', 'busy', 50_000, 70_000);
    }
    expect(corrections.toJson()).toHaveLength(256);
    expect(corrections.correction('openrouter', 'busy')).toBeGreaterThan(1.1);
    expect(corrections.correction('openrouter', 'model-0')).toBe(1);
    expect(corrections.correction('openrouter', 'model-999')).toBeGreaterThan(1.1);
    corrections.learn('openrouter', 'x'.repeat(100_000), 50_000, 70_000);
    expect(corrections.correction('openrouter', 'x'.repeat(100_000))).toBe(1);
  });

  test('is not harmed by anything that may stand in the store', () => {
    const named = fc.tuple(
      fc.constantFrom('kimi', '__proto__', ''),
      fc.constantFrom('constructor', 'k'),
      fc.oneof(fc.double(), fc.jsonValue()),
    );
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.array(named)), (saved) => {
        const corrections = createTokenCalibration(saved as Json);
        const ratio = corrections.correction('kimi', 'constructor');
        expect(ratio).toBeGreaterThanOrEqual(0.5);
        expect(ratio).toBeLessThanOrEqual(3);
        expect(corrections.correction('kimi', '__proto__')).toBe(1);
      }),
    );
  });
});
