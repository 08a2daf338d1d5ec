import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { CallError } from '#core/errors/call-error.ts';
import type { Clock } from '#core/time/clock.ts';
import type { ConnectionEvent, Connections } from './connections.ts';
import type { RefusedInput } from './http-telemetry.ts';
import { endWithReply, errorReply, sendReply, withRequestId, type HttpReply } from './reply.ts';

/** What to answer, and with which status, which replaces that of the class. */
type RefusalReason = Omit<RefusedInput, 'reqId'>;

/** What the answers to such input need. */
export interface RefusalContext {
  readonly clock: Clock;
  readonly newId: (prefix: 'req') => string;
  readonly onRefused: (refusal: RefusedInput) => void;
}

/** By the code of Node's error. */
const REFUSALS: Record<string, RefusalReason> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    error: new CallError('too_large', 'The headers of the request are too large.'),
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: 413,
    error: new CallError('too_large', 'The chunk extensions of the request are too large.'),
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    error: new CallError('timeout', 'The request took too long to arrive.'),
  },
};
const MALFORMED: RefusalReason = {
  status: 400,
  error: new CallError('bad_request', 'This is not a valid HTTP request.'),
};

/**
 * Answers input that Node could not parse as a request (malformed, oversized or too slow), and
 * closes the connection.
 */
export function answerClientErrors(
  server: Server,
  connections: Connections,
  context: RefusalContext,
): void {
  const refused = new WeakSet<Duplex>();
  server.on('clientError', (thrown: NodeJS.ErrnoException, socket) => {
    // Further input on this connection fails to parse, too.
    if (refused.has(socket)) return;
    refused.add(socket);
    // The peer has disconnected, or its TLS handshake failed.
    const isUnreachable = !socket.writable || thrown.code === 'ECONNRESET' || isTlsError(thrown);
    if (isUnreachable) return void socket.destroy();
    // A response that is being sent must neither be interleaved with another nor be lost because of
    // later input.
    if (connections.isBusy(socket) && !connections.isReceiving(socket)) {
      return connections.endAfterResponses(socket);
    }
    const reason = REFUSALS[thrown.code ?? ''] ?? MALFORMED;
    endWithReply(socket, refuse(reason, context), context.clock);
  });
}

function isTlsError({ code = '' }: NodeJS.ErrnoException): boolean {
  return code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_');
}

/** The reply, which is recorded. */
function refuse({ status, error }: RefusalReason, { newId, onRefused }: RefusalContext): HttpReply {
  const reqId = newId('req');
  onRefused({ reqId, status, error });
  return { ...withRequestId(errorReply(error), reqId), status };
}

const NO_PROXY: RefusalReason = {
  status: 405,
  error: new CallError('bad_request', 'EX-AI is not a proxy: CONNECT is not supported.'),
};
const UNKNOWN_EXPECTATION: RefusalReason = {
  status: 417,
  error: new CallError('bad_request', 'The header Expect can only be 100-continue.', {
    field: 'expect',
    fix: 'Leave the header out.',
  }),
};

/**
 * Answers CONNECT and unknown `Expect` headers, for which Node would close the connection or send
 * an empty error.
 */
export function refuseUnsupportedRequests(
  server: Server,
  connections: Pick<Connections, 'isBusy'>,
  context: RefusalContext,
): void {
  server.on('connect', (_request, socket) => {
    // The reply would end up in the middle of another response.
    if (connections.isBusy(socket)) return void socket.destroy();
    endWithReply(socket, refuse(NO_PROXY, context), context.clock);
  });
  server.on('checkExpectation', (request, response) => {
    sendReply(request, response, refuse(UNKNOWN_EXPECTATION, context));
  });
}

/**
 * Serves an upgrade request for an unsupported protocol as a plain request, as HTTP allows (RFC
 * 9110, 7.8); some clients offer `h2c` with every request. Once Node has an upgrade listener it
 * does not parse such a request itself, so the request is put back into the socket without its
 * upgrade headers. It is the last request of its connection.
 */
export function ignoreUpgrade(
  server: Server,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  connectionEvent: ConnectionEvent,
): void {
  const lines = [`${request.method} ${request.url} HTTP/${request.httpVersion}`];
  const { rawHeaders } = request;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (!UPGRADE_HEADERS.has(name.toLowerCase())) lines.push(`${name}: ${rawHeaders[index + 1]}`);
  }
  const plain = `${lines.join('\r\n')}\r\nconnection: close\r\n\r\n`;
  socket.unshift(Buffer.concat([Buffer.from(plain, 'latin1'), head]));
  server.emit(connectionEvent, socket);
}

const UPGRADE_HEADERS = new Set(['connection', 'upgrade', 'http2-settings']);
