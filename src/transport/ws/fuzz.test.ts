import { expect } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { createDraw, type Draw } from './draw.fixture.ts';
import { ask, connectWs, dial, startWsServer, until } from './ws-server.fixture.ts';

const PEERS = 200;
const SEED = 20_261_019;

verifies('door:fuzz', 'bytes of any kind end their own connection at most', async () => {
  const { port, server, sessions, logged } = await startWsServer();
  const witness = await connectWs(port);
  const draw = createDraw(SEED);
  for (let peer = 0; peer < PEERS; peer++) {
    const socket = await dial(port);
    socket.resume();
    for (let chunks = 1 + draw(4); chunks > 0; chunks--) socket.write(anyBytes(draw));
    const leave = draw(3);
    if (leave === 0) socket.end();
    else if (leave === 1) socket.resetAndDestroy();
    else setImmediate(() => socket.destroy());
    if (peer % 20 === 0) expect(await ask(witness, 'are you there?')).toBe('are you there?');
  }
  await until(() => server.size === 1);
  expect(await ask(witness, 'are you there?')).toBe('are you there?');
  expect(logged.filter((event) => event !== 'ws_dropped')).toEqual([]);
  expect(sessions.slice(1).every(({ closes }) => closes === 1)).toBe(true);
});

/** A frame that is whole, cut, too long by its own word, of an unknown kind, or no frame at all. */
function anyBytes(draw: Draw): Buffer {
  const payload = Buffer.from(Array.from({ length: draw(120) }, () => draw(256)));
  const first = draw(2) === 0 ? 0x81 : draw(256);
  const length = draw(4) === 0 ? 0x80 | draw(128) : 0x80 | payload.length;
  const frame = Buffer.concat([Buffer.from([first, length, 0, 0, 0, 0]), payload]);
  switch (draw(4)) {
    case 0:
      return payload;
    case 1:
      return frame.subarray(0, draw(frame.length));
    default:
      return frame;
  }
}
