import { request } from 'node:http';
import { request as requestTls } from 'node:https';
import { CallError } from '#core/call-error.ts';
import type { Clock } from '#core/clock.ts';
import { toCallError } from './failure.ts';

export interface LocalAnswer {
  readonly status: number;
  readonly body: string;
}

export interface LocalCall {
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Sent as the bearer token unless empty. */
  readonly token: string;
  /** In PEM: with https:// the one certificate that is believed, whatever names it is for. */
  readonly certificate?: string;
}

const MAX_BYTES = 1024 * 1024;

/** A GET to a daemon of this machine: no proxy, no redirect, a short answer or none. */
export function getLocal(
  url: string,
  { timeoutMs, clock, token, certificate }: LocalCall,
): Promise<LocalAnswer> {
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
      finish(() => reject(isTls ? toCallError(error, 'the daemon') : CallError.from(error)));
    });
    call.end();
  });
}

/** The certificate itself is the only authority, so that its name proves nothing more. */
function pinTo(certificate: string | undefined) {
  if (certificate === undefined) return {};
  return { ca: certificate, allowPartialTrustChain: true, checkServerIdentity: () => undefined };
}
