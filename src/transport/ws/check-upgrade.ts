import type { IncomingMessage } from 'node:http';
import { CallError } from '#core/call-error.ts';
import { fix } from '#core/messages/fixes.ts';
import { isOurOrigin } from '../http/origin.ts';
import { checkHost, targetOf } from '../http/request-target.ts';

const PATHS = ['/', '/ws'];

/** Refuses an upgrade that is not meant for us, asks for a path we do not serve, or comes from a foreign page. */
export function checkUpgrade(
  request: IncomingMessage,
  hosts: readonly string[],
  origins: readonly string[],
): void {
  checkHost(request, hosts);
  const path = targetOf(request)?.pathname;
  if (path === undefined || !PATHS.includes(path)) {
    throw new CallError('not_found', 'No WebSocket is served at this path.', {
      fix: `Use ${PATHS.join(' or ')}.`,
    });
  }
  const { origin, host } = request.headers;
  if (isOurOrigin(origin, host, origins)) return;
  throw new CallError('permission', 'Pages of this Origin may not connect to EX-AI.', {
    field: 'origin',
    fixes: [
      fix('extend_setting', {
        setting: 'door.origins',
        entry: 'it',
        condition: 'if you trust every page there',
      }),
    ],
  });
}
