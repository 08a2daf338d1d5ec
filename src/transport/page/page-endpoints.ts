import type { IncomingMessage } from 'node:http';
import type { PeerUser, TcpConnection } from '#core/auth/authenticator.ts';
import type { PageLogins } from '#core/auth/page-login.ts';
import { CallError } from '#core/errors/call-error.ts';
import { commandFix } from '#core/messages/fixes.ts';
import type { Clock } from '#core/time/clock.ts';
import type { Endpoint } from '../http/endpoint-dispatcher.ts';
import type { HttpContext } from '../http/http-context.ts';
import { accepts } from '../http/media-type.ts';
import { isLoopback, peerOf } from '../http/peer-address.ts';
import { readBody, type BodyLimits } from '../http/read-body.ts';
import { createReceiveBuffers } from '../http/receive-buffers.ts';
import { errorReply } from '../http/reply.ts';
import { renderMessage, sendDocument } from './document.ts';
import { html } from './html.ts';
import { renderLoggedIn, renderLogin } from './login.ts';
import { renderOverview, renderStranger } from './overview.ts';
import type { PageData } from './page-data.ts';

export interface PageOptions {
  readonly sessions: PageLogins;
  /** Reads what the page shows. Parts that fail are left out; rejects only for a bug. */
  readonly read: () => Promise<PageData>;
  /** Which user runs the program at the other end of a loopback connection. */
  readonly peerUser: (connection: TcpConnection) => Promise<PeerUser>;
  readonly clock: Clock;
}

const MAX_BODY_BYTES = 1024;
const BUFFER_BYTES = 64 * 1024;
const FORM = /^\s*application\/x-www-form-urlencoded\s*(?:;|$)/i;
const ELSEWHERE =
  'MCP is at /mcp, the gateway for clients of the OpenAI and Anthropic APIs at /v1.';

/** The page of the owner at `/`, with `/login` and `/logout`. Its cookie is valid nowhere else. */
export function pageEndpoints(options: PageOptions): readonly Endpoint[] {
  const { sessions, clock } = options;
  const limits: BodyLimits = {
    maxBytes: MAX_BODY_BYTES,
    receiveBuffers: createReceiveBuffers({ maxBytes: BUFFER_BYTES, clock }),
  };

  async function isOwner(request: IncomingMessage): Promise<boolean> {
    const token = sessionToken(request);
    if (token === undefined || !sessions.isValid(token)) return false;
    // Browsers send a cookie to every port of its host, so a server of another user may have seen
    // it. That user cannot use it here.
    const { socket } = request;
    if (!isLoopback(socket.remoteAddress?.replace(/^::ffff:/, '') ?? '')) return true;
    return (await options.peerUser(socket)) !== 'other';
  }

  async function show(context: HttpContext): Promise<void> {
    if (await isOwner(context.request))
      sendDocument(context, 200, renderOverview(await options.read()));
    else sendDocument(context, 200, renderStranger());
  }

  function logIn(context: HttpContext): void {
    const { request } = context;
    if (!FORM.test(request.headers['content-type'] ?? '')) return refuse(context, NO_FORM);
    const peer = peerOf(request.socket.remoteAddress);
    readBody(context, peer, limits, (body) => {
      if (body instanceof CallError) return refuse(context, body);
      const code = new URLSearchParams(body.toString()).get('code') ?? '';
      const redeemed = sessions.redeem(code, peer);
      if (redeemed.is === 'session') {
        const cookie = ['set-cookie', sessionCookie(request, redeemed.token)];
        return sendDocument(context, 200, renderLoggedIn(), cookie);
      }
      if (redeemed.is === 'limited') {
        context.error = LIMITED;
        const seconds = String(Math.ceil(redeemed.retryAfterMs / 1000));
        return sendDocument(context, 429, renderLogin(LIMITED), ['retry-after', seconds]);
      }
      context.error = WRONG_CODE;
      sendDocument(context, 403, renderLogin(WRONG_CODE));
    });
  }

  function logOut(context: HttpContext): void {
    const { request } = context;
    const { headers } = request;
    // The listener has checked an Origin; without one, the browser must name the site.
    if (headers.origin === undefined && headers['sec-fetch-site'] !== 'same-origin')
      return refuse(context, NOT_OUR_PAGE);
    const token = sessionToken(request);
    if (token !== undefined) sessions.end(token);
    context.answer(303, '', '', ['location', '/', 'set-cookie', expiredCookie(request)]);
  }

  return [
    {
      path: '/',
      pages: 'own',
      handle(context) {
        const { method, headers } = context.request;
        if (!isRead(method)) return sendJson(context, 405, PAGE_ONLY, 'GET, HEAD');
        if (headers.accept !== undefined && !accepts(headers.accept, 'text/html'))
          return sendJson(context, 406, PAGE_ONLY);
        run(context, show(context));
      },
      refuse,
    },
    {
      path: '/login',
      pages: 'own_or_hidden',
      handle(context) {
        const { method, headers } = context.request;
        if (isRead(method)) return sendDocument(context, 200, renderLogin());
        if (method !== 'POST') return sendJson(context, 405, LOGIN_METHODS, 'GET, HEAD, POST');
        // A frame, or a request of a script.
        const destination = headers['sec-fetch-dest'];
        if (destination !== undefined && destination !== 'document')
          return refuse(context, NOT_OUR_PAGE);
        logIn(context);
      },
      refuse,
    },
    {
      path: '/logout',
      pages: 'own',
      handle(context) {
        if (context.request.method !== 'POST') return sendJson(context, 405, LOGOUT_METHOD, 'POST');
        logOut(context);
      },
      refuse,
    },
  ];
}

