import type { IncomingMessage } from 'node:http';
import { CallError } from '#core/call-error.ts';
import { bearsToken } from './bearer.ts';
import { toErrorReply } from './error-reply.ts';
import { isOurHost } from './host-header.ts';
import type { HttpRequest, Reply, Route } from './route.ts';

export interface Doorkeeping {
  readonly routes: readonly Route[];
  /** Names and addresses we answer to beside the loopback ones, in lower case. */
  readonly hosts: readonly string[];
  readonly token: string | undefined;
}

export interface Answer {
  readonly reply: Reply;
  /** The path of the route, or `unmatched`: a label of few values, whatever strangers ask for. */
  readonly route: string;
  readonly error?: CallError;
}

/** From a request to its answer: is it for us, is there such a path, may the caller, then the route. Never throws. */
export async function dispatch(message: IncomingMessage, doors: Doorkeeping): Promise<Answer> {
  let label = 'unmatched';
  try {
    if (!isOurHost(message.headers.host, doors.hosts, message.socket.localAddress)) {
      throw new CallError('permission', 'This Host header is not one EX-AI answers to.', {
        field: 'host',
      });
    }
    const request = toRequest(message);
    const atPath = doors.routes.filter(({ path }) => path === request.path);
    if (atPath.length > 0) label = request.path;
    const route = atPath.find(({ method }) => method === asRouted(request.method));
    if (!route) return { reply: refuse(request, atPath), route: label };
    authorise(request, route, doors.token);
    return { reply: await route.handle(request), route: label };
  } catch (thrown) {
    const error = CallError.from(thrown);
    return { reply: toErrorReply(error), route: label, error };
  }
}

function toRequest({ method = 'GET', url = '/', headers }: IncomingMessage): HttpRequest {
  // A fixed base: the target may be relative or, from a proxy, absolute; only its path and query are ours.
  if (!URL.canParse(url, 'http://localhost')) {
    throw new CallError('bad_request', 'The request target is not a path.');
  }
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  return { method, path: pathname, query: searchParams, headers };
}

function asRouted(method: string): string {
  return method === 'HEAD' ? 'GET' : method;
}

function refuse(request: HttpRequest, atPath: readonly Route[]): Reply {
  if (atPath.length === 0) {
    return toErrorReply(new CallError('not_found', `Nothing is served at ${request.path}.`));
  }
  const methods = atPath.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  const allow = methods.join(', ');
  const error = new CallError('bad_request', `${request.path} answers ${allow} only.`);
  const reply = toErrorReply(error);
  return { ...reply, status: 405, headers: { ...reply.headers, allow } };
}

function authorise(request: HttpRequest, route: Route, token: string | undefined): void {
  if (token === undefined || route.access === 'open') return;
  if (bearsToken(request.headers.authorization, token)) return;
  throw new CallError('auth', 'The token is missing or wrong.', {
    field: 'authorization',
    fix: 'Send the header "Authorization: Bearer <EXAI_TOKEN>".',
  });
}
