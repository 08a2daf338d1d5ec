import { expect, test } from 'vitest';
import { asWritten } from './written-field.ts';

const NAMES = new Map([
  ['prompt', 'messages'],
  ['responseFormat', 'output_config.format'],
]);

test.each([
  ['prompt', 'messages'],
  ['responseFormat.schema', 'output_config.format.schema'],
  ['prompt[2]', 'messages[2]'],
  ['prompts', 'prompts'],
  ['exai.prompt', 'exai.prompt'],
  ['', ''],
])('"%s" is "%s" to the client', (field, written) => {
  expect(asWritten(field, NAMES)).toBe(written);
});
