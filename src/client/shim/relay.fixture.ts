import type { CallError } from '#core/errors/call-error.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { createListLog } from '../../../test/list-log.ts';
import type { Welcome } from '#core/local-socket/handshake.ts';
import type { Link } from '../link/link.ts';
import { createRelay } from './relay.ts';
import type { StartMode } from './reconnect.ts';

const WELCOME: Welcome = { version: '0.1.0', instance: 'a', replay: ['status'], notices: [] };

export interface FakeLink extends Link {
  readonly sent: string[];
  readonly state: { open: boolean; reading: boolean; full: boolean };
  /** A line from the daemon. */
  say(line: string): void;
  drop(): void;
  clear(): void;
}

export function createFakeLink(welcome: Partial<Welcome> = {}): FakeLink {
  const sent: string[] = [];
  let receivedBytes = 0;
  const state = { open: true, reading: true, full: false };
  let onLine: (line: string) => void = () => undefined;
  let onClose: (reason: string) => void = () => undefined;
  let onClear: () => void = () => undefined;
  const close = () => {
    if (!state.open) return;
    state.open = false;
    onClose('closed');
  };
  return {
    sent,
    state,
    welcome: { ...WELCOME, ...welcome },
    send(line) {
      if (state.open) sent.push(line);
      return state.full ? 'full' : 'clear';
    },
    onLine: (listener) => void (onLine = listener),
    onClose: (listener) => void (onClose = listener),
    onClear: (listener) => void (onClear = listener),
    pause: () => void (state.reading = false),
    resume: () => void (state.reading = true),
    close,
    cut: close,
    get receivedBytes() {
      return receivedBytes;
    },
    say(line) {
      receivedBytes += line.length;
      onLine(line);
    },
    drop: close,
    clear: () => onClear(),
  };
}

export function setup() {
  const clock = createFakeClock();
  const log = createListLog();
  const told: string[] = [];
  const reading: string[] = [];
  const tries: { resolve(link: Link): void; reject(error: CallError): void }[] = [];
  const tried: StartMode[] = [];
  const warned: string[] = [];
  let done = 0;
  let client: 'clear' | 'full' = 'clear';
  const relay = createRelay({
    clock,
    random: (bytes) => new Uint8Array(bytes).fill(255),
    connect(start) {
      tried.push(start);
      return new Promise((resolve, reject) => tries.push({ resolve, reject }));
    },
    toClient(line) {
      told.push(line);
      return client;
    },
    readClient: (state) => void reading.push(state),
    onDone: () => void (done += 1),
    onUnreachable: (words) => void warned.push(words),
    log,
  });
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    relay,
    clock,
    log,
    told,
    reading,
    settle,
    tried: () => tried.length,
    /** Of every attempt, whether it may start a daemon. */
    starting: tried,
    warned,
    done: () => done,
    setClient: (state: 'clear' | 'full') => void (client = state),
    /** Lets the oldest attempt succeed. */
    arrive: async (link: Link = createFakeLink()): Promise<void> => {
      tries.shift()?.resolve(link);
      await settle();
    },
    fail: async (error: CallError): Promise<void> => {
      tries.shift()?.reject(error);
      await settle();
    },
    /** The default pause before the next attempt. */
    pass: async (ms = 2000): Promise<void> => {
      clock.advance(ms);
      await settle();
    },
  };
}

export const request = (id: number | string, method: string, params: object = {}) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });
export const call = (id: number | string, name: string) => request(id, 'tools/call', { name });
export const notify = (method: string, params: object = {}) =>
  JSON.stringify({ jsonrpc: '2.0', method, params });
export const answer = (id: number | string, result: object = {}) =>
  JSON.stringify({ jsonrpc: '2.0', id, result });
/** A daemon's word that a subscription stands. */
export const acknowledgement = (id: number | string, notifications: object | null = {}) =>
  notify('notifications/subscriptions/acknowledged', {
    notifications,
    _meta: { 'io.modelcontextprotocol/subscriptionId': id },
  });
export const parsed = (lines: readonly string[]) =>
  lines.map((line) => JSON.parse(line) as unknown);

export const INITIALIZE = request(0, 'initialize', { protocolVersion: '2025-11-25' });
export const INITIALIZED = notify('notifications/initialized');
export const REPLAYED = JSON.stringify({
  ...(JSON.parse(INITIALIZE) as object),
  id: 'exai-shim-initialize',
});
/** What a legacy client gets whenever another daemon has come. */
export const LISTS_CHANGED = ['tools', 'prompts', 'resources'].map(
  (list) => `{"jsonrpc":"2.0","method":"notifications/${list}/list_changed"}`,
);

/** A relay with a client that has been initialised over the first link. */
export async function initialised() {
  const world = setup();
  const first = createFakeLink();
  world.relay.start();
  await world.arrive(first);
  world.relay.fromClient(INITIALIZE);
  first.say(answer(0));
  world.relay.fromClient(INITIALIZED);
  world.told.length = 0;
  first.sent.length = 0;
  return { ...world, first };
}

/** Lets a disconnected relay find its next daemon and initialize it. */
export async function comeBack(
  world: Awaited<ReturnType<typeof initialised>>,
  link = createFakeLink(),
) {
  await world.pass(50);
  await world.arrive(link);
  link.say(answer('exai-shim-initialize'));
  return link;
}
