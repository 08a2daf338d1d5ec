import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { asking, useKimiWorld } from './kimi.fixture.ts';

const world = useKimiWorld();

test('ending the answer while an image is fetched stops the fetch', async () => {
  const events: string[] = [];
  let told: (() => void) | undefined;
  const until = (count: number) =>
    new Promise<void>((resolve) => {
      told = () => events.length >= count && resolve();
      told();
    });
  const server = createServer((request) => {
    events.push('asked');
    told?.();
    request.socket.once('close', () => {
      events.push('closed');
      told?.();
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const at = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { provider, context, clock } = world.kimi({ allowPrivate: [at] });
  const picture = { type: 'image', source: { url: `http://${at}/slow.png` } } as const;
  const request = asking('', { messages: [{ role: 'user', content: [picture] }] });
  const answer = provider.chat(request, context)[Symbol.asyncIterator]();
  const first = answer.next();
  await until(1);
  await answer.return?.();
  expect(await first).toEqual({ done: true, value: undefined });
  await until(2);
  expect(events).toEqual(['asked', 'closed']);
  expect(world.bodies()).toEqual([]);
  expect(clock.waiting).toBe(0);
});
