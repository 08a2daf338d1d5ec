import { expect } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { createMessageOrder } from './message-order.ts';
import { parseLargeBody } from './parse-large-body.ts';

const LONG = 'é\n'.repeat(20_000);
const large = (name: string) => Buffer.from(JSON.stringify({ name, text: LONG }));

function collect() {
  const events: unknown[] = [];
  let isIdle = () => {};
  const idle = new Promise<void>((resolve) => {
    isIdle = resolve;
  });
  const order = createMessageOrder({
    parseLarge: (bytes) => parseLargeBody(bytes, 'secret'),
    deliver: (message) => void events.push(message),
    onBusy: () => void events.push('busy'),
    onIdle() {
      events.push('idle');
      isIdle();
    },
  });
  return { order, events, idle };
}

verifies('transports:large', 'messages behind a large one wait, and keep their order', async () => {
  const { order, events, idle } = collect();
  order.push('first');
  order.push(large('one'));
  order.push('second');
  order.push(large('two'));
  order.push('third');
  order.atEnd(() => void events.push('end'));
  expect(events).toEqual(['first', 'busy']);
  await idle;
  expect(events).toEqual([
    'first',
    'busy',
    { name: 'one', text: LONG },
    'second',
    'busy',
    { name: 'two', text: LONG },
    'third',
    'end',
    'idle',
  ]);
  order.push('fourth');
  expect(events.at(-1)).toBe('fourth');
});

verifies('transports:large', 'nothing is delivered after the connection is closed', async () => {
  const { order, events } = collect();
  order.push(large('one'));
  order.push('second');
  order.close();
  order.push('third');
  await new Promise((resolve) => setImmediate(resolve));
  expect(events).toEqual(['busy']);
});
