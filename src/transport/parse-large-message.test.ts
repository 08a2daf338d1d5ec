import { expect } from 'vitest';
import { verifies } from '../../test/verifies.ts';
import { parseLargeMessage } from './parse-large-message.ts';

verifies('transports:large', 'a large message has its value and its size', async () => {
  const value = { text: 'x'.repeat(20_000) };
  const bytes = Buffer.from(JSON.stringify(value));
  expect(await parseLargeMessage(bytes, 'secret')).toEqual({ value, chars: bytes.length });
});

verifies('transports:large', 'what is no JSON has a size alone', async () => {
  const message = await parseLargeMessage(Buffer.from('{"a":'), 'secret');
  expect(message).toEqual({ value: undefined, chars: 5 });
});
