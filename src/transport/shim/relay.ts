import { CallError } from '#core/call-error.ts';
import { sleep, type Clock, type Timer } from '#core/clock.ts';
import type { Random } from '#core/random.ts';
import type { Log } from '#core/telemetry.ts';
import { MAX_LINE_BYTES } from '../local/handshake.ts';
import {
  cancelledLine,
  idInUseLine,
  interruptedLine,
  tooLargeLine,
  TOOLS_CHANGED_LINE,
  unreachableLine,
} from './answers.ts';
import { backoffMs } from './backoff.ts';
import { createInFlight, type Request } from './in-flight.ts';
import type { Link } from './link.ts';
import { isReplayable } from './replay.ts';
import { readDaemonLine, readRpcLine, toKey } from './rpc-line.ts';
import { createWaiting } from './waiting.ts';

export interface RelayOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Reaches a daemon, starting one if need be. Tried again whenever it rejects. */
  readonly connect: () => Promise<Link>;
  /** `full`: the client does not read; `clientClear` tells when it does again. */
  readonly toClient: (line: string) => 'clear' | 'full';
  /** Stops and resumes the reading of what the client sends. */
  readonly readClient: (reading: 'on' | 'off') => void;
  /** The client is gone and everything it asked is answered. */
  readonly onDone: () => void;
  readonly log: Log;
}

/** What was said before the relay was there: passed on already, but to be known. */
export interface Beginning {
  readonly link: Link;
  readonly fromClient: readonly string[];
  readonly fromDaemon: readonly string[];
}

export interface Relay {
  start(beginning?: Beginning): void;
  fromClient(line: string): void;
  clientClear(): void;
  /** The client sends no more. What is in flight is answered first. */
  clientEnded(): void;
  /** Ends at once. */
  stop(): void;
}

const MOST_WAITING_CHARS = 4_194_304;
const MOST_KEPT_CHARS = 4_194_304;
/** What waits for a daemon is answered after so long without one. */
const PATIENCE_MS = 30_000;
const INITIALIZE_MS = 10_000;
const GOODBYE_MS = 1000;
/** A daemon that takes nothing for so long is as good as gone. */
const UNREAD_MS = 60_000;
const REPLAYED_ID = 'exai-shim-initialize';
const REPLAYED_KEY = JSON.stringify(REPLAYED_ID);

/**
 * Passes messages between a client and whichever daemon there is. A daemon that goes away is noticed by nobody: the next
 * one is told what the client told the last, and what was in flight is sent again where that does no harm, and answered
 * with `interrupted` where it might.
 */
