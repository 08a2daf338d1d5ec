import { getEventListeners } from 'node:events';
import type { Clock } from '#core/time/clock.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import type { Http } from '#core/net/http.ts';
import type {
  Capability,
  VendorRequestRecord,
  StreamTimeouts,
  Provider,
  ProviderContext,
} from '#core/llm/provider.ts';
import { createSecret, type Secret } from '#core/secrets/secret.ts';
import { systemClock, systemRandom } from '#app/system.ts';
import { createCatalogue } from '#models/catalogue.ts';
import { createHttp } from '#net/create-http.ts';
import type { ProviderDeps } from '#providers/provider-deps.ts';
import type { SeenRequest } from '../../emulator/requests.ts';
import { startEmulator, type Emulator } from '../../emulator/start.ts';

/** A provider and the part of the emulator that it speaks to. */
export interface ProviderSubject {
  readonly name: string;
  /** The emulator's name of the vendor. */
  readonly vendor: string;
  /** Below the emulator's address. */
  readonly path: string;
  /** One that calls tools and, where the vendor has such, thinks. */
  readonly model: string;
  readonly key: string;
  readonly wrongKey: string;
  /** Its server takes any key, or none. */
  readonly keyless?: true;
  /** The header of its key; default: `authorization`. */
  readonly keyHeader?: string;
  /** Words of the fix for a missing key, where they differ. */
  readonly keyFix?: string;
  /** Its vendor alone knows its models. */
  readonly unlisted?: true;
  /** Whether its vendor gives ids to requests. */
  readonly hasIds: boolean;
  /** All that it can, and nothing else. */
  readonly can: readonly Capability[];
  readonly thinking: SubjectThinking;
  readonly pictures: SubjectPictures;
  /** Events of a stream that come before those with text, when two words are thought. */
  readonly leadEvents: number;
  /** It waits longer for the first token than it is told, because its server may load a model. */
  readonly slowStart?: true;
  /** A model that its vendor has switched off, and the one that is asked in its place. */
  readonly retired?: { readonly model: string; readonly successor: string };
  /** A key of the vendor's other shop, and where that is. */
  readonly otherHost?: { readonly key: string; readonly url: string };
  /** Switches of the emulator. */
  readonly switches?: Readonly<Record<string, unknown>>;
  create(settings: { baseUrl: string; key: Secret }, deps: ProviderDeps): Provider;
}

export interface SubjectThinking {
  /** What becomes of a wish not to think. */
  readonly off: 'obeyed' | 'noticed';
  /** What the vendor gets of an effort `low`, and the model that takes one. */
  readonly effort?: { readonly model: string; readonly sent: object };
  /**
   * Under which name the vendor gets back what was thought before a tool call; nothing where it
   * wants none.
   */
  readonly back?: string;
}

export interface SubjectPictures {
  /** A model that reads pictures. */
  readonly seeing?: string;
  /** A model that is known to read texts alone. */
  readonly blind?: string;
  /** Switches that let it see. */
  readonly switches?: Readonly<Record<string, unknown>>;
}

export interface OpenProvider {
  readonly provider: Provider;
  readonly emulator: Emulator;
  readonly clock: Clock;
  /** All share one signal, so that listeners left on it are seen. */
  readonly context: (onVendorRequest?: (exchange: VendorRequestRecord) => void) => ProviderContext;
  /** The same provider with another key. */
  withKey(key: string): Provider;
  /** What the vendor received since the last reset. */
  received(): readonly SeenRequest[];
  /** The same for chats alone: their bodies. */
  bodies(): readonly Record<string, unknown>[];
  /** The next stream says nothing more after so many events. */
  stallAfter(events: number): void;
  reset(): void;
  /** What is still there: timers of the clock and listeners on the signal. */
  left(): { readonly timers: number; readonly listeners: number };
  close(): Promise<void>;
}

export interface OpenOptions {
  readonly patience?: StreamTimeouts;
  readonly deadlineMs?: number;
  /** What time it is, here and at the vendor. */
  readonly now?: () => number;
  /** `host:port` that pictures may be fetched from. */
  readonly allowPrivate?: readonly string[];
  readonly acquirePermit?: ProviderDeps['acquirePermit'];
  /** No time passes for the provider until the vendor has its request. */
  readonly startsWithRequest?: true;
  /** Puts something between the provider and the network. */
  readonly between?: (http: Http) => Http;
}

