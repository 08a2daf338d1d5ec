import { expect, test } from 'vitest';
import { notice } from '#core/messages/notices.ts';
import { fitSampling, leftOutNotices, openAiRules } from './fit-sampling.ts';

const MODEL = { title: 'Model' };
const RULES = openAiRules({
  temperature: { min: 0, max: 1 },
  topP: { min: 0.01, max: 1 },
  penalties: 'fixed',
});

test('what is within the limits goes as it is, under the name of the vendor', () => {
  expect(fitSampling({ temperature: 0, topP: 1 }, MODEL, RULES)).toEqual({
    fields: { temperature: 0, top_p: 1 },
    notices: [],
    leftOut: [],
  });
});

test('what is beyond a limit becomes the limit, and is told', () => {
  expect(fitSampling({ temperature: 2, topP: 0 }, MODEL, RULES)).toEqual({
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
  const fitted = fitSampling({ presencePenalty: 0, frequencyPenalty: 1 }, MODEL, RULES);
  expect(fitted).toEqual({
    fields: {},
    notices: [],
    leftOut: ['presencePenalty', 'frequencyPenalty'],
  });
  expect(leftOutNotices(MODEL, fitted)).toEqual([
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
    for (const wish of ['temperature', 'presencePenalty'] as const)
      expect(() => fitSampling({ [wish]: value }, MODEL, RULES)).toThrow(
        expect.objectContaining({ class: 'validation', field: `sampling.${wish}` }),
      );
  },
);
