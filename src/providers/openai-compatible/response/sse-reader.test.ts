import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import { createSseReader, type SseEvent } from './sse-reader.ts';

function readAll(pieces: readonly Uint8Array[]): SseEvent[] {
  const reader = createSseReader();
  return [...pieces.flatMap((piece) => [...reader.push(piece)]), ...reader.end()];
}

function read(text: string): string[] {
  return readAll([Buffer.from(text)]).map(({ data }) => data);
}

describe('reading server-sent events', () => {
  test('takes LF and CRLF, comments, names and a missing last newline', () => {
    const stream =
      '\uFEFF: OPENROUTER PROCESSING\r\n\r\ndata: {"a":1}\r\n\r\nevent: error\ndata:{"b":2}\n\nid: 7\nretry: 5\ndata: last';
    expect(readAll([Buffer.from(stream)])).toEqual([
      { name: 'message', data: '{"a":1}' },
      { name: 'error', data: '{"b":2}' },
      { name: 'message', data: 'last' },
    ]);
  });

  test('joins data that stands on several lines', () => {
    expect(read('data: {"a":\ndata: 1}\n\n')).toEqual(['{"a":\n1}']);
  });

  test('gives nothing for comments, blank lines and an empty stream', () => {
    expect(read('')).toEqual([]);
    expect(read(': hello\n\n\n\n: again\n\n')).toEqual([]);
  });

  verifies('wire:sse', 'reads the same wherever the bytes are cut', () => {
    const text = 'data: {"t":"héllo 漢字 🙂"}\r\n\r\n: c\n\ndata: [DONE]\n\n';
    const bytes = Buffer.from(text);
    const whole = readAll([bytes]);
    expect(whole.map(({ data }) => data)).toEqual(['{"t":"héllo 漢字 🙂"}', '[DONE]']);
    for (let at = 0; at <= bytes.length; at += 1) {
      expect(readAll([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(whole);
    }
    expect(readAll([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(whole);
  });

  verifies('wire:sse', 'reads any data that has no line break, in any pieces', () => {
    const line = fc.string({ unit: 'binary' }).map((text) => text.replaceAll(/[\r\n]/g, ' '));
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 8 }),
        fc.integer({ min: 1, max: 7 }),
        (lines, size) => {
          const bytes = Buffer.from(lines.map((each) => `data: ${each}\n\n`).join(''));
          const pieces: Buffer[] = [];
          for (let at = 0; at < bytes.length; at += size)
            pieces.push(bytes.subarray(at, at + size));
          expect(readAll(pieces).map(({ data }) => data)).toEqual(
            lines.map((each) => Buffer.from(each).toString()),
          );
        },
      ),
    );
  });

  test('gives up an event that does not end, before it fills the memory', () => {
    const reader = createSseReader();
    const megabyte = Buffer.alloc(1024 * 1024, 'x');
    expect(() => {
      for (let i = 0; i < 20; i += 1) reader.push(megabyte);
    }).toThrow(expect.objectContaining({ class: 'bad_response' }));
  });
});
