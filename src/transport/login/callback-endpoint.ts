import type { CallError } from '#core/errors/call-error.ts';
import { LOGIN_CALLBACK_PATH } from '#core/hub/upstream-login.ts';
import type { Endpoint } from '../http/endpoint-dispatcher.ts';
import type { HttpContext } from '../http/http-context.ts';
import { requestUrl } from '../http/request-checks.ts';
import { renderMessage, sendDocument } from '../page/document.ts';
import { html } from '../page/html.ts';

interface CallbackOptions {
  /** Takes the answer of an authorization server; never rejects. */
  readonly finish: (answer: {
    readonly address: string;
    readonly params: URLSearchParams;
  }) => Promise<
    | { readonly is: 'done'; readonly server: string }
    | { readonly is: 'failed'; readonly server: string; readonly error: CallError }
    | { readonly is: 'unknown' }
  >;
}

/** `state`, `code` and `iss`; authorization servers make them shorter. */
const MAX_QUERY_CHARS = 8_192;

/**
 * Where authorization servers send the user's browser after a login at an MCP server. The `state` of
 * the answer, which only that browser and we know, is what it is recognised by.
 */
export function loginCallbackEndpoint({ finish }: CallbackOptions): Endpoint {
  return {
    path: LOGIN_CALLBACK_PATH,
    pages: 'navigation',
    handle(context) {
      const { request } = context;
      if (request.method !== 'GET') {
        return show(context, 405, 'EX-AI refused this request', WRONG_METHOD, ['allow', 'GET']);
      }
      const url = requestUrl(request);
      if (!url || url.search.length > MAX_QUERY_CHARS) return unknown(context);
      const scheme = 'encrypted' in request.socket ? 'https' : 'http';
      const address = `${scheme}://${request.headers.host ?? ''}${url.pathname}`;
      void finish({ address, params: url.searchParams }).then((finished) => {
        if (finished.is === 'unknown') return unknown(context);
        const { server } = finished;
        if (finished.is === 'done') {
          const text = `EX-AI is logged in to the MCP server ${server}. You can close this window.`;
          return show(context, 200, 'You are logged in', text);
        }
        const { error } = finished;
        context.error = error;
        show(context, 400, 'The login failed', `${error.message} ${error.fix ?? ''}`);
      });
    },
    refuse(context, error) {
      context.error = error;
      show(context, error.policy.status, 'EX-AI refused this request', error.message);
    },
  };
}

const WRONG_METHOD = 'This address takes only the answers of logins.';
const UNKNOWN =
  'No login waits for this answer: it was used already, is older than 10 minutes, or came to another address.';

function unknown(context: HttpContext): void {
  show(context, 400, 'This login is over', UNKNOWN);
}

function show(
  context: HttpContext,
  status: number,
  title: string,
  text: string,
  headers: readonly string[] = [],
): void {
  sendDocument(context, status, renderMessage(title, html`<p>${text}</p>`), headers);
}
