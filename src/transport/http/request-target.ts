import type { IncomingMessage } from 'node:http';
import { CallError } from '#core/call-error.ts';
import { isOurHost } from './host-header.ts';

/** What a request asks for, or nothing when that is no path. */
export function targetOf({ url = '/' }: IncomingMessage): URL | undefined {
  // A fixed base: the target may be relative or, from a proxy, absolute; only its path and query are ours.
  return URL.canParse(url, 'http://localhost') ? new URL(url, 'http://localhost') : undefined;
}

/** Refuses whoever asks by a name that is not ours. */
export function checkHost({ headers, socket }: IncomingMessage, hosts: readonly string[]): void {
  if (headers.host === undefined) {
    throw new CallError('bad_request', 'The request has no Host header.', { field: 'host' });
  }
  if (isOurHost(headers.host, hosts, socket.localAddress)) return;
  throw new CallError('permission', 'This Host header is not one EX-AI answers to.', {
    field: 'host',
  });
}
