import { expect, test } from 'vitest';
import { notice } from '#core/messages/notices.ts';
import { clampSampling, droppedParameterNotices, openAiSamplingRules } from './request-fields.ts';

const MODEL = { title: 'Model' };
const RULES = openAiSamplingRules({
  temperature: { min: 0, max: 1 },
  topP: { min: 0.01, max: 1 },
  penalties: 'fixed',
});

test('what is within the limits goes as it is, under the name of the vendor', () => {
  expect(clampSampling({ temperature: 0, topP: 1 }, MODEL, RULES)).toEqual({
    fields: { temperature: 0, top_p: 1 },
    notices: [],
    leftOut: [],
  });
});

test('a value beyond a limit is clamped with a notice', () => {
  expect(clampSampling({ temperature: 2, topP: 0 }, MODEL, RULES)).toEqual({
    fields: { temperature: 1, top_p: 0.01 },
    notices: [
      notice('parameter_clamped', {
        model: 'Model',
        parameter: 'temperature',
        min: 0,
        max: 1,
        sent: 1,
      }),
      notice('parameter_clamped', {
        model: 'Model',
        parameter: 'topP',
        min: 0.01,
        max: 1,
        sent: 0.01,
      }),
    ],
    leftOut: [],
  });
});

test('what is fixed is not sent, and named', () => {
  const fitted = clampSampling({ presencePenalty: 0, frequencyPenalty: 1 }, MODEL, RULES);
  expect(fitted).toEqual({
    fields: {},
    notices: [],
    leftOut: ['presencePenalty', 'frequencyPenalty'],
  });
  expect(droppedParameterNotices(MODEL, fitted)).toEqual([
    notice('parameter_dropped', {
      model: 'Model',
      parameters: ['presencePenalty', 'frequencyPenalty'],
      reason: 'unsupported',
    }),
  ]);
});

test.each([Number.NaN, Number.POSITIVE_INFINITY])(
  '%d is refused, also where it is fixed',
  (value) => {
    for (const requested of ['temperature', 'presencePenalty'] as const)
      expect(() => clampSampling({ [requested]: value }, MODEL, RULES)).toThrow(
        expect.objectContaining({ class: 'validation', field: `sampling.${requested}` }),
      );
  },
);
