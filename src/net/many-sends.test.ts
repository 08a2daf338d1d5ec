import { getEventListeners } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { createFakeClock } from '../../test/fake-clock.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import { get, httpFor, serve } from './net.fixture.ts';
import { startTimeouts } from './timeouts.ts';

const MANY = 50;

function warnings(): readonly Error[] {
  const seen: Error[] = [];
  const note = (warning: Error) => void seen.push(warning);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  return seen;
}

/** Warnings are emitted in a later tick. */
const aTurn = () => new Promise<void>((resolve) => void setImmediate(resolve));

test.each([64, 4])(
  'many exchanges on one signal with %i connections are no leak',
  async (maxConnections) => {
    const seen = warnings();
    const server = await serve((_, response) => response.end('fine'));
    const { signal } = new AbortController();
    const http = httpFor({ maxConnections });
    const sends = Array.from({ length: MANY }, async () => {
      const response = await http.send(get(server.url, { signal }));
      return await response.text(100);
    });
    expect(await Promise.all(sends)).toEqual(Array.from({ length: MANY }, () => 'fine'));
    await aTurn();
    expect(seen).toEqual([]);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  },
);

test('nor are the timers of many', async () => {
  const seen = warnings();
  const clock = createFakeClock();
  const { signal } = new AbortController();
  const all = Array.from({ length: MANY }, () =>
    startTimeouts({ clock, deadline: deadlineIn(clock, 1_000), signal }),
  );
  await aTurn();
  expect(getEventListeners(signal, 'abort')).toHaveLength(MANY);
  for (const timers of all) timers.dispose();
  expect(seen).toEqual([]);
  expect([clock.waiting, getEventListeners(signal, 'abort').length]).toEqual([0, 0]);
});
