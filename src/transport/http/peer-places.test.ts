import { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import { expect } from 'vitest';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { verifies } from '../../../test/verifies.ts';
import { trackConnections } from './connections.ts';

/** Places at a server that hears of connections from anywhere. */
function openPlaces(max: number) {
  const server = new EventEmitter();
  const clock = createFakeClock();
  const evicted: string[] = [];
  trackConnections(server as Server, clock, max, (why) => void evicted.push(why));
  const come = (remoteAddress: string) => {
    const socket = Object.assign(new EventEmitter(), {
      remoteAddress,
      bytesRead: 0,
      destroyed: false,
      destroy() {
        socket.destroyed = true;
        socket.emit('close');
      },
    });
    server.emit('connection', socket);
    return socket;
  };
  return { come, evicted };
}

const here = (sockets: readonly { destroyed: boolean }[]) =>
  sockets.filter(({ destroyed }) => !destroyed).length;

verifies('security:newcomers', 'an address on the network has at most half of the places', () => {
  const { come, evicted } = openPlaces(10);
  const greedy = Array.from({ length: 50 }, () => come('198.51.100.1'));
  expect([here(greedy), evicted.length]).toEqual([5, 45]);
  const neighbours = Array.from({ length: 50 }, (_, n) => come(`2001:db8:0:1::${n + 1}`));
  expect([here(greedy), here(neighbours)]).toEqual([5, 5]);
});

verifies('security:newcomers', 'programs of this machine share all places', () => {
  const { come } = openPlaces(10);
  const all = Array.from({ length: 50 }, () => come('127.0.0.1'));
  expect([here(all), all.at(-1)?.destroyed]).toEqual([10, false]);
});
