import { expect, test } from 'vitest';
import { verifies } from '../../test/verifies.ts';
import { get, httpFor, serve } from './net.fixture.ts';

const MEGABYTES = 24;
const MEGABYTE = Buffer.alloc(1024 * 1024, 'x');

async function readAtFullSpeed(count: number): Promise<{ bytes: number; most: number }> {
  const server = await serve((_, response) => {
    for (let sent = 0; sent < MEGABYTES; sent += 1) response.write(MEGABYTE);
    response.end();
  });
  const http = httpFor({});
  const { signal } = new AbortController();
  let bytes = 0;
  let thisTurn = 0;
  let most = 0;
  let isOver = false;
  const turns = (async () => {
    while (!isOver) {
      await new Promise((resolve) => setImmediate(resolve));
      most = Math.max(most, thisTurn);
      thisTurn = 0;
    }
  })();
  await Promise.all(
    Array.from({ length: count }, async () => {
      const response = await http.send(get(server.url, { signal }));
      for await (const chunk of response.body) {
        bytes += chunk.length;
        thisTurn += chunk.length;
      }
    }),
  );
  isOver = true;
  await turns;
  return { bytes, most };
}

verifies(
  'stalls:turns',
  'little of a body at full speed is read in one turn of the event loop',
  async () => {
    const { bytes, most } = await readAtFullSpeed(1);
    expect(bytes).toBe(MEGABYTES * MEGABYTE.length);
    expect(most).toBeLessThan(1024 * 1024);
  },
);

test('several bodies at full speed share what is read in a turn', async () => {
  const { bytes, most } = await readAtFullSpeed(6);
  expect(bytes).toBe(6 * MEGABYTES * MEGABYTE.length);
  // A chunk of each may follow the last one that counts.
  expect(most).toBeLessThan(1.5 * 1024 * 1024);
});
