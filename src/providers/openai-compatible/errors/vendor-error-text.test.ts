import { expect, test } from 'vitest';
import { readVendorError } from './vendor-error.ts';
import { messageInJson } from './vendor-error-text.ts';

const wrapped = (text: string) => JSON.stringify({ error: { message: text, code: 400 } });

test.each([
  ['a plain sentence', 'a plain sentence'],
  ['{curly} words', ''],
  [wrapped('said'), 'said'],
  [wrapped(wrapped('said inside')), 'said inside'],
  ['{"error":"said"}', 'said'],
  ['{"message":"said"}', 'said'],
  ['{"detail":"said"}', 'said'],
  ['{"code":400}', ''],
  ['{"error":null}', ''],
  ['{"error":{"message":7}}', ''],
  ['{"error":{"message":"z-ai/glm-4.5-flash', 'z-ai/glm-4.5-flash…'],
  ['{"error":{"message":"it is over","code":4', 'it is over'],
  [String.raw`{"error":{"message":"a \"b\" \u00e`, 'a "b" …'],
  ['{"error":{"mess', ''],
  ['{"error":{"message":"', ''],
])('of %j it says %j', (text, said) => {
  expect(messageInJson(text)).toBe(said);
});

test('a message that is cut after many millions of characters is cut sooner', () => {
  const said = messageInJson(`{"message":"${'a'.repeat(20_000_000)}`);
  expect(said).toMatch(/^a{1000,65536}…$/);
});

test('what is wrapped without end is given up', () => {
  let text = 'deep';
  for (let depth = 0; depth < 8; depth += 1) text = wrapped(text);
  expect(messageInJson(text)).toBe('');
});

test('an error whose body broke off keeps its message', () => {
  const { message } = readVendorError(400, '{"error":{"message":"z-ai/glm-4.5-flash is not a');
  expect(message).toBe('z-ai/glm-4.5-flash is not a…');
});
