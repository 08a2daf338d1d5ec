import { expect, test } from 'vitest';
import { createOutbox, isReplayable } from './replay-state.ts';

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

test('a call through call_tool is repeated where that of the inner tool is, and no other', () => {
  const isSafe = (name: string, args?: unknown) =>
    isReplayable('tools/call', { name, arguments: args }, new Set(['version', 'status']));
  expect(isSafe('version')).toBe(true);
  expect(isSafe('call_tool', { name: 'version' })).toBe(true);
  expect(isSafe('mcp__exai__call_tool', { name: 'mcp__exai__version', arguments: '{}' })).toBe(
    true,
  );
  expect(isSafe('call_tool_write', { name: 'version' })).toBe(false);
  expect(isSafe('call_tool', { name: 'chat' })).toBe(false);
  expect(isSafe('call_tool', { name: 'call_tool', arguments: { name: 'version' } })).toBe(false);
  for (const args of [undefined, null, 'version', [], { name: 7 }, {}]) {
    expect(isSafe('call_tool', args)).toBe(false);
  }
});
