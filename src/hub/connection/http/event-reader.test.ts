import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createEventReader, type ServerEvent } from './event-reader.ts';

const MAX_BYTES = 1_000;

function read(pieces: readonly Buffer[], maxBytes = MAX_BYTES) {
  const reader = createEventReader(maxBytes);
  const events: ServerEvent[] = pieces.flatMap((piece) => [...reader.push(piece)]);
  const texts = events.map(({ name, data }) => [name, data === 'too_large' ? data : String(data)]);
  return { texts, lastEventId: reader.lastEventId, retryMs: reader.retryMs };
}

test('events have a name, data of several lines, an id and a pause before a retry', () => {
  const stream =
    'id: 7\r\nretry: 250\nevent: note\ndata: one\ndata:two\n\n: comment\ndata\n\ndata: x\n\n';
  expect(read([Buffer.from(stream)])).toEqual({
    texts: [
      ['note', 'one\ntwo'],
      ['message', ''],
      ['message', 'x'],
    ],
    lastEventId: '7',
    retryMs: 250,
  });
});

test('a stream may be cut anywhere, within a character too', () => {
  const stream = Buffer.from(
    '\ufeffid: a\ndata: zażółć 漢字 😀\n\nevent: b\r\ndata: {"n":1}\r\n\r\n',
  );
  const whole = read([stream]);
  fc.assert(
    fc.property(fc.array(fc.nat(stream.length)), (cuts) => {
      const at = [0, ...cuts.toSorted((one, other) => one - other), stream.length];
      const pieces = at.slice(1).map((end, index) => stream.subarray(at[index], end));
      expect(read(pieces)).toEqual(whole);
    }),
  );
});

test('data over the limit is dropped and told, and what follows is read', () => {
  const long = 'x'.repeat(MAX_BYTES);
  const stream = `data: ${long}y\n\ndata: ${long}\n\ndata: a\ndata: ${long}\n\n`;
  const pieces = stream.match(/[^]{1,97}/g) ?? [];
  expect(read(pieces.map((piece) => Buffer.from(piece))).texts).toEqual([
    ['message', 'too_large'],
    ['message', long],
    ['message', 'too_large'],
  ]);
});

test('an unfinished event is no event, and odd ids and pauses are ignored', () => {
  const stream = 'id: 1\nid: a\0b\nretry: soon\nretry: 99999999\ndata: cut';
  expect(read([Buffer.from(stream)])).toEqual({ texts: [], lastEventId: '1', retryMs: 600_000 });
});
