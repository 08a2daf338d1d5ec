import { PassThrough, Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { createFakeClock } from '../../test/fake-clock.ts';
import { MAX_INPUT_BYTES, readStdin } from './read-stdin.ts';

const ALWAYS = new AbortController().signal;

function reading(input: Readable & { isTTY?: boolean }, signal = ALWAYS) {
  const clock = createFakeClock();
  let waited = 0;
  const text = readStdin({ input, signal, clock, onWaiting: () => (waited += 1) });
  return { text, clock, waited: () => waited };
}

test('everything that is piped in is the text, however it is cut', async () => {
  const bytes = Buffer.from('über 🦉\n');
  const pieces = [...bytes].map((byte) => Buffer.from([byte]));
  expect(await reading(Readable.from(pieces)).text).toBe('über 🦉\n');
  expect(await reading(Readable.from([])).text).toBe('');
});

test('nothing is read from a terminal', async () => {
  expect(await reading(Object.assign(new PassThrough(), { isTTY: true })).text).toBe('');
});

test('input that is not text, or too long, is refused', async () => {
  const bytes = Readable.from([Buffer.from([0x50, 0xff, 0xfe])]);
  await expect(reading(bytes).text).rejects.toMatchObject({ class: 'validation', field: 'stdin' });
  const piece = Buffer.alloc(1_000_000, 'x');
  const exactly = Array.from({ length: MAX_INPUT_BYTES / piece.length }, () => piece);
  expect(await reading(Readable.from(exactly)).text).toHaveLength(MAX_INPUT_BYTES);
  const more = reading(Readable.from([...exactly, Buffer.from('x')]));
  await expect(more.text).rejects.toMatchObject({
    class: 'too_large',
    message: expect.stringContaining('10 MB') as string,
  });
});

test('a pipe without end is abandoned on an interrupt', async () => {
  const leaving = new AbortController();
  const { text, clock } = reading(new PassThrough(), leaving.signal);
  leaving.abort();
  await expect(text).rejects.toThrow('abort');
  expect(clock.waiting).toBe(0);
});

test('a silent pipe is mentioned once', async () => {
  const input = new PassThrough();
  const silent = reading(input);
  silent.clock.advance(60_000);
  expect(silent.waited()).toBe(1);
  input.end('late');
  expect(await silent.text).toBe('late');

  const quick = reading(Readable.from([Buffer.from('x')]));
  await quick.text;
  quick.clock.advance(60_000);
  expect(quick.waited()).toBe(0);
});
