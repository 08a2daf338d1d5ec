import { CallError } from '#core/call-error.ts';
import type { Timer } from '#core/clock.ts';
import { MAX_LINE_BYTES } from '../local/handshake.ts';
import {
  cancelledLine,
  idInUseLine,
  interruptedLine,
  pongLine,
  tooLargeLine,
  TOOLS_CHANGED_LINE,
  unreachableLine,
  unreachableWords,
} from './answers.ts';
import { createClientSide } from './client-side.ts';
import { createConnection } from './connection.ts';
import { createInFlight, type Request } from './in-flight.ts';
import { createIntroduction } from './introduction.ts';
import { isLongerThan } from './is-longer-than.ts';
import type { Beginning, Relay, RelayOptions } from './relay-options.ts';
import { isReplayable } from './replay.ts';
import { readDaemonLine, readRpcLine, toKey } from './rpc-line.ts';
import { isStartRefusal } from './start-refusal.ts';
import { createWaiting } from './waiting.ts';

export type { Beginning, Relay } from './relay-options.ts';

const MOST_WAITING_CHARS = 4_194_304;
const MOST_KEPT_CHARS = 4_194_304;
/** What waits for a daemon is answered after so long without one. */
const PATIENCE_MS = 30_000;

/**
 * Passes messages between a client and whichever daemon there is. A daemon that goes away is noticed by nobody: the next
 * one is told what the client told the last, and what was in flight is sent again where that does no harm, and answered
 * with `interrupted` where it might. While the client needs nothing, a daemon that was stopped stays so.
 */