function isRead(method: string | undefined): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Waits for an answer; a failure is answered, too. */
function run(context: HttpContext, work: Promise<void>): void {
  work.catch((thrown: unknown) => refuse(context, CallError.from(thrown)));
}

const PAGE_ONLY = new CallError('bad_request', '/ is a page for browsers.', { fix: ELSEWHERE });
const LOGIN_METHODS = new CallError('bad_request', '/login answers GET, HEAD and POST only.');
const LOGOUT_METHOD = new CallError('bad_request', '/logout answers POST only.');
const NO_FORM = new CallError('bad_request', 'The body must be an HTML form.', {
  field: 'content-type',
});
const NOT_OUR_PAGE = new CallError('permission', 'Only the pages of EX-AI may send this.', {
  field: 'origin',
});
const WRONG_CODE = new CallError(
  'permission',
  'The code is wrong, was used already or is older than a minute.',
  { field: 'code', fixes: [commandFix('exai open', 'get another')] },
);
const LIMITED = new CallError('rate_limit', 'Too many wrong codes came from this address.', {
  field: 'code',
  fix: 'Wait a few seconds, then enter the code.',
});

/** An error as a page: people read it. */
function refuse(context: HttpContext, error: CallError): void {
  context.error = error;
  const { message, retryAfterMs, policy } = error;
  const fixText = error.fix === undefined ? undefined : html`<p>${error.fix}</p>`;
  const headers =
    retryAfterMs === undefined ? [] : ['retry-after', String(Math.ceil(retryAfterMs / 1000))];
  const body = html`<p>${message}</p>
    ${fixText}`;
  sendDocument(context, policy.status, renderMessage('EX-AI refused this request', body), headers);
}

/** An error as JSON: what asks for something else than a page is a program. */
function sendJson(context: HttpContext, status: number, error: CallError, allow?: string): void {
  context.error = error;
  const headers = allow === undefined ? [] : ['allow', allow];
  context.answer(status, 'application/json; charset=utf-8', errorReply(error).body, headers);
}

/**
 * The name has the port, as browsers share cookies between the ports of a host. `__Host-` requires
 * TLS, and then ensures that no other host set the cookie.
 */
function cookieName({ socket }: IncomingMessage): string {
  const name = `exai-page-${socket.localPort}`;
  return isTls(socket) ? `__Host-${name}` : name;
}

function isTls(socket: IncomingMessage['socket']): boolean {
  return 'encrypted' in socket && socket.encrypted === true;
}

/** The token of the session cookie; undefined if there is none, or more than one. */
function sessionToken(request: IncomingMessage): string | undefined {
  const start = `${cookieName(request)}=`;
  const found = (request.headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(start));
  return found.length === 1 ? found[0]?.slice(start.length) : undefined;
}

function sessionCookie(request: IncomingMessage, token: string): string {
  const secure = isTls(request.socket) ? '; Secure' : '';
  return `${cookieName(request)}=${token}; Path=/; HttpOnly; SameSite=Strict${secure}`;
}

function expiredCookie(request: IncomingMessage): string {
  return `${sessionCookie(request, '')}; Max-Age=0`;
}
