import { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import type { Heard } from './chat-input.ts';
import { createPipedInput } from './chat-piped-input.ts';

async function hearAll(chunks: Iterable<string | Uint8Array>): Promise<Heard[]> {
  const input = createPipedInput(Readable.from([...chunks].map((chunk) => Buffer.from(chunk))));
  onTestFinished(() => input.close());
  const heard: Heard[] = [];
  do heard.push(await input.next());
  while (heard.at(-1)?.is !== 'end');
  return heard;
}

test('each line is a message, joined by backslashes, in whatever pieces it comes', async () => {
  const bytes = Buffer.from('one\r\ntwo\\\nthrée 🦉\n\nlast');
  for (const chunks of [[bytes], [...bytes].map((byte) => Uint8Array.of(byte))]) {
    expect(await hearAll(chunks)).toEqual([
      { is: 'text', text: 'one' },
      { is: 'text', text: 'two\nthrée 🦉' },
      { is: 'text', text: '' },
      { is: 'text', text: 'last' },
      { is: 'end', because: 'closed' },
    ]);
  }
  expect(await hearAll(['open\\\n'])).toEqual([
    { is: 'text', text: 'open' },
    { is: 'end', because: 'closed' },
  ]);
});

test('what is no text, or too long for a message, is refused', async () => {
  await expect(hearAll([Uint8Array.of(0xff, 0x0a)])).rejects.toThrow('no text in UTF-8');
  await expect(hearAll([Uint8Array.of(0xc3)])).rejects.toThrow('no text in UTF-8');
  await expect(hearAll(['x'.repeat(10_000_001)])).rejects.toThrow('10 million characters');
  await expect(hearAll(Array(12).fill(`${'x'.repeat(1_000_000)}\\\n`))).rejects.toThrow(
    '10 million characters',
  );
});

test('Ctrl-C ends what runs, and then the chat', async () => {
  const input = createPipedInput(new Readable({ read: () => undefined }));
  onTestFinished(() => input.close());
  let told = 0;
  const busy = input.whileBusy(() => (told += 1));
  process.emit('SIGINT');
  busy.stop();
  expect(told).toBe(1);
  expect(await input.next()).toEqual({ is: 'end', because: 'interrupted' });
});
