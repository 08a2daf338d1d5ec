import { CallError } from '#core/errors/call-error.ts';
import { openLink, type WireEvents } from '#client/link/link.ts';
import { createRelay } from '../../src/client/shim/relay.ts';
import {
  createTap,
  followsOf,
  confirmsChange,
  markedArgs,
  noteJob,
  PATIENCE_MS,
  type ClientOptions,
  type SimClient,
} from './client.ts';
import { patiently } from './daemon-freeze.ts';
import { createFollowing } from './job-follow.ts';
import { createLedger } from './ledger.ts';
import { createSimProcess, createSimClock } from './sim-process.ts';
import { createSimNews } from './shim-news.ts';
import {
  CLIENT_PROTOCOLS,
  type Again,
  type ClientProtocol,
  type HandoffChoice,
} from './client-protocols.ts';
import { connect, type Message, type Wire } from './wire.ts';

/**
 * From a folder that opens nothing, so that its calls are like those of other clients and may share
 * their work.
 */
const HELLO = { kind: 'shim', version: '0.1.0', cwd: '/', settings: {} } as const;
const WELCOME_WITHIN_MS = 4000;
/**
 * The longest that a shim may keep its client waiting, whatever its daemon does: until the silence
 * is noticed, until no other daemon is waited for, and a crash and a drain besides.
 */
const BOUND_MS = 500_000;

/** A client behind the real relay: it notices nothing of a daemon that goes and comes. */
export function createShimClient(options: ClientOptions): SimClient {
  const { name, plan, simulation, random } = options;
  const protocol: ClientProtocol = CLIENT_PROTOCOLS[plan.protocol];
  const ledger = createLedger(name, protocol, simulation);
  const news = createSimNews(options);
  const clock = options.shimClock(createSimClock(simulation, createSimProcess(simulation)));
  const calls: { readonly id: string; readonly text: string }[] = [];
  const cancelled = new Set<string>();
  let state: 'new' | 'running' | 'over' = 'new';
  let onGone: (() => void) | undefined;
  let wire: Wire | undefined;
  let wires = 0;
  let ids = 0;
  let readsFrom = 0;

  const relay = createRelay({
    clock,
    random: (bytes) => random.bytes(bytes),
    connect(start) {
      // The simulation brings every daemon back by itself; a shim may ask for one only on behalf of its
      // client.
      if (start === 'if_needed' && wires > 0 && ledger.owed.length === 0 && !news.isAwaited)
        simulation.violate('idle', `the shim of ${name} starts a daemon that nobody needs`);
      return openLink(open, { hello: HELLO, clock, withinMs: WELCOME_WITHIN_MS });
    },
    toClient(line) {
      simulation.tell(name, () => `hears ${line}`);
      const message = JSON.parse(line) as Message;
      if (news.hear(message)) return simulation.now < readsFrom ? 'full' : 'clear';
      const heard = protocol.hear(message);
      if (heard.is === 'answer') {
        ledger.answered(heard.id);
        if (cancelled.has(heard.id))
          simulation.violate('cancelled', `${name} hears of ${heard.id} after it was cancelled`);
        if (confirmsChange(heard)) options.acknowledged.add(heard.reqId);
        noteJob(options, heard);
        following.hear(heard);
      }
      return simulation.now < readsFrom ? 'full' : 'clear';
    },
    readClient: () => undefined,
    onDone: done,
    onUnreachable: () => undefined,
    log: { info() {}, warn() {}, error() {}, with: () => ({}) as never },
  });

  function open(events: WireEvents) {
    const session = `${name}.${++wires}`;
    let receivedBytes = 0;
    const made = connect({
      simulation,
      random,
      opening: { session, token: undefined, protocol: undefined },
      transport: 'unix',
      sending: options.sending(),
      daemonFreeze: options.daemonFreeze,
      tap: createTap(options, protocol, session),
      client: {
        name,
        onMessage(message) {
          const line = JSON.stringify(message);
          receivedBytes += line.length;
          events.onLine(line);
        },
        onClosed: (how) => events.onClose(new CallError('network', `It hung up (${how}).`)),
      },
      open: (channel, opening) => options.open(channel, opening),
    });
    wire = made;
    return {
      send(line: string) {
        made.send(line);
        return 'clear' as const;
      },
      pause: () => undefined,
      resume: () => undefined,
      close: () => made.end(),
      cut: () => made.cut(),
      get receivedBytes() {
        return receivedBytes;
      },
    };
  }

  const following = createFollowing({
    ...followsOf(options),
    call: (tool, args) => ask((id) => protocol.call(id, tool, markedArgs(args, id))),
  });

  function done(): void {
    state = 'over';
    news.end();
    const { owed } = ledger;
    if (owed.length > 0)
      simulation.violate(
        'answered',
        `the shim of ${name} ended without answering ${owed.join(' ')}`,
      );
    onGone?.();
  }

  function say(text: string): void {
    if (state === 'over') return;
    if (state === 'new') {
      relay.start();
      for (const wish of news.begin(BOUND_MS)) relay.fromClient(wish);
    }
    state = 'running';
    simulation.tell(name, () => `says ${text}`);
    relay.fromClient(text);
  }

  function ask(text: (id: string) => string): string {
    const id = `${name}-${++ids}`;
    ledger.asked(id);
    calls.push({ id, text: text(id) });
    simulation.after(BOUND_MS, () => {
      if (ledger.owed.includes(id)) simulation.violate('bounded', `${name} still waits for ${id}`);
    });
    say(text(id));
    return id;
  }

  function take(back: number) {
    const at = calls.length - 1 - back;
    return at < 0 ? undefined : calls.splice(at, 1)[0];
  }

  return {
    act(act) {
      switch (act.is) {
        case 'call':
          ask((id) => protocol.call(id, act.tool, markedArgs(act.args, id), wished(act)));
          return;
        case 'list':
          ask((id) => protocol.list(id));
          return;
        case 'cancel': {
          const call = take(act.back);
          if (!call) return;
          ledger.cancelled(call.id);
          say(protocol.cancel(call.id, act.why));
          cancelled.add(call.id);
          return;
        }
        case 'duplicate': {
          const call = take(act.back);
          if (!call) return;
          ledger.asked(call.id);
          return say(call.text);
        }
        case 'cancel-unknown':
          return say(protocol.cancel('nobody-asked'));
        case 'dawdle':
          readsFrom = simulation.now + act.ms;
          simulation.after(act.ms, () => relay.clientClear());
          return;
        case 'cut':
          return wire?.cut();
        case 'garbage':
        case 'end':
      }
    },
    finish() {
      following.stop();
      if (state !== 'running') return Promise.resolve();
      return new Promise((resolve) => {
        const owed = () => ledger.owed.join(' ') || 'the end';
        const tooLong = patiently(simulation, options.daemonFreeze, PATIENCE_MS, () =>
          simulation.violate('answered', `${name} still waits for ${owed()}`),
        );
        const whateverComes = simulation.after(BOUND_MS, () =>
          simulation.violate('bounded', `the shim of ${name} does not end: it waits for ${owed()}`),
        );
        onGone = () => {
          tooLong.stop();
          whateverComes.stop();
          resolve();
        };
        relay.clientEnded();
      });
    },
  };
}

function wished({ wish }: { readonly wish?: HandoffChoice }): Again | undefined {
  return wish && { wish };
}
