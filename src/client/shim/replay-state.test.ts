import { expect, test } from 'vitest';
import { createOutbox } from './replay-state.ts';

test('what waits is counted once, whatever is added again or removed', () => {
  const waiting = createOutbox();
  waiting.add('12345', '1');
  waiting.add('123', '1');
  waiting.add('12');
  expect(waiting.chars).toBe(5);
  waiting.remove('1');
  waiting.remove('1');
  expect(waiting.chars).toBe(2);
  expect(waiting.take()).toEqual([{ line: '12', key: undefined }]);
  expect(waiting.chars).toBe(0);
});
