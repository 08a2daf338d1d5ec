import { CallError } from '#core/errors/call-error.ts';
import { MAX_LINE_BYTES } from '#core/local-socket/handshake.ts';
import type { Random } from '#core/random.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import type { Clock, Timer } from '#core/time/clock.ts';
import { readStopping, STOPPING_METHOD } from '#mcp/stopping.ts';
import type { Link } from '../link/link.ts';
import { isStartRefusal } from '../start-failure.ts';
import { createClientSide, type ClientSideOptions } from './client-side.ts';
import { createDaemonConnection } from './daemon-connection.ts';
import { createPendingRequests, LISTEN_METHOD, type PendingRequest } from './pending-requests.ts';
import type { Connect } from './reconnect.ts';
import {
  createInitializeReplay,
  createOutbox,
  createRelayRequests,
  createServerRequests,
  createSessionReplay,
  isReplayable,
  isSessionSetting,
} from './replay-state.ts';
import {
  ACKNOWLEDGED,
  cancelledLine,
  formatUnreachable,
  idInUseLine,
  interruptedLine,
  isErrorAnswer,
  isLongerThan,
  LISTS_CHANGED_LINES,
  missedNotifications,
  pongLine,
  readDaemonLine,
  readRpcLine,
  subscriptionOf,
  toKey,
  tooLargeLine,
  unreachableLine,
  updatedLine,
  type RpcLine,
} from './rpc-lines.ts';

interface RelayOptions extends Pick<ClientSideOptions, 'toClient' | 'readClient'> {
  readonly clock: Clock;
  readonly random: Random;
  /** Connects to a daemon, and starts one if needed and allowed. Retried whenever it rejects. */
  readonly connect: Connect;
  /** The client is gone and all its requests are answered. */
  readonly onDone: () => void;
  /** Reports on stderr why there is no daemon, each reason once. */
  readonly onUnreachable: (message: string) => void;
  readonly log: Log;
}

/**
 * Messages that were exchanged before the relay was loaded: delivered already, but part of its
 * state.
 */
export interface PriorExchange {
  readonly link: Link;
  readonly fromClient: readonly string[];
  readonly fromDaemon: readonly string[];
}

/** The relay between one client and its daemon. */
export interface Relay {
  start(prior?: PriorExchange): void;
  /** `message`: what the line says, if it was parsed already. */
  fromClient(line: string, message?: RpcLine): void;
  clientClear(): void;
  /** A daemon is starting and makes progress: requests wait on. */
  waitOn(): void;
  /** The client sends no more. Pending requests are answered first. */
  clientEnded(): void;
  /** Ends at once. */
  stop(): void;
}

const MAX_OUTBOX_CHARS = 4_194_304;
const MAX_REPLAY_CHARS = 4_194_304;
/** How long requests wait for a daemon before they are answered with an error. */
const GIVE_UP_MS = 30_000;

/**
 * Relays messages between one client and the current daemon, and hides daemon restarts from the
 * client. The next daemon gets the client's `initialize`, log level and resource subscriptions
 * again. Pending requests are sent again if that is safe; otherwise they are answered with
 * `interrupted`. While the client only listens for notifications, a stopped daemon is not started
 * again.
 */