const DIRECT = { httpProxy: '', httpsProxy: '', noProxy: '', extraCa: '' };
const DEADLINE_MS = 120_000;
const PATIENCE = { firstTokenMs: 90_000, idleMs: 90_000 };

export async function openProvider(
  subject: ProviderSubject,
  options: OpenOptions = {},
): Promise<OpenProvider> {
  const {
    patience = PATIENCE,
    deadlineMs = DEADLINE_MS,
    now,
    allowPrivate = [],
    acquirePermit,
  } = options;
  const { between = (same) => same } = options;
  const emulator = await startEmulator(now ? { now } : {});
  const catalogue = createCatalogue();
  const ticking = options.startsWithRequest
    ? startingClock(() => emulator.requests().length > 0)
    : systemClock;
  const clock = countingClock(now ? { ...ticking, now } : ticking);
  const network = { ...DIRECT, allowPrivate };
  const http = createHttp({ network, guard: 'configured', clock });
  const publicHttp = createHttp({ network, guard: 'public', clock });
  const { signal } = new AbortController();
  const deps: ProviderDeps = {
    http: between(http),
    publicHttp,
    clock,
    random: systemRandom,
    catalogue: () => catalogue,
    timeouts: patience,
    ...(acquirePermit && { acquirePermit }),
  };
  const baseUrl = `${emulator.url}${subject.path}`;
  const make = (key: string) => subject.create({ baseUrl, key: createSecret(key) }, deps);
  const reset = () => {
    emulator.reset();
    Object.assign(emulator.switches[subject.vendor] ?? {}, subject.switches);
  };
  reset();
  return {
    provider: make(subject.key),
    emulator,
    clock,
    context: (onVendorRequest) => ({
      signal,
      deadline: deadlineIn(clock, deadlineMs),
      ...(onVendorRequest && { onVendorRequest: onVendorRequest }),
    }),
    withKey: make,
    received: () => emulator.requests(),
    bodies: () =>
      emulator
        .requests()
        .filter(({ path }) => /\/(?:chat\/completions|messages)$/.test(path))
        .map(({ body }) => body as Record<string, unknown>),
    stallAfter: (after) =>
      emulator.fault({ id: 'F5.stall', vendor: subject.vendor, path: 'chat', after }),
    reset,
    left: () => ({ timers: clock.waiting(), listeners: getEventListeners(signal, 'abort').length }),
    async close() {
      await http.close();
      await publicHttp.close();
      await emulator.close();
    },
  };
}

/** Turns of the event loop in which bytes that wait in sockets of this process are read. */
const TURNS = 10;

/**
 * Timers of the machine's clock do not keep the process, so nobody but the clock can count them. A
 * timer that is due first lets what has already arrived be read, so that a process that was halted
 * does not take its own pause for a silence.
 */
export function countingClock(clock: Clock): Clock & { waiting(): number } {
  const waiting = new Set<object>();
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    after(ms, then) {
      const mark = {};
      waiting.add(mark);
      const fire = (turns: number) => {
        if (!waiting.has(mark)) return;
        if (turns > 0) return void setImmediate(fire, turns - 1);
        waiting.delete(mark);
        then();
      };
      const timer = clock.after(ms, () => fire(TURNS));
      return {
        stop() {
          waiting.delete(mark);
          timer.stop();
        },
      };
    },
    waiting: () => waiting.size,
  };
}

const LOOK_AGAIN_MS = 5;

/** The machine's clock, standing still until something has happened. */
function startingClock(hasStarted: () => boolean): Clock {
  let startedAt: number | undefined;
  const monotonic = () => {
    if (startedAt === undefined && hasStarted()) startedAt = systemClock.monotonic();
    return startedAt === undefined ? 0 : systemClock.monotonic() - startedAt;
  };
  return {
    now: () => systemClock.now(),
    monotonic,
    after(ms, then) {
      const dueAt = monotonic() + ms;
      const fire = () => {
        const leftMs = dueAt - monotonic();
        if (leftMs <= 0) return then();
        timer = systemClock.after(Math.max(leftMs, LOOK_AGAIN_MS), fire);
      };
      let timer = systemClock.after(ms, fire);
      return { stop: () => timer.stop() };
    },
  };
}

/** Sockets of this process, the emulator's ends of them included. */
export function openSockets(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;
}
