import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import type { Connections } from './connections.ts';
import { toErrorReply } from './error-reply.ts';
import { endWithReply } from './raw-reply.ts';
import type { Reply } from './route.ts';

/** HTTP has a status of its own for each of these, whatever the policy of the class says. */
const REFUSALS: Record<string, { status: number; error: CallError }> = {
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
const MALFORMED = {
  status: 400,
  error: new CallError('bad_request', 'This is not a valid HTTP request.'),
};

/** Answers what never became a request, as it was malformed, oversized or too slow, and closes the connection. */
export function answerClientErrors(
  server: Server,
  connections: Connections,
  clock: Clock,
  onRefused: (reply: Reply) => void,
): void {
  const refused = new WeakSet<Duplex>();
  server.on('clientError', (thrown: NodeJS.ErrnoException, socket) => {
    // What it goes on sending is no request either.
    if (refused.has(socket)) return;
    refused.add(socket);
    // A peer that hung up hears nothing, and one whose handshake failed could not read it.
    const isUnheard = !socket.writable || thrown.code === 'ECONNRESET' || isOfTls(thrown);
    if (isUnheard) return void socket.destroy();
    // An answer on its way must not have another one mixed in, nor be lost for what came behind its request.
    if (connections.isBusy(socket) && !connections.isReceiving(socket)) {
      return connections.endAfterAnswers(socket);
    }
    const { status, error } = REFUSALS[thrown.code ?? ''] ?? MALFORMED;
    const reply = { ...toErrorReply(error), status };
    endWithReply(socket, reply, clock);
    onRefused(reply);
  });
}

function isOfTls({ code = '' }: NodeJS.ErrnoException): boolean {
  return code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_');
}