export function createRelay(options: RelayOptions): Relay {
  const { clock, random, log } = options;
  const pending = createPendingRequests(MAX_REPLAY_CHARS);
  const outbox = createOutbox();
  const initializeReplay = createInitializeReplay();
  const sessionReplay = createSessionReplay(log);
  const relayRequests = createRelayRequests((key) => pending.has(key));
  const serverRequests = createServerRequests();

  let readOnlyTools: ReadonlySet<string> = new Set();
  let lastError = new CallError('timeout', 'It did not answer in time.');
  let giveUpTimer: Timer | undefined;
  let isRecalling = false;
  /** What the daemon has begun of the requests without an answer, if it said so before it stopped. */
  let begunAtStop: ReadonlySet<string> | undefined;

  const connection = createDaemonConnection({
    clock,
    random,
    log,
    connect: options.connect,
    isNeeded,
    hasPendingRequest: () => pending.waitingCount > 0,
    initializeLine: () => initializeReplay.request,
    onLine: fromDaemon,
    onReady: ready,
    onLost: lost,
    onConnectFailed: connectFailed,
    onBackpressure: (pressure) =>
      pressure === 'full' ? client.hold('link') : client.release('link'),
  });

  const client = createClientSide({
    // Recalled messages have been sent to the client already.
    toClient: (line) => (isRecalling ? 'clear' : options.toClient(line)),
    readClient: options.readClient,
    readDaemon: (reading) => (reading === 'on' ? connection.resume() : connection.pause()),
  });

  function isNeeded(): boolean {
    return pending.waitingCount > 0 || outbox.hasUnclassified;
  }

  // From the client

  function forward(line: string, request?: PendingRequest): void {
    if (connection.state === 'ready') return transmit(line, request);
    outbox.add(line, request?.key);
    if (outbox.chars > MAX_OUTBOX_CHARS) client.hold('outbox');
    armGiveUp();
    if (isNeeded()) connection.retryNow();
  }

  function transmit(line: string, request?: PendingRequest): void {
    const maxBytes = connection.welcome?.maxLineBytes ?? MAX_LINE_BYTES;
    if (isLongerThan(maxBytes, line)) return refuse(maxBytes, request);
    if (request) {
      const again = isReplayable(request.method, request.params, readOnlyTools);
      pending.sent(request, line, again ? 'replayable' : 'once');
    }
    if (isRecalling) return;
    connection.send(line);
    if (request) connection.awaitAnswer();
  }

  /** Answers an oversized request here, since the daemon could not read its id. */
  function refuse(maxBytes: number, request: PendingRequest | undefined): void {
    log.warn('message_too_large', { max_bytes: maxBytes });
    if (!request) return;
    pending.remove(request.key);
    client.send(tooLargeLine(request.key, maxBytes));
  }

  function fromClient(line: string, message: RpcLine): void {
    switch (message.is) {
      case 'request': {
        const { key, method, params } = message;
        if (pending.has(key) || relayRequests.has(key)) return client.send(idInUseLine(key));
        // Some clients ping constantly to check the connection: no reason to start a daemon.
        if (method === 'ping' && isResting()) return client.send(pongLine(key));
        if (method === 'initialize') initializeReplay.requested(line);
        return forward(line, pending.add(key, method, params));
      }
      case 'notification':
        if (message.method === 'notifications/cancelled') return cancel(line, message.params);
        if (message.method === 'notifications/initialized') initializeReplay.confirmed(line);
        return forward(line);
      case 'answer':
        if (serverRequests.isWanted(message.key)) forward(line);
        return;
      case 'other':
        if (connection.state !== 'ready') outbox.markUnclassified();
        return forward(line);
    }
  }

  /**
   * Whether a daemon served the client before, and now there is neither a daemon nor work for one.
   */
  function isResting(): boolean {
    return connection.state === 'connecting' && connection.links > 0 && !isNeeded();
  }

  /** Drops the cancelled request without an answer; a daemon that works on it is notified. */
  function cancel(line: string, params: unknown): void {
    const { requestId } = (params ?? {}) as { requestId?: unknown };
    const request = pending.remove(toKey(requestId) ?? '');
    if (request?.state === 'waiting') outbox.remove(request.key);
    else if (connection.state === 'ready') transmit(line);
    endIfDone();
  }

  // From the daemon

  function fromDaemon(line: string): void {
    const message = readDaemonLine(line);
    switch (message.is) {
      case 'answer':
        return message.key === undefined ? client.send(line) : answered(message.key, line);
      case 'request':
        serverRequests.received(message.key);
        return client.send(line);
      case 'notification':
        return notified(line, message.method, message.params);
      case 'other':
        return client.send(line);
    }
  }

  function notified(line: string, method: string, params: unknown): void {
    if (method === ACKNOWLEDGED) return acknowledged(line, params);
    if (method === STOPPING_METHOD) return stopping(params);
    if (method === 'notifications/cancelled') serverRequests.cancelled(params);
    client.send(line);
  }

  /** The daemon stops: what it has not begun is for the next one, also what is still sent to it. */
  function stopping(params: unknown): void {
    const begun = readStopping(params);
    if (begun) begunAtStop = new Set(begun.flatMap((id) => toKey(id) ?? []));
  }

  /**
   * Passes the first acknowledgement of a subscription to the client; later ones are replaced by
   * the notifications it may have missed.
   */
  function acknowledged(line: string, params: unknown): void {
    const request = pending.get(toKey(subscriptionOf(params)) ?? '');
    // Cancelled in the meantime.
    if (request?.method !== LISTEN_METHOD) return;
    const first = pending.acknowledge(request, line);
    for (const each of first === undefined ? [line] : missedNotifications(first)) client.send(each);
  }

  function answered(key: string, line: string): void {
    if (connection.state === 'initializing' && initializeReplay.isAnswer(key)) return initialized();
    if (relayRequests.settle(key)) return;
    const request = pending.remove(key);
    // Cancelled, or answered already by another daemon or by the relay.
    if (!request) return;
    if (request.method === 'initialize') initializeReplay.answered(line);
    else if (isSessionSetting(request.method) && !isErrorAnswer(line))
      sessionReplay.accepted(request);
    client.send(line);
    endIfDone();
  }

  // The connection

  function connectFailed(error: CallError): void {
    if (error.message !== lastError.message) {
      log.warn('daemon_not_reached', { error: error.toJSON() });
      options.onUnreachable(formatUnreachable(error));
    }
    lastError = error;
    // Waiting does not fix a wrong setting; the user should see the error now.
    if (error.policy.retry === 'never' || isStartRefusal(error)) giveUp();
  }

  function initialized(): void {
    confirm();
    connection.initialized();
  }

  /**
   * Sends `notifications/initialized` again if the client has sent it; one still in the outbox goes
   * out from there.
   */
  function confirm(): void {
    const { confirmation } = initializeReplay;
    if (confirmation !== undefined && !outbox.has(confirmation)) connection.send(confirmation);
  }

  function ready(): void {
    giveUpTimer?.stop();
    giveUpTimer = undefined;
    readOnlyTools = new Set(connection.welcome?.replay);
    for (const line of sessionReplay.replayRequests(() => relayRequests.newId())) transmit(line);
    for (const line of pending.replayLines()) {
      connection.send(line);
      if (initializeReplay.isRequest(line)) confirm();
    }
    for (const { line, key } of outbox.take()) {
      transmit(line, key === undefined ? undefined : pending.get(key));
    }
    if (pending.waitingCount > 0) connection.awaitAnswer();
    client.release('outbox');
    if (connection.links > 1) sendMissed();
    endIfDone();
  }

  /**
   * Notifies a legacy client of all it may have missed while there was no daemon. Modern
   * subscriptions get this when they are acknowledged again.
   */
  function sendMissed(): void {
    const isKnown =
      initializeReplay.request !== undefined && initializeReplay.confirmation !== undefined;
    if (isKnown) for (const line of LISTS_CHANGED_LINES) client.send(line);
    for (const uri of sessionReplay.watched) client.send(updatedLine(uri));
  }

  function lost(reason: string): void {
    for (const key of serverRequests.take()) client.send(cancelledLine(key));
    relayRequests.clear();
    if (begunAtStop) pending.begun(begunAtStop);
    begunAtStop = undefined;
    const interrupted = pending.unrepeatable();
    for (const { key } of interrupted) {
      pending.remove(key);
      client.send(interruptedLine(key));
    }
    log.warn('connection_lost', { reason, interrupted: interrupted.length, kept: pending.size });
    if (pending.waitingCount > 0) armGiveUp();
    endIfDone();
  }

  function armGiveUp(): void {
    giveUpTimer ??= clock.after(GIVE_UP_MS, giveUp);
  }

  /** Answers every request that waits for a daemon; acknowledged subscriptions keep waiting. */
  function giveUp(): void {
    giveUpTimer?.stop();
    giveUpTimer = undefined;
    const requests = pending.takePending();
    if (requests.length > 0) {
      log.error('daemon_unreachable', { answered: requests.length, error: lastError.toJSON() });
    }
    const left = outbox.take();
    for (const { key } of requests) client.send(unreachableLine(key, lastError));
    // Of the messages without an answer, only this one matters to a later daemon.
    const { confirmation } = initializeReplay;
    if (confirmation !== undefined && left.some(({ line }) => line === confirmation))
      outbox.add(confirmation);
    client.release('outbox');
    endIfDone();
  }

  function endIfDone(): void {
    if (client.state !== 'ended' || pending.unansweredCount > 0 || connection.state === 'over')
      return;
    giveUpTimer?.stop();
    connection.end(options.onDone);
  }

  function recall({ link, fromClient: sent, fromDaemon: received }: PriorExchange): void {
    connection.begin(link);
    readOnlyTools = new Set(link.welcome.replay);
    isRecalling = true;
    for (const line of sent) fromClient(line, readRpcLine(line));
    for (const line of received) fromDaemon(line);
    isRecalling = false;
    connection.listen();
    if (pending.waitingCount > 0) connection.awaitAnswer();
  }

  return {
    start: (prior) => (prior ? recall(prior) : connection.begin()),
    fromClient(line, message = readRpcLine(line)) {
      if (connection.state !== 'over') fromClient(line, message);
    },
    clientClear: () => client.clear(),
    waitOn() {
      if (!giveUpTimer) return;
      giveUpTimer.stop();
      giveUpTimer = clock.after(GIVE_UP_MS, giveUp);
    },
    clientEnded() {
      client.end();
      endIfDone();
    },
    stop() {
      giveUpTimer?.stop();
      connection.stop();
    },
  };
}
