import type { IncomingMessage } from 'node:http';
import { CallError } from '#core/call-error.ts';
import type { TcpConnection } from '#core/doorman.ts';
import { command } from '#core/messages/fixes.ts';
import type { Tracer } from '#core/telemetry.ts';
import { UNMATCHED, type Answer } from './answer.ts';
import { bearerOf } from './bearer.ts';
import { toErrorReply } from './error-reply.ts';
import { notFound } from './not-found.ts';
import { checkOrigin, checkSite } from './origin.ts';
import { inRequestSpan } from './request-span.ts';
import { checkHost, targetOf } from './request-target.ts';
import type { HttpRequest, Reply, Route } from './route.ts';

interface Doorkeeping {
  readonly routes: readonly Route[];
  /** Names and addresses we answer to beside the loopback ones, in lower case. */
  readonly hosts: readonly string[];
  /** Whose pages may ask beside our own, in lower case. */
  readonly origins: readonly string[];
  readonly isTrusted: (token: string | undefined, connection: TcpConnection) => Promise<boolean>;
  readonly tracer: Tracer;
  /** Whether other people's clients are served at all. */
  readonly gateway: 'on' | 'off';
}

/** From a request to its answer: is it for us, is there such a path, may the caller, then the route. Never throws. */
export async function dispatch(message: IncomingMessage, doors: Doorkeeping): Promise<Answer> {
  const target = targetOf(message);
  const atPath = doors.routes.filter(({ path }) => path === target?.pathname);
  const route = atPath[0]?.path ?? UNMATCHED;
  return inRequestSpan(doors.tracer, message, route, async () => {
    try {
      checkHost(message, doors.hosts);
      checkOrigin(message.headers, doors.origins);
      // The probes take no place and tell nothing.
      if (atPath[0]?.access !== 'open') checkSite(message.headers);
      // Clients try paths by the dozen before they find ours; who they are is asked where it matters.
      if (target && atPath.length === 0)
        return { reply: notFound(message, target.pathname, doors.gateway), route };
      const request = await toRequest(message, target, doors);
      return { reply: await answer(request, atPath), route };
    } catch (thrown) {
      const error = CallError.from(thrown);
      return { reply: toErrorReply(error), route, error };
    }
  });
}

async function toRequest(
  { method = 'GET', headers, socket }: IncomingMessage,
  target: URL | undefined,
  { isTrusted }: Doorkeeping,
): Promise<HttpRequest> {
  if (!target) throw new CallError('bad_request', 'The request target is not a path.');
  const { pathname, searchParams } = target;
  const token = bearerOf(headers.authorization);
  const caller = (await isTrusted(token, socket)) ? 'trusted' : 'stranger';
  return { method, path: pathname, query: searchParams, headers, caller };
}

function answer(request: HttpRequest, atPath: readonly Route[]): Reply | Promise<Reply> {
  const wanted = request.method === 'HEAD' ? 'GET' : request.method;
  const route = atPath.find(({ method }) => method === wanted);
  if (!route) return refuse(request, atPath);
  authorise(request, route);
  return route.handle(request);
}

function refuse(request: HttpRequest, atPath: readonly Route[]): Reply {
  const methods = atPath.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  const allow = methods.join(', ');
  const error = new CallError('bad_request', `${request.path} answers ${allow} only.`);
  const reply = toErrorReply(error);
  return { ...reply, status: 405, headers: { ...reply.headers, allow } };
}

function authorise({ caller }: HttpRequest, { access }: Route): void {
  if (access === 'open' || caller === 'trusted') return;
  throw new CallError('auth', 'The token is missing or invalid.', {
    field: 'authorization',
    fixes: [
      'Send the header "Authorization: Bearer <token>".',
      command('exai token show', 'print the token'),
    ],
  });
}
