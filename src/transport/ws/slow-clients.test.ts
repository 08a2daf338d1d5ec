import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import {
  ask,
  clientFrame,
  closeOf,
  connectWs,
  dial,
  startWsServer,
  until,
} from './ws-server.fixture.ts';

const ANSWER = 'x'.repeat(256 * 1024);

verifies(
  'door:limits',
  'a client that asks and never reads cannot make the daemon grow',
  async () => {
    const sockets: Duplex[] = [];
    let unread = 0;
    const { port, sessions, server, clock, counted } = await startWsServer({
      onUpgrade: (socket) => void sockets.push(socket),
      behave: (session) => ({
        onMessage(text: string) {
          session.messages.push(text);
          session.channel.send(ANSWER);
          unread = Math.max(unread, sockets[0]?.writableLength ?? 0);
        },
      }),
    });
    const greedy = await dial(port);
    await once(greedy, 'data');
    greedy.pause();
    const asking = Buffer.concat(
      Array.from({ length: 20_000 }, () => clientFrame(1, Buffer.from('{"op":"list_tools"}'))),
    );
    greedy.write(asking);
    await until(() => sessions[0]?.channel.isClear === false);
    const other = await connectWs(port);
    for (let round = 0; round < 50; round++) await ask(other, 'are you there?');
    expect(sessions[0]?.messages.length).toBeLessThan(100);
    expect(unread).toBeLessThan(2 * 1024 * 1024);
    other.terminate();
    await until(() => server.size === 1);

    clock.advance(45_000);
    clock.advance(120_000);
    await until(() => server.size === 0);
    expect([sessions[0]?.closes, counted]).toEqual([1, ['exai_ws_dropped_total timeout']]);
  },
);

verifies('door:limits', 'a client that reads late gets every answer, in order', async () => {
  const { port, sessions } = await startWsServer({
    behave: ({ channel }) => ({ onMessage: (text: string) => channel.send(`${text} ${ANSWER}`) }),
  });
  const client = await connectWs(port);
  client.pause();
  const asked = Array.from({ length: 400 }, (_, index) => `${index}`);
  for (const text of asked) client.send(text);
  await until(() => sessions[0]?.channel.isClear === false);
  const answers: string[] = [];
  client.on('message', (data: Buffer) => void answers.push(data.toString().split(' ')[0] ?? ''));
  client.resume();
  await until(() => answers.length === asked.length);
  expect(answers).toEqual(asked);
  expect(sessions[0]?.channel.isClear).toBe(true);
});

verifies(
  'door:limits',
  'answers that pile up without end cost their client the connection',
  async () => {
    const { port, sessions, server, counted } = await startWsServer();
    const client = await connectWs(port);
    client.pause();
    const [session] = sessions;
    for (let index = 0; index < 1000; index++) session?.channel.send(ANSWER);
    await until(() => server.size === 0);
    expect([session?.closes, counted]).toEqual([1, ['exai_ws_dropped_total too_large']]);
  },
);

test('a goodbye reaches a client that reads late, behind its answers', async () => {
  const { port, sessions } = await startWsServer();
  const client = await connectWs(port);
  client.pause();
  const [session] = sessions;
  for (let index = 0; index < 20; index++) session?.channel.send(ANSWER);
  session?.channel.close(1000, 'Everything is answered.');
  session?.channel.send('too late');
  const answers: number[] = [];
  client.on('message', (data: Buffer) => void answers.push(data.length));
  const closed = closeOf(client);
  client.resume();
  expect(await closed).toEqual({ code: 1000, reason: 'Everything is answered.' });
  expect(answers).toEqual(Array.from({ length: 20 }, () => ANSWER.length));
});

