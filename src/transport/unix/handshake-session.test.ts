import { describe, expect, test } from 'vitest';
import type { Caller } from '#core/calls/call.ts';
import { CallError } from '#core/errors/call-error.ts';
import { DRAIN_LINE, helloLine } from '#core/local-socket/handshake.ts';
import { notice } from '#core/messages/notices.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { createListLog } from '../../../test/list-log.ts';
import type { Channel, Session } from '../channel.ts';
import {
  createHandshakeSession,
  helloRoots,
  type HandshakeDeps,
  type WelcomedClient,
} from './handshake-session.ts';

describe('local session', () => {
  const LACKING = notice('text', { text: 'KIMI_API_KEY …' });

  const LOCAL: Caller = { principal: 'local', scopes: ['*'], roots: ['/allowed'] };
  const HELLO = helloLine({ kind: 'shim', version: '0.1.0', cwd: '/work/project', settings: {} });

  function open(changes: Partial<HandshakeDeps> = {}, transport: Channel['transport'] = 'unix') {
    const sent: Record<string, unknown>[] = [];
    const closed: number[] = [];
    const delivered: string[] = [];
    const stops: string[] = [];
    const opened: WelcomedClient[] = [];
    const events: string[] = [];
    const clock = createFakeClock();
    const channel: Channel = {
      transport: transport,
      isClear: true,
      send: (text) => void sent.push(JSON.parse(text) as Record<string, unknown>),
      close: (code) => void closed.push(code),
    };
    const inner: Session = {
      onMessage: (line: string) => void delivered.push(line),
      onEnd: () => void events.push('end'),
      onClose: () => void events.push('close'),
      drain: () => Promise.resolve(void events.push('drain')),
      interrupt: () => void events.push('interrupt'),
    };
    const session = createHandshakeSession(
      channel,
      { session: 's1', token: undefined, protocol: undefined },
      {
        authenticator: {
          authenticate: () => Promise.resolve(LOCAL),
          rotate: () => Promise.reject(new Error()),
        },
        openMcp: (_channel, about) => {
          opened.push(about);
          return inner;
        },
        version: '0.1.0',
        instance: 'i1',
        userFolder: '/home/ann',
        clock,
        helloTimeoutMs: 15_000,
        replay: () => ['status'],
        refuseServer: () => undefined,
        missingSettings: () => [],
        requestStop: (reason) => void stops.push(reason),
        log: createListLog(),
        ...changes,
      },
    );
    return { session, sent, closed, delivered, stops, opened, events, clock };
  }

  const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

  test('after hello and welcome every line is the protocol’s, in order, also what came too early', async () => {
    const { session, sent, delivered, opened } = open({ missingSettings: () => [LACKING] });
    session.onMessage(HELLO);
    session.onMessage('one');
    await settled();
    session.onMessage('two');
    expect(sent).toEqual([
      {
        exai: 'welcome',
        version: '0.1.0',
        instance: 'i1',
        replay: ['status'],
        notices: ['KIMI_API_KEY …'],
        notice_data: [LACKING],
        owner: true,
      },
    ]);
    expect(delivered).toEqual(['one', 'two']);
    expect(opened).toEqual([
      {
        caller: { ...LOCAL, roots: ['/allowed', '/work/project'] },
        session: 's1',
        transport: 'unix',
        notices: [LACKING],
      },
    ]);
  });

  test('over TCP the folder that a client claims opens nothing', async () => {
    const { session, opened } = open({}, 'ws');
    session.onMessage(HELLO);
    session.onMessage('one');
    await settled();
    expect(opened[0]?.caller.roots).toEqual(['/allowed']);
  });

  test('anything but a hello at first is refused with a typed error and an end', () => {
    const { session, sent, closed, delivered } = open();
    session.onMessage('{"jsonrpc":"2.0","id":1,"method":"ping"}');
    session.onMessage(HELLO);
    expect(sent).toMatchObject([{ exai: 'refused', error: { class: 'bad_request' } }]);
    expect(closed).toEqual([4000]);
    expect(delivered).toEqual([]);
  });

  test('an unknown caller is refused', async () => {
    const identify = () => Promise.reject(new CallError('auth', 'No good.'));
    const { session, sent, closed } = open({
      authenticator: { authenticate: identify, rotate: () => Promise.reject(new Error()) },
    });
    session.onMessage(HELLO);
    await settled();
    expect(sent).toMatchObject([
      { exai: 'refused', error: { class: 'auth', message: 'No good.' } },
    ]);
    expect(closed).toEqual([4003]);
  });

  test('a silent client is disconnected after a while, a client after its hello is not', async () => {
    const silent = open();
    silent.clock.advance(15_000);
    expect(silent.closed).toEqual([4002]);
    expect(silent.clock.waiting).toBe(0);
    const greeted = open();
    greeted.session.onMessage(HELLO);
    await settled();
    greeted.clock.advance(60_000);
    expect(greeted.closed).toEqual([]);
  });

  test('the owner may ask for the end right after the welcome, and only then', async () => {
    const { session, sent, stops, delivered } = open();
    session.onMessage(HELLO);
    await settled();
    session.onMessage(DRAIN_LINE);
    expect(sent.at(-1)).toEqual({ exai: 'draining' });
    expect(stops).toHaveLength(1);
    session.onMessage('one');
    session.onMessage(DRAIN_LINE);
    expect(stops).toHaveLength(1);
    expect(delivered).toEqual(['one', DRAIN_LINE]);
  });

  test('over TCP no client may stop the daemon', async () => {
    const { session, sent, stops, closed } = open({}, 'ws');
    session.onMessage(HELLO);
    await settled();
    session.onMessage(DRAIN_LINE);
    expect(sent.at(-1)).toMatchObject({ exai: 'refused', error: { class: 'permission' } });
    expect([stops, closed]).toEqual([[], [4000]]);
  });

  test('a client with its own token may not stop the daemon, and the welcome does not call it the owner', async () => {
    const reader: Caller = { principal: 'reader', scopes: ['read:*'], roots: [] };
    const { session, sent, stops, closed } = open({
      authenticator: {
        authenticate: () => Promise.resolve(reader),
        rotate: () => Promise.reject(new Error()),
      },
    });
    session.onMessage(HELLO);
    await settled();
    expect(sent.at(-1)).not.toHaveProperty('owner');
    session.onMessage(DRAIN_LINE);
    expect(sent.at(-1)).toMatchObject({ exai: 'refused', error: { class: 'permission' } });
    expect([stops, closed]).toEqual([[], [4000]]);
  });

  test('a flood before the welcome is refused instead of kept', () => {
    const { session, sent } = open({
      authenticator: {
        authenticate: () => new Promise(() => undefined),
        rotate: () => Promise.reject(new Error()),
      },
    });
    session.onMessage(HELLO);
    for (let i = 0; i < 2000; i++) session.onMessage('x');
    expect(sent).toMatchObject([{ exai: 'refused', error: { class: 'over_capacity' } }]);
  });

  test('the log has the client and the duration of its connection, but not its folder', async () => {
    const log = createListLog();
    const { session, clock } = open({ log });
    session.onMessage(HELLO);
    await settled();
    clock.advance(61_500);
    session.onClose();
    expect(log.lines).toMatchObject([
      { event: 'client_connected', fields: { kind: 'shim', client_version: '0.1.0' } },
      { event: 'client_disconnected', fields: { connected_ms: 61_500 } },
    ]);
    expect(JSON.stringify(log.lines)).not.toContain('project');
  });

  test('a client that goes while it is being identified is forgotten', async () => {
    const { session, sent, opened, events } = open();
    session.onMessage(HELLO);
    session.onClose();
    await settled();
    expect([sent, opened, events]).toEqual([[], [], []]);
  });

  test('the end of what a client sends reaches the protocol, or ends a connection that has none', async () => {
    const quiet = open();
    quiet.session.onMessage(HELLO);
    quiet.session.onEnd();
    await settled();
    expect(quiet.closed).toEqual([1000]);
    const busy = open();
    busy.session.onMessage(HELLO);
    busy.session.onMessage('one');
    busy.session.onEnd();
    await settled();
    await busy.session.drain();
    expect(busy.events).toEqual(['end', 'drain']);
  });

  test('a client other than the owner gets no notices about settings, and only the tools that it may use', async () => {
    const reader: Caller = { principal: 'reader', scopes: ['read:*'], roots: [] };
    const compared: unknown[] = [];
    const { session, sent, opened } = open(
      {
        authenticator: {
          authenticate: () => Promise.resolve(reader),
          rotate: () => Promise.reject(new Error()),
        },
        missingSettings: (settings) => {
          compared.push(settings);
          return [LACKING];
        },
        replay: ({ principal }) => (principal === 'reader' ? ['version'] : ['status', 'version']),
      },
      'ws',
    );
    session.onMessage(HELLO);
    session.onMessage('one');
    await settled();
    expect(sent).toMatchObject([{ exai: 'welcome', replay: ['version'], notices: [] }]);
    expect([compared, opened[0]?.notices]).toEqual([[], []]);
  });

  test('a bug on the way to the welcome ends this connection and is noted', async () => {
    const log = createListLog();
    const { session, closed, delivered } = open({
      log,
      replay: () => {
        throw new TypeError('a bug');
      },
    });
    session.onMessage(HELLO);
    await settled();
    session.onMessage('one');
    expect([closed, delivered]).toEqual([[1011], []]);
    expect(log.lines.map(({ event }) => event)).toEqual(['unix_session_failed']);
  });
});

describe('hello roots', () => {
  test.each([
    ['/home/ann/project', ['/home/ann/project']],
    ['/home/ann/project/../other/', ['/home/ann/other']],
    ['/srv/shared', ['/srv/shared']],
    ['/home/ann', []],
    ['/home/ann/.', []],
    ['/home', []],
    ['/', []],
    ['/home/ann/x/../../..', []],
    ['project', []],
    ['', []],
    ['/home/annabel', ['/home/annabel']],
  ])('started in %j a client may name files in %j', (cwd, roots) => {
    expect(helloRoots(cwd, '/home/ann')).toEqual(roots);
  });
});