export function createRelay(options: RelayOptions): Relay {
  const { clock, random, log } = options;
  const inFlight = createInFlight(MOST_KEPT_CHARS);
  const waiting = createWaiting();
  const introduction = createIntroduction();
  /** What the daemon asked of the client, by id: an answer for another daemon's question must not reach this one. */
  const asked = new Set<string>();

  let readOnlyTools: ReadonlySet<string> = new Set();
  let lastError = new CallError('timeout', 'It did not answer in time.');
  let patience: Timer | undefined;
  let recalling = false;

  const connection = createConnection({
    clock,
    random,
    log,
    connect: options.connect,
    isNeeded,
    isOwed: () => inFlight.owed > 0,
    introduction: () => introduction.request,
    onLine: fromDaemon,
    onReady: ready,
    onLost: lost,
    onMissed: missed,
    onRoom: (room) => (room === 'full' ? client.hold('link') : client.release('link')),
  });

  const client = createClientSide({
    // What is recalled has been told already.
    toClient: (line) => (recalling ? 'clear' : options.toClient(line)),
    readClient: options.readClient,
    readDaemon: (reading) => (reading === 'on' ? connection.resume() : connection.pause()),
  });

  function isNeeded(): boolean {
    return inFlight.size > 0 || waiting.hasOdd;
  }

  // From the client

  function forward(line: string, request?: Request): void {
    if (connection.state === 'ready') return transmit(line, request);
    waiting.add(line, request?.key);
    if (waiting.chars > MOST_WAITING_CHARS) client.hold('waiting');
    bePatient();
    if (isNeeded()) connection.hurry();
  }

  function transmit(line: string, request?: Request): void {
    const maxBytes = connection.welcome?.maxLineBytes ?? MAX_LINE_BYTES;
    if (isLongerThan(maxBytes, line)) return refuse(maxBytes, request);
    if (request) {
      const again = isReplayable(request.method, request.params, readOnlyTools);
      inFlight.sent(request, line, again ? 'replayable' : 'once');
    }
    if (recalling) return;
    connection.send(line);
    if (request) connection.awaitAnswer();
  }

  /** The daemon would not know whom to answer. */
  function refuse(maxBytes: number, request: Request | undefined): void {
    log.warn('message_too_large', { max_bytes: maxBytes });
    if (!request) return;
    inFlight.remove(request.key);
    client.tell(tooLargeLine(request.key, maxBytes));
  }

  function fromClient(line: string): void {
    const message = readRpcLine(line);
    switch (message.is) {
      case 'request': {
        const { key, method, params } = message;
        if (inFlight.has(key)) return client.tell(idInUseLine(key));
        // Some clients ask all the time, and mean the connection: that is no work to start a daemon for.
        if (method === 'ping' && isResting()) return client.tell(pongLine(key));
        if (method === 'initialize') introduction.asked(line);
        return forward(line, inFlight.add(key, method, params));
      }
      case 'notification':
        if (message.method === 'notifications/cancelled') return cancel(line, message.params);
        if (message.method === 'notifications/initialized') introduction.confirmed(line);
        return forward(line);
      case 'answer':
        if (message.key !== undefined && asked.delete(message.key)) forward(line);
        return;
      case 'other':
        if (connection.state !== 'ready') waiting.markOdd();
        return forward(line);
    }
  }

  /** The client was served before, and now there is neither a daemon nor anything to do for one. */
  function isResting(): boolean {
    return connection.state === 'connecting' && connection.links > 0 && !isNeeded();
  }

  /** Whoever cancels wants no answer; a request that no daemon is working on is simply forgotten. */
  function cancel(line: string, params: unknown): void {
    const { requestId } = (params ?? {}) as { requestId?: unknown };
    const request = inFlight.remove(toKey(requestId) ?? '');
    if (request?.state === 'waiting') waiting.remove(request.key);
    else if (connection.state === 'ready') transmit(line);
    endIfDone();
  }

  // From the daemon

  function fromDaemon(line: string): void {
    const message = readDaemonLine(line);
    if (message.is === 'answer' && message.key !== undefined) return answered(message.key, line);
    if (message.is === 'request') asked.add(message.key);
    client.tell(line);
  }

  function answered(key: string, line: string): void {
    if (connection.state === 'introducing' && introduction.isAnswer(key)) return introduced();
    const request = inFlight.remove(key);
    // Cancelled, or answered before by another daemon or by us: one answer is enough.
    if (!request) return;
    if (request.method === 'initialize') introduction.answered(line);
    client.tell(line);
    endIfDone();
  }

  // The connection

  function missed(error: CallError): void {
    if (error.message !== lastError.message) {
      log.warn('daemon_not_reached', { error: error.toJSON() });
      options.onUnreachable(unreachableWords(error));
    }
    lastError = error;
    // Waiting changes nothing about a wrong setting; its user should read of it now.
    if (error.policy.retry === 'never' || isStartRefusal(error)) giveUp();
  }

  function introduced(): void {
    const { confirmation } = introduction;
    // One that still waits goes out in its turn.
    if (confirmation !== undefined && !waiting.has(confirmation)) connection.send(confirmation);
    connection.introduced();
  }

  function ready(): void {
    patience?.stop();
    patience = undefined;
    readOnlyTools = new Set(connection.welcome?.replay);
    for (const line of inFlight.sendAgain()) connection.send(line);
    for (const { line, key } of waiting.take()) {
      transmit(line, key === undefined ? undefined : inFlight.get(key));
    }
    if (inFlight.size > 0) connection.awaitAnswer();
    client.release('waiting');
    const isKnown = introduction.request !== undefined && introduction.confirmation !== undefined;
    if (connection.links > 1 && isKnown) client.tell(TOOLS_CHANGED_LINE);
    endIfDone();
  }

  function lost(reason: string): void {
    for (const key of asked) client.tell(cancelledLine(key));
    asked.clear();
    const unsafe = inFlight.all().filter(({ state, line }) => state === 'sent' && !line);
    for (const { key } of unsafe) {
      inFlight.remove(key);
      client.tell(interruptedLine(key));
    }
    log.warn('link_lost', { reason, interrupted: unsafe.length, kept: inFlight.size });
    if (inFlight.size > 0) bePatient();
    endIfDone();
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
      client.tell(unreachableLine(key, lastError));
    }
    // Of what asks for no answer, only this one matters to a daemon that comes later.
    const { confirmation } = introduction;
    if (confirmation !== undefined && left.some(({ line }) => line === confirmation))
      waiting.add(confirmation);
    client.release('waiting');
    endIfDone();
  }

  function endIfDone(): void {
    if (client.state !== 'ended' || inFlight.owed > 0 || connection.state === 'over') return;
    patience?.stop();
    connection.end(options.onDone);
  }

  function recall({ link, fromClient: said, fromDaemon: heard }: Beginning): void {
    connection.begin(link);
    readOnlyTools = new Set(link.welcome.replay);
    recalling = true;
    for (const line of said) fromClient(line);
    for (const line of heard) fromDaemon(line);
    recalling = false;
    connection.listen();
    if (inFlight.size > 0) connection.awaitAnswer();
  }

  return {
    start: (beginning) => (beginning ? recall(beginning) : connection.begin()),
    fromClient(line) {
      if (connection.state !== 'over') fromClient(line);
    },
    clientClear: () => client.clear(),
    clientEnded() {
      client.end();
      endIfDone();
    },
    stop() {
      patience?.stop();
      connection.stop();
    },
  };
}
