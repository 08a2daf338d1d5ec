/**
 * Puts a handler of web requests behind `node:http`, as the SDK's own package for Node does, in
 * fewer steps than that: what is compared is the SDK, not an adapter.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

export type WebHandler = (request: Request) => Promise<Response>;
/**
 * Is given the body apart, parsed, and a request without it: the SDK need not read it once more.
 */
export type ParsedHandler = (request: Request, parsedBody: unknown) => Promise<Response>;

export function toListener(handle: WebHandler): RequestListener {
  return listen((head, text) =>
    handle(new Request(head.url, text === undefined ? head : { ...head, body: text })),
  );
}

export function toParsedListener(handle: ParsedHandler): RequestListener {
  return listen((head, text = '') => handle(new Request(head.url, head), JSON.parse(text)));
}

type Handle = (head: RequestInit & { url: string }, text: string | undefined) => Promise<Response>;

function listen(handle: Handle): RequestListener {
  return (incoming, outgoing) => {
    answer(handle, incoming, outgoing).catch((thrown: unknown) => {
      console.error(thrown);
      outgoing.destroy();
    });
  };
}

async function answer(
  handle: Handle,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const abort = new AbortController();
  outgoing.on('close', () => {
    if (!outgoing.writableFinished) abort.abort();
  });
  const { method = 'GET', url = '/', headers } = incoming;
  const text = method === 'POST' ? await textOf(incoming) : undefined;
  const head = {
    url: `http://${headers.host}${url}`,
    method,
    // Of the headers that come as lists this bench sends none.
    headers: headers as Record<string, string>,
    signal: abort.signal,
  };
  const response = await handle(head, text);
  outgoing.statusCode = response.status;
  outgoing.setHeaders(response.headers);
  if (response.body === null || !isStream(response)) {
    outgoing.end(await response.text());
    return;
  }
  // A stream that waits for events says that it is open; one that answers sends its head with the
  // answer.
  if (method === 'GET') outgoing.flushHeaders();
  for await (const chunk of response.body) outgoing.write(chunk);
  outgoing.end();
}

function textOf(incoming: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    incoming.setEncoding('utf8');
    incoming.on('data', (chunk: string) => (text += chunk));
    incoming.on('end', () => resolve(text));
    incoming.on('error', reject);
  });
}

function isStream({ headers }: Response): boolean {
  return headers.get('content-type') === 'text/event-stream';
}
