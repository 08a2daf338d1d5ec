import { describe, expect, test } from 'vitest';
import { createLineReader } from './line-reader.ts';

const LARGE_CHARS = 5 * 1024 * 1024;

function open(maxBytes = 16 * 1024 * 1024) {
  const messages: unknown[] = [];
  const oversized: (number | undefined)[] = [];
  const noise: string[] = [];
  const reader = createLineReader({
    maxBytes,
    newMark: () => 'mark',
    handlers: {
      onMessage: (message) => void messages.push(message),
      onOversized: (id) => void oversized.push(id),
      onNoise: (text) => void noise.push(text),
    },
  });
  const push = (text: string) => reader.push(Buffer.from(text));
  return { reader, push, messages, oversized, noise };
}

describe('lines of a server', () => {
  test('are messages, however they are cut into pieces', () => {
    const text = '{"id":1,"result":{"text":"zürich 🚀"}}\r\n\n{"id":2}\n';
    for (let size = 1; size < 20; size++) {
      const { reader, messages } = open();
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
      expect(messages).toEqual([{ id: 1, result: { text: 'zürich 🚀' } }, { id: 2 }]);
    }
  });

  test('that are not JSON are told as noise, and the next one is read', () => {
    const { push, messages, noise } = open();
    push(`Server started\n{"id":1\n${'x'.repeat(2_000)}\n{"id":3}\n`);
    expect(noise).toEqual(['Server started', '{"id":1', 'x'.repeat(500)]);
    expect(messages).toEqual([{ id: 3 }]);
  });

  test.each([
    ['at its beginning', (filler: string) => `{"jsonrpc":"2.0","id":7,"result":"${filler}"}`],
    ['at its end', (filler: string) => `{"result":"${filler}","jsonrpc":"2.0","id":7}`],
  ])('that are too long are dropped; the id is found %s', (_where, write) => {
    const { reader, messages, oversized } = open(10_000);
    const bytes = Buffer.from(`${write('x'.repeat(100_000))}\n{"id":8}\n`);
    for (let at = 0; at < bytes.length; at += 4_096) reader.push(bytes.subarray(at, at + 4_096));
    expect(oversized).toEqual([7]);
    expect(messages).toEqual([{ id: 8 }]);
  });

  test('without an end are dropped, and what follows their end is read', () => {
    const { reader, push, messages, oversized } = open(10_000);
    const chunk = Buffer.alloc(100_000, 'x');
    for (let count = 0; count < 300; count++) reader.push(chunk);
    push('\n{"id":1}\n');
    expect(oversized).toEqual([undefined]);
    expect(messages).toEqual([{ id: 1 }]);
  });

  test('keep their order while a large one is parsed', async () => {
    const { push, messages } = open();
    push(`{"id":1}\n{"id":2,"result":"${'y'.repeat(LARGE_CHARS)}"}\n{"id":3}\n`);
    push(`{"id":4,"result":"${'z'.repeat(LARGE_CHARS)}"}\n{"id":5}\n`);
    await expect.poll(() => messages.length).toBe(5);
    expect(messages.map((message) => (message as { id: number }).id)).toEqual([1, 2, 3, 4, 5]);
  });
});