verifies(
  'door:alive',
  'a client that answers pings stays, one that does not is given up',
  async () => {
    const { port, clock, server, sessions, counted } = await startWsServer();
    const [alive, deaf] = [await connectWs(port), await connectWs(port, { autoPong: false })];
    const lost = closeOf(deaf);
    for (let pings = 0; pings < 3; pings++) {
      const pinged = once(alive, 'ping');
      clock.advance(45_000);
      await pinged;
      await ask(alive, 'after the pong');
    }
    expect(server.size).toBe(2);
    clock.advance(30_000);
    expect((await lost).code).toBe(1006);
    await until(() => server.size === 1);
    expect(await ask(alive, 'still here')).toBe('still here');
    expect(counted).toEqual(['exai_ws_dropped_total timeout']);
    expect(sessions.map(({ closes }) => closes)).toEqual([0, 1]);
  },
);

verifies('door:alive', 'a peer that is gone without a close frame is given up', async () => {
  const { port, clock, server } = await startWsServer();
  const socket = await dial(port);
  await once(socket, 'data');
  await until(() => server.size === 1);
  clock.advance(164_999);
  expect(server.size).toBe(1);
  clock.advance(1);
  await until(() => server.size === 0);
});

test('a peer that stops sending without a goodbye is closed', async () => {
  const { port, server, sessions } = await startWsServer();
  const socket = await dial(port);
  await once(socket, 'data');
  socket.end();
  await until(() => server.size === 0);
  expect(sessions[0]?.closes).toBe(1);
});

verifies('door:alive', 'a large message that arrives slowly is a sign of life', async () => {
  const { port, clock, server, sessions } = await startWsServer({
    behave: (session) => ({ onMessage: (text: string) => void session.messages.push(text) }),
  });
  const socket = await dial(port);
  await once(socket, 'data');
  await until(() => server.size === 1);
  const whole = clientFrame(1, Buffer.from('x'.repeat(100)));
  for (let index = 0; index < whole.length; index++) {
    socket.write(whole.subarray(index, index + 1));
    const pinged = once(socket, 'data');
    clock.advance(45_000);
    await pinged;
    if (index === 10) break;
  }
  socket.write(whole.subarray(11));
  await until(() => sessions[0]?.messages.length === 1);
  expect(server.size).toBe(1);
});

verifies('daemon:drain', 'a draining server lets calls finish, then closes', async () => {
  let finish = () => {};
  const running = new Promise<void>((resolve) => (finish = resolve));
  const { port, server, clock } = await startWsServer({
    behave: ({ channel }) => ({
      onMessage: (text: string) => channel.send(text),
      drain: () => running,
    }),
  });
  const client = await connectWs(port);
  const closed = closeOf(client);
  const drained = server.drain(60_000);
  expect(await ask(client, 'still served')).toBe('still served');
  const late = await dial(port);
  const [refused] = (await once(late, 'data')) as [Buffer];
  expect(refused.toString()).toMatch(/^HTTP\/1\.1 503 .*"class":"over_capacity"/s);
  late.destroy();
  finish();
  expect(await closed).toEqual({ code: 1001, reason: 'The daemon is stopping.' });
  await drained;
  expect([server.size, clock.waiting <= 1]).toEqual([0, true]);
});

verifies(
  'daemon:drain',
  'what does not finish in its time is answered, then closed in an orderly way',
  async () => {
    const { port, server, clock } = await startWsServer({
      behave({ channel }) {
        let settle = () => undefined as void;
        const settled = new Promise<void>((resolve) => (settle = resolve));
        const interrupt = () => {
          channel.send('interrupted');
          settle();
        };
        return { drain: () => settled, interrupt };
      },
    });
    const client = await connectWs(port);
    const heard: string[] = [];
    client.on('message', (data: Buffer) => void heard.push(data.toString()));
    const closed = closeOf(client);
    const drained = server.drain(1000);
    clock.advance(1000);
    await drained;
    expect([await closed, heard]).toMatchObject([{ code: 1001 }, ['interrupted']]);
  },
);

verifies('daemon:drain', 'what does not end then is cut', async () => {
  const { port, server, clock, sessions } = await startWsServer({
    behave: () => ({ drain: () => new Promise(() => {}) }),
  });
  const client = await connectWs(port);
  const closed = closeOf(client);
  const drained = server.drain(1000);
  clock.advance(1000);
  clock.advance(250);
  await drained;
  expect([(await closed).code, sessions[0]?.closes]).toEqual([1006, 1]);
});
