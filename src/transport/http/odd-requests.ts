import type { Server } from 'node:http';
import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import type { Connections } from './connections.ts';
import { toErrorReply } from './error-reply.ts';
import { endWithReply } from './raw-reply.ts';
import type { Reply } from './route.ts';
import { send } from './send.ts';

const NO_PROXY: Reply = {
  ...toErrorReply(new CallError('bad_request', 'EX-AI is no proxy: it does not answer CONNECT.')),
  status: 405,
};
const UNKNOWN_EXPECTATION: Reply = {
  ...toErrorReply(
    new CallError('bad_request', 'The header Expect can only be 100-continue.', {
      field: 'expect',
      fix: 'Leave the header out.',
    }),
  ),
  status: 417,
};

/** What node would hang up on, or refuse without a word. */
export function refuseOddRequests(
  server: Server,
  connections: Pick<Connections, 'isBusy'>,
  clock: Clock,
  onRefused: (reply: Reply) => void,
): void {
  server.on('connect', (_request, socket) => {
    // Its words would end up in the middle of an answer.
    if (connections.isBusy(socket)) return void socket.destroy();
    endWithReply(socket, NO_PROXY, clock);
    onRefused(NO_PROXY);
  });
  server.on('checkExpectation', (request, response) => {
    send(request, response, UNKNOWN_EXPECTATION);
    onRefused(UNKNOWN_EXPECTATION);
  });
}
