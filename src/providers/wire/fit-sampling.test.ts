import { expect, test } from 'vitest';
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
      'Model takes a temperature of 0 to 1; 1 was sent.',
      'Model takes a topP of 0.01 to 1; 0.01 was sent.',
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
    'Model takes no presencePenalty; it was left out.',
    'Model takes no frequencyPenalty; it was left out.',
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
