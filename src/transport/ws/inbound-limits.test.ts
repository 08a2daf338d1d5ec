import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FrameMeter } from './inbound-limits.ts';

interface Sent {
  readonly opcode: number;
  readonly isFinal: boolean;
  readonly length: number;
}

/** A frame as a client sends it; `as`: how its length is written. */
function frame({ opcode, isFinal, length }: Sent, as: 'shortest' | 'longest' = 'shortest'): Buffer {
  const first = (isFinal ? 0x80 : 0) | opcode;
  const rest = Buffer.alloc(4 + length, 0xff);
  if (as === 'shortest' && length < 126) {
    return Buffer.concat([Buffer.from([first, 0x80 | length]), rest]);
  }
  const head =
    as === 'shortest' && length < 65_536 ? Buffer.alloc(4, first) : Buffer.alloc(10, first);
  head[1] = head.length === 4 ? 0xfe : 0xff;
  if (head.length === 4) head.writeUInt16BE(length, 2);
  else head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, rest]);
}

const LENGTHS = fc.constantFrom(0, 1, 125, 126, 127, 300, 65_535, 65_536, 70_000);
const PING: Sent = { opcode: 9, isFinal: true, length: 3 };

/** Frames of a message: a first one, continuations, pings between them. */
const MESSAGE = fc.array(LENGTHS, { minLength: 1, maxLength: 6 }).map((lengths) =>
  lengths.flatMap((length, index): Sent[] => {
    const isFinal = index === lengths.length - 1;
    const sent = { opcode: index === 0 ? 1 : 0, isFinal, length };
    return isFinal ? [sent] : [sent, PING];
  }),
);

test('however frames are cut into pieces, all of them are seen', () => {
  fc.assert(
    fc.property(
      fc.array(MESSAGE, { maxLength: 5 }),
      fc.array(fc.integer({ min: 1, max: 5000 }), { maxLength: 60 }),
      fc.constantFrom('shortest', 'longest'),
      (messages, sizes, as) => {
        const frames = messages.flat();
        const bytes = Buffer.concat(frames.map((sent) => frame(sent, as)));
        const meter = new FrameMeter();
        let from = 0;
        for (const size of [...sizes, bytes.length]) {
          meter.read(bytes.subarray(from, from + size));
          from += size;
        }
        expect([meter.messages, meter.controls, meter.isUnfinished]).toEqual([
          messages.length,
          frames.filter(({ opcode }) => opcode === 9).length,
          false,
        ]);
        expect([meter.announcedBytes, meter.fragments]).toEqual([0, 0]);
      },
    ),
  );
});

test('what a frame announces is known with its head', () => {
  const meter = new FrameMeter();
  const large = frame({ opcode: 1, isFinal: true, length: 70_000 });
  meter.read(large.subarray(0, 9));
  expect([meter.announcedBytes, meter.isUnfinished]).toEqual([0, true]);
  meter.read(large.subarray(9, 10));
  expect([meter.announcedBytes, meter.fragments]).toEqual([70_000, 1]);
});

test('what the frames of one message announce adds up', () => {
  const meter = new FrameMeter();
  for (const opcode of [2, 0, 0]) meter.read(frame({ opcode, isFinal: false, length: 1000 }));
  meter.read(frame(PING));
  expect(meter).toMatchObject({ announcedBytes: 3000, fragments: 3, controls: 1, messages: 0 });
  meter.read(frame({ opcode: 0, isFinal: true, length: 0 }));
  expect(meter).toMatchObject({ announcedBytes: 0, fragments: 0, messages: 1 });
});

test('a length that no number holds is still a large one', () => {
  const meter = new FrameMeter();
  meter.read(Buffer.from([0x81, 0xff, ...Array.from({ length: 8 }, () => 0xff)]));
  expect(meter.announcedBytes).toBeGreaterThan(Number.MAX_SAFE_INTEGER);
});
