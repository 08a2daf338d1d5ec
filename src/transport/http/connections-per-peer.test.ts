import { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import { expect } from 'vitest';
import { createIds } from '#core/ids.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { verifies } from '../../../test/verifies.ts';
import { trackConnections } from './connections.ts';

/** Tracks connections of a fake server, which the test opens from any address. */
function trackFakeServer(max: number) {
  const server = new EventEmitter();
  const clock = createFakeClock();
  const evicted: string[] = [];
  trackConnections(server as Server, {
    clock,
    max,
    newId: createIds(clock, (bytes) => new Uint8Array(bytes)),
    onEvicted: (reason) => void evicted.push(reason),
  });
  const connect = (remoteAddress: string) => {
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
  return { connect, evicted };
}

const openCount = (sockets: readonly { destroyed: boolean }[]) =>
  sockets.filter(({ destroyed }) => !destroyed).length;

verifies('security:newcomers', 'a remote address has at most half of the connections', () => {
  const { connect, evicted } = trackFakeServer(10);
  const greedy = Array.from({ length: 50 }, () => connect('198.51.100.1'));
  expect([openCount(greedy), evicted.length]).toEqual([5, 45]);
  const neighbours = Array.from({ length: 50 }, (_, n) => connect(`2001:db8:0:1::${n + 1}`));
  expect([openCount(greedy), openCount(neighbours)]).toEqual([5, 5]);
});

verifies('security:newcomers', 'local programs share all connections', () => {
  const { connect } = trackFakeServer(10);
  const all = Array.from({ length: 50 }, () => connect('127.0.0.1'));
  expect([openCount(all), all.at(-1)?.destroyed]).toEqual([10, false]);
});
