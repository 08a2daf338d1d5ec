import type { IncomingHttpHeaders } from 'node:http';

export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
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
  return { status, headers: { ...type, ...headers }, body: `${JSON.stringify(document)}\n` };
}
