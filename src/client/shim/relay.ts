import { CallError } from '#core/call-error.ts';
import type { Timer } from '#core/clock.ts';
import { MAX_LINE_BYTES } from '#core/local-socket/handshake.ts';
import {
  cancelledLine,
  idInUseLine,
  interruptedLine,
  pongLine,
  tooLargeLine,
  unreachableLine,
  unreachableWords,
} from './answers.ts';
import { createClientSide } from './client-side.ts';
import { createConnection } from './connection.ts';
import { createInFlight, SUBSCRIPTION, type Request } from './in-flight.ts';
import { createIntroduction } from './introduction.ts';
import { isLongerThan } from './is-longer-than.ts';
import { ACKNOWLEDGED, LISTS_CHANGED_LINES, newsFor, subscriptionOf, updatedLine } from './news.ts';
import { createOwnRequests } from './own-requests.ts';
import { createQuestions } from './questions.ts';
import type { Beginning, Relay, RelayOptions } from './relay-options.ts';
import { isReplayable } from './replay.ts';
import { isErrorAnswer, readDaemonLine, readRpcLine, toKey } from './rpc-line.ts';
import { isStartRefusal } from '../start-refusal.ts';
import { createWaiting } from './waiting.ts';
import { createWishes, isWish } from './wishes.ts';

export type { Beginning, Relay } from './relay-options.ts';

const MOST_WAITING_CHARS = 4_194_304;
const MOST_KEPT_CHARS = 4_194_304;
/** What waits for a daemon is answered after so long without one. */
const PATIENCE_MS = 30_000;

/**
 * Passes messages between a client and whichever daemon there is. A daemon that goes away is noticed by nobody: the next
 * one is told what the client told the last and what it wished for, and what was in flight is sent again where that does
 * no harm, and answered with `interrupted` where it might. While the client needs nothing but news, a daemon that was
 * stopped stays so.
 */
export function createRelay(options: RelayOptions): Relay {
  const { clock, random, log } = options;
  const inFlight = createInFlight(MOST_KEPT_CHARS);
  const waiting = createWaiting();
  const introduction = createIntroduction();
  const wishes = createWishes(log);
  const own = createOwnRequests((key) => inFlight.has(key));
  const questions = createQuestions();

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
    isOwed: () => inFlight.pending > 0,
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
    return inFlight.pending > 0 || waiting.hasOdd;
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
        if (inFlight.has(key) || own.has(key)) return client.tell(idInUseLine(key));
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
        if (questions.isWanted(message.key)) forward(line);
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
    switch (message.is) {
      case 'answer':
        return message.key === undefined ? client.tell(line) : answered(message.key, line);
      case 'request':
        questions.asked(message.key);
        return client.tell(line);
      case 'notification':
        return notified(line, message.method, message.params);
      case 'other':
        return client.tell(line);
    }
  }

  function notified(line: string, method: string, params: unknown): void {
    if (method === ACKNOWLEDGED) return acknowledged(line, params);
    if (method === 'notifications/cancelled') questions.cancelled(params);
    client.tell(line);
  }

  /** The client hears once that its subscription stands; later it only hears what it may have missed. */
  function acknowledged(line: string, params: unknown): void {
    const request = inFlight.get(toKey(subscriptionOf(params)) ?? '');
    // Cancelled meanwhile.
    if (request?.method !== SUBSCRIPTION) return;
    const first = inFlight.acknowledge(request, line);
    for (const each of first === undefined ? [line] : newsFor(first)) client.tell(each);
  }

  function answered(key: string, line: string): void {
    if (connection.state === 'introducing' && introduction.isAnswer(key)) return introduced();
    if (own.settle(key)) return;
    const request = inFlight.remove(key);
    // Cancelled, or answered before by another daemon or by us: one answer is enough.
    if (!request) return;
    if (request.method === 'initialize') introduction.answered(line);
    else if (isWish(request.method) && !isErrorAnswer(line)) wishes.granted(request);
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
    confirm();
    connection.introduced();
  }

  /** Says for the client that it is initialised, if it has said so; what still waits goes out in its turn. */
  function confirm(): void {
    const { confirmation } = introduction;
    if (confirmation !== undefined && !waiting.has(confirmation)) connection.send(confirmation);
  }

  function ready(): void {
    patience?.stop();
    patience = undefined;
    readOnlyTools = new Set(connection.welcome?.replay);
    for (const line of wishes.sayAgain(() => own.newId())) transmit(line);
    for (const line of inFlight.sendAgain()) {
      connection.send(line);
      if (introduction.isRequest(line)) confirm();
    }
    for (const { line, key } of waiting.take()) {
      transmit(line, key === undefined ? undefined : inFlight.get(key));
    }
    if (inFlight.pending > 0) connection.awaitAnswer();
    client.release('waiting');
    if (connection.links > 1) tellNews();
    endIfDone();
  }

  /** What changed while there was no daemon nobody told. Subscriptions of the modern era hear it when they stand again. */
  function tellNews(): void {
    const isKnown = introduction.request !== undefined && introduction.confirmation !== undefined;
    if (isKnown) for (const line of LISTS_CHANGED_LINES) client.tell(line);
    for (const uri of wishes.watched) client.tell(updatedLine(uri));
  }

  function lost(reason: string): void {
    for (const key of questions.take()) client.tell(cancelledLine(key));
    own.clear();
    const spent = inFlight.spent();
    for (const { key } of spent) {
      inFlight.remove(key);
      client.tell(interruptedLine(key));
    }
    log.warn('link_lost', { reason, interrupted: spent.length, kept: inFlight.size });
    if (inFlight.pending > 0) bePatient();
    endIfDone();
  }

  function bePatient(): void {
    patience ??= clock.after(PATIENCE_MS, giveUp);
  }

  /** Answers everything that waits for a daemon; subscriptions that stand wait on. */
  function giveUp(): void {
    patience?.stop();
    patience = undefined;
    const requests = inFlight.takePending();
    if (requests.length > 0) {
      log.error('daemon_unreachable', { answered: requests.length, error: lastError.toJSON() });
    }
    const left = waiting.take();
    for (const { key } of requests) client.tell(unreachableLine(key, lastError));
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
    if (inFlight.pending > 0) connection.awaitAnswer();
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
