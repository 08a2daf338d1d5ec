import type { IncomingHttpHeaders } from 'node:http';
import { toWireJson } from './wire-json.ts';

export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** `trusted`: bears the token, or none is set. */
  readonly caller: 'trusted' | 'stranger';
}

export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One path of the listener, as data. HEAD is answered wherever GET is. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /** `token`: needs the token when one is set. */
  readonly access: 'open' | 'token';
  handle(request: HttpRequest): Reply | Promise<Reply>;
}

export function json(status: number, document: unknown, headers?: Reply['headers']): Reply {
  const type = { 'content-type': 'application/json; charset=utf-8' };
  return { status, headers: { ...type, ...headers }, body: `${toWireJson(document)}\n` };
}
