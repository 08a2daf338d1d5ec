import fc from 'fast-check';
import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { notification } from './fake-mcp.fixture.ts';
import { createFakeOut, messagesOf, type FakeOut, type SeenEvent } from './fake-sink.fixture.ts';
import { create, ask, listen, resume, lastId, reply } from './legacy-sessions.fixture.ts';

verifies(
  'http:resume',
  'a stream may end before its answer; who comes back gets it and keeps the stream',
  () => {
    const { clock, open } = create({ streamForMs: 300 });
    const { session, mcp } = open();
    const out = ask(session, 1);
    clock.advance(1300);
    expect([out.is, out.messages()]).toEqual(['ended', []]);
    const back = resume(session, lastId(out));
    clock.advance(10_000);
    expect(back.is).toBe('streaming');
    mcp.answer(1);
    expect([back.is, back.messages()]).toEqual(['ended', [reply(1)]]);
    const old = open('2025-06-18');
    const stays = ask(old.session, 1);
    clock.advance(10_000);
    expect(stays.is).toBe('streaming');
  },
);

verifies('http:resume', 'a broken stream is resumed with nothing lost and nothing repeated', () => {
  const { open } = create();
  const { session, mcp } = open();
  const out = ask(session, 1);
  mcp.notify('a', 1);
  mcp.notify('b', 1);
  out.hangUp();
  mcp.notify('c', 1);
  // It had read the first alone; what the machine took for the rest never arrived.
  const back = resume(session, '2-1');
  expect(back.messages()).toEqual([notification('b'), notification('c')]);
  mcp.notify('d', 1);
  mcp.answer(1);
  expect(back.messages().slice(2)).toEqual([notification('d'), reply(1)]);
  const again = resume(session, '2-4');
  expect([again.is, again.messages()]).toEqual(['ended', [reply(1)]]);
  const end = resume(session, lastId(again));
  expect([end.is, end.messages()]).toEqual(['ended', []]);
});

verifies(
  'http:resume',
  'who comes back takes the stream over from a connection that only looks alive',
  () => {
    const { open } = create();
    const { session, mcp } = open();
    const out = ask(session, 1);
    mcp.notify('a', 1);
    const back = resume(session, '2-0');
    expect(out.is).toBe('cut');
    mcp.answer(1);
    expect([out.messages(), back.messages()]).toEqual([
      [notification('a')],
      [notification('a'), reply(1)],
    ]);
  },
);

test.each(['2-9', '9-1', 'x', '', '2-1-1', '-1', '2--1', '1-0', `${'9'.repeat(400)}-1`])(
  'the event id %j is refused with a reason',
  (id) => {
    const { open } = create();
    const { session, mcp } = open();
    ask(session, 1);
    mcp.notify('a', 1);
    expect(session.resume(id, createFakeOut())).toMatchObject({
      status: 400,
      message: expect.stringContaining('Last-Event-ID') as string,
    });
  },
);

verifies('http:resume', 'what was cut off for want of room is refused, never given in part', () => {
  const { open } = create();
  const { session, mcp } = open();
  const out = ask(session, 1);
  for (let n = 1; n <= 1500; n++) mcp.notify(`note ${n}`, 1);
  out.hangUp();
  expect(session.resume('2-499', createFakeOut())).toMatchObject({ status: 400 });
  expect(resume(session, '2-500').messages()).toHaveLength(1000);
});

test('a large answer is kept whatever its size, at the cost of what was read before', () => {
  const { open } = create();
  const { session, mcp } = open();
  const first = ask(session, 1);
  mcp.notify('a', 1);
  mcp.answer(1);
  const second = ask(session, 2);
  mcp.notify('b', 2);
  second.hangUp();
  mcp.answer(2, 'x'.repeat(5_000_000));
  expect(session.resume(lastId(first), createFakeOut())).toMatchObject({ status: 400 });
  expect(session.resume('3-0', createFakeOut())).toMatchObject({ status: 400 });
  expect(resume(session, '3-1').messages()).toHaveLength(1);
});

verifies(
  'http:resume',
  'the stream of what belongs to no request is resumed like any other',
  () => {
    const { open } = create();
    const { session, mcp } = open();
    const out = listen(session);
    mcp.notify('a');
    mcp.notify('b');
    out.hangUp();
    mcp.notify('c');
    const back = resume(session, '0-1');
    expect(back.messages()).toEqual([notification('b'), notification('c')]);
    expect(back.is).toBe('streaming');
    expect(session.listen(createFakeOut())).toMatchObject({ status: 409 });
  },
);

/**
 * A client that drops its connection now and then, having read a part of what was written, and
 * comes back.
 */
interface Client {
  out: FakeOut;
  /** How much of what is written in `out` it has read. */
  readonly seen: SeenEvent[];
}

const step = fc.oneof(
  fc.constant({ is: 'say' } as const),
  fc.record({ is: fc.constant('drop' as const), unread: fc.nat({ max: 3 }) }),
  fc.constant({ is: 'resume' } as const),
  fc.constant({ is: 'tick' } as const),
);

verifies(
  'http:resume',
  'whenever a connection drops, a client that comes back sees everything once and in order',
  () => {
    fc.assert(
      fc.property(
        fc.constantFrom<'answer' | 'unsolicited'>('answer', 'unsolicited'),
        fc.array(step, { maxLength: 60 }),
        (kind, steps) => {
          const { clock, open } = create({ streamForMs: 5000 });
          const { session, mcp } = open();
          const about = kind === 'answer' ? 1 : undefined;
          const client: Client = {
            out: kind === 'answer' ? ask(session, 1) : listen(session),
            seen: [],
          };
          const said: string[] = [];
          const say = (note: string) => {
            said.push(notification(note));
            mcp.notify(note, about);
          };
          /** It reads all but the last few events, which were written but never arrived. */
          const readUpTo = (unread: number) => {
            const events = client.out.events();
            client.seen.push(...events.slice(0, Math.max(0, events.length - unread)));
          };
          const comeBack = () => {
            const last = client.seen.findLast(({ id }) => id !== undefined)?.id;
            if (last === undefined) return;
            client.out = resume(session, last);
          };
          say('first');
          for (const [index, { is, ...about_ }] of steps.entries()) {
            if (is === 'say') say(`note ${index}`);
            else if (is === 'tick') clock.advance(3000);
            else if (is === 'drop' && client.out.is === 'streaming') {
              // Never the first one, which carries the event id.
              const { unread = 0 } = about_ as { unread?: number };
              const isNew = client.seen.length === 0;
              readUpTo(Math.min(unread, client.out.events().length - (isNew ? 1 : 0)));
              client.out.hangUp();
            } else if (is === 'resume' && client.out.is === 'cut') comeBack();
            if (client.out.is === 'ended') {
              readUpTo(0);
              client.out.is = 'cut';
            }
          }
          if (client.out.is === 'cut') comeBack();
          if (kind === 'answer') {
            mcp.answer(1);
            said.push(reply(1));
          }
          readUpTo(0);
          expect(messagesOf(client.seen)).toEqual(said);
        },
      ),
      { numRuns: 500 },
    );
  },
);
