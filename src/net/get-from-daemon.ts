import { request } from 'node:http';
import { request as requestTls } from 'node:https';
import { CallError } from '#core/errors/call-error.ts';
import type { Clock } from '#core/time/clock.ts';
import { toNetworkCallError } from './network-errors.ts';

export interface DaemonResponse {
  readonly status: number;
  readonly body: string;
}

export interface DaemonRequestOptions {
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Sent as the bearer token when not empty. */
  readonly token: string;
  /** In PEM: with https:// the only trusted certificate, whatever names it is for. */
  readonly certificate?: string;
}

const MAX_BYTES = 1024 * 1024;

/**
 * Sends a GET to the daemon on this machine, without proxy and redirects. Long responses are
 * refused.
 */
export function getFromDaemon(
  url: string,
  { timeoutMs, clock, token, certificate }: DaemonRequestOptions,
): Promise<DaemonResponse> {
  const headers = token === '' ? {} : { authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    const ask = certificate === undefined ? request : requestTls;
    const call = ask(url, { agent: false, headers, ...pinTo(certificate) }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        body += text;
        if (body.length > MAX_BYTES)
          call.destroy(new CallError('too_large', `${url} sends no end.`));
      });
      response.on('end', () => finish(() => resolve({ status: response.statusCode ?? 0, body })));
      response.on('error', (error) => finish(() => reject(CallError.from(error))));
    });
    const timer = clock.after(timeoutMs, () =>
      call.destroy(new CallError('timeout', `${url} did not answer within ${timeoutMs} ms.`)),
    );
    const finish = (settle: () => void) => {
      timer.stop();
      settle();
    };
    call.on('error', (error) => {
      const isTls = certificate !== undefined;
      finish(() => reject(isTls ? toNetworkCallError(error, 'the daemon') : CallError.from(error)));
    });
    call.end();
  });
}

/** Pins the certificate: it is the only authority, so the host name is not checked. */
function pinTo(certificate: string | undefined) {
  if (certificate === undefined) return {};
  return { ca: certificate, allowPartialTrustChain: true, checkServerIdentity: () => undefined };
}