export function createRelay(options: RelayOptions): Relay {
  const { clock, random, log } = options;
  const inFlight = createInFlight(MOST_KEPT_CHARS);
  const waiting = createWaiting();
  /** What the daemon asked of the client, by id: an answer for another daemon's question must not reach this one. */
  const asked = new Set<string>();
  const holding = new Set<'waiting' | 'link'>();

  let link: Link | undefined;
  let phase: 'connecting' | 'introducing' | 'ready' | 'over' = 'connecting';
  let readOnlyTools: ReadonlySet<string> = new Set();
  let links = 0;
  let initialize: string | undefined;
  let isInitialized = false;
  let initialized: string | undefined;
  let client: 'there' | 'full' | 'ended' = 'there';
  let lastError = new CallError('timeout', 'It did not answer in time.');
  let patience: Timer | undefined;
  let introducing: Timer | undefined;
  let unread: Timer | undefined;
  let recalling = false;

  function hold(reason: 'waiting' | 'link'): void {
    if (holding.size === 0) options.readClient('off');
    holding.add(reason);
  }

  function release(reason: 'waiting' | 'link'): void {
    if (reason === 'link') {
      unread?.stop();
      unread = undefined;
    }
    if (holding.delete(reason) && holding.size === 0) options.readClient('on');
  }

  function tell(line: string): void {
    if (recalling) return;
    if (options.toClient(line) === 'clear' || client !== 'there') return;
    client = 'full';
    link?.pause();
  }

  // From the client

  function forward(line: string, request?: Request): void {
    if (phase === 'ready') return transmit(line, request);
    waiting.add(line, request?.key);
    if (waiting.chars > MOST_WAITING_CHARS) hold('waiting');
    bePatient();
  }

  function transmit(line: string, request?: Request): void {
    const maxBytes = link?.welcome.maxLineBytes ?? MAX_LINE_BYTES;
    if (isLongerThan(maxBytes, line)) return refuse(maxBytes, request);
    if (request) {
      const again = isReplayable(request.method, request.params, readOnlyTools);
      inFlight.sent(request, line, again ? 'replayable' : 'once');
    }
    if (recalling || link?.send(line) !== 'full') return;
    hold('link');
    const deaf = link;
    unread ??= clock.after(UNREAD_MS, () => abandon(deaf, 'it reads nothing'));
  }

  /** The daemon would not know whom to answer. */
  function refuse(maxBytes: number, request: Request | undefined): void {
    log.warn('message_too_large', { max_bytes: maxBytes });
    if (!request) return;
    inFlight.remove(request.key);
    tell(tooLargeLine(request.key, maxBytes));
  }

  function fromClient(line: string): void {
    const message = readRpcLine(line);
    switch (message.is) {
      case 'request': {
        const { key, method, params } = message;
        if (inFlight.has(key)) return tell(idInUseLine(key));
        if (method === 'initialize') initialize = line;
        return forward(line, inFlight.add(key, method, params));
      }
      case 'notification':
        if (message.method === 'notifications/cancelled') return cancel(line, message.params);
        if (message.method === 'notifications/initialized') initialized = line;
        return forward(line);
      case 'answer':
        if (message.key !== undefined && asked.delete(message.key)) forward(line);
        return;
      case 'other':
        return forward(line);
    }
  }

  /** Whoever cancels wants no answer; a request that no daemon is working on is simply forgotten. */
  function cancel(line: string, params: unknown): void {
    const { requestId } = (params ?? {}) as { requestId?: unknown };
    const request = inFlight.remove(toKey(requestId) ?? '');
    if (request?.state === 'waiting') waiting.remove(request.key);
    else if (phase === 'ready') transmit(line);
    endIfDone();
  }

  // From the daemon

  function fromDaemon(line: string): void {
    const message = readDaemonLine(line);
    if (message.is === 'answer' && message.key !== undefined) return answered(message.key, line);
    if (message.is === 'request') asked.add(message.key);
    tell(line);
  }

  function answered(key: string, line: string): void {
    if (phase === 'introducing' && key === REPLAYED_KEY) return introduced();
    const request = inFlight.remove(key);
    // Cancelled, or answered before by another daemon or by us: one answer is enough.
    if (!request) return;
    if (request.method === 'initialize') isInitialized = !isErrorAnswer(line);
    tell(line);
    endIfDone();
  }

  // The connection

  async function reach(first: 'at once' | 'after a pause'): Promise<void> {
    for (let tries = first === 'at once' ? 0 : 1; phase !== 'over'; tries++) {
      if (tries > 0) await sleep(clock, backoffMs(tries, random));
      if (isOver()) return;
      try {
        return adopt(await options.connect());
      } catch (thrown) {
        missed(CallError.from(thrown));
      }
    }
  }

  /** Asked through a function, because the compiler does not know that the phase moves on while we wait. */
  function isOver(): boolean {
    return phase === 'over';
  }

  function missed(error: CallError): void {
    if (error.message !== lastError.message) {
      log.warn('daemon_not_reached', { error: error.toJSON() });
    }
    lastError = error;
    // Waiting changes nothing about a wrong setting; its user should read of it now. A conflict is a daemon that starts
    // or stops at this moment.
    if (error.policy.retry === 'never' && error.class !== 'conflict') giveUp();
  }

  function adopt(next: Link): void {
    if (isOver()) return next.close();
    link = next;
    links += 1;
    readOnlyTools = new Set(next.welcome.replay);
    if (client === 'full') next.pause();
    if (links > 1) log.info('link_back', { version: next.welcome.version });
    listen(next);
    if (next === link) introduce(next);
  }

  function listen(next: Link): void {
    for (const notice of next.welcome.notices) log.warn('daemon_notice', { notice });
    next.onLine((line) => next === link && fromDaemon(line));
    next.onClear(() => next === link && release('link'));
    next.onClose((reason) => next === link && lost(reason));
  }

  /** Tells a new daemon what the client told the one before. */
  function introduce(next: Link): void {
    if (!isInitialized || initialize === undefined) return ready();
    phase = 'introducing';
    introducing = clock.after(INITIALIZE_MS, () => abandon(next, 'it does not answer initialize'));
    next.send(JSON.stringify({ ...(JSON.parse(initialize) as object), id: REPLAYED_ID }));
  }

  function introduced(): void {
    introducing?.stop();
    // One that still waits goes out in its turn.
    if (initialized !== undefined && !waiting.has(initialized)) link?.send(initialized);
    ready();
  }

  function ready(): void {
    phase = 'ready';
    patience?.stop();
    patience = undefined;
    const again = inFlight
      .all()
      .flatMap(({ state, line }) => (state === 'sent' ? (line ?? []) : []));
    for (const line of again) link?.send(line);
    for (const { line, key } of waiting.take()) {
      transmit(line, key === undefined ? undefined : inFlight.get(key));
    }
    release('waiting');
    if (links > 1 && isInitialized && initialized !== undefined) tell(TOOLS_CHANGED_LINE);
    endIfDone();
  }

  function lost(reason: string): void {
    link = undefined;
    introducing?.stop();
    if (isOver()) return;
    phase = 'connecting';
    release('link');
    for (const key of asked) tell(cancelledLine(key));
    asked.clear();
    const unsafe = inFlight.all().filter(({ state, line }) => state === 'sent' && !line);
    for (const { key } of unsafe) {
      inFlight.remove(key);
      tell(interruptedLine(key));
    }
    log.warn('link_lost', { reason, interrupted: unsafe.length, kept: inFlight.size });
    if (inFlight.size > 0) bePatient();
    endIfDone();
    void reach('after a pause');
  }

  function abandon(old: Link, reason: string): void {
    lost(reason);
    old.close();
  }

  function bePatient(): void {
    patience ??= clock.after(PATIENCE_MS, giveUp);
  }

  /** Answers everything that waits for a daemon. */
  function giveUp(): void {
    patience?.stop();
    patience = undefined;
    const requests = inFlight.all();
    if (requests.length > 0) {
      log.error('daemon_unreachable', { answered: requests.length, error: lastError.toJSON() });
    }
    const left = waiting.take();
    for (const { key } of requests) {
      inFlight.remove(key);
      tell(unreachableLine(key, lastError));
    }
    // Of what asks for no answer, only this one matters to a daemon that comes later.
    if (left.some(({ line }) => line === initialized)) waiting.add(initialized ?? '');
    release('waiting');
    endIfDone();
  }

  function endIfDone(): void {
    if (client !== 'ended' || inFlight.size > 0 || isOver()) return;
    finish();
    if (!link) return options.onDone();
    // What was sent last is on its way first.
    const timer = clock.after(GOODBYE_MS, options.onDone);
    link.onClose(() => {
      timer.stop();
      options.onDone();
    });
    link.close();
  }

  function finish(): void {
    phase = 'over';
    for (const timer of [patience, introducing, unread]) timer?.stop();
  }

  return {
    start(beginning) {
      if (!beginning) return void reach('at once');
      links = 1;
      link = beginning.link;
      phase = 'ready';
      readOnlyTools = new Set(link.welcome.replay);
      recalling = true;
      for (const line of beginning.fromClient) fromClient(line);
      for (const line of beginning.fromDaemon) fromDaemon(line);
      recalling = false;
      listen(link);
    },
    fromClient(line) {
      if (phase !== 'over') fromClient(line);
    },
    clientClear() {
      if (client !== 'full') return;
      client = 'there';
      link?.resume();
    },
    clientEnded() {
      if (client === 'full') link?.resume();
      client = 'ended';
      endIfDone();
    },
    stop() {
      finish();
      link?.close();
    },
  };
}

/** Most lines need not be measured: no character takes more than three bytes. */
function isLongerThan(maxBytes: number, line: string): boolean {
  return line.length * 3 > maxBytes && Buffer.byteLength(line) > maxBytes;
}

function isErrorAnswer(line: string): boolean {
  return (JSON.parse(line) as { error?: unknown }).error !== undefined;
}
