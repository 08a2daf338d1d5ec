import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import { reason } from '#core/messages/reasons.ts';
import type { LightAbortController } from '#core/net/abort.ts';
import type { HttpResponse } from '#core/net/http.ts';
import { isUrl } from '#core/net/is-url.ts';
import type { LinkHandlers, MessageFacts, MessageLink } from '../message-link.ts';
import { protocolError } from '../rpc-client.ts';
import { createEventReader, type ServerEvent } from './event-reader.ts';
import { createHttpExchange, discard, essenceOf, type HttpLinkOptions } from './http-exchange.ts';

interface SseOptions extends HttpLinkOptions {
  /** Ends the wait for the first event, which says where messages go. */
  readonly signal: LightAbortController;
}

const EVENT_STREAM = 'text/event-stream';
const MAX_NOISE_CHARS = 500;

/** MCP over HTTP+SSE, as of 2024: one stream from the server, and a request for each message to it. */
export async function openSseLink(
  options: SseOptions,
  handlers: LinkHandlers,
): Promise<MessageLink> {
  const { server, url, signal: canceller, http } = options;
  const exchange = createHttpExchange(options);
  let unsentBytes = 0;
  let isOver = false;

  function end(error: CallError): void {
    if (isOver) return;
    isOver = true;
    canceller.abort(error);
    handlers.onClose(error);
  }

  async function open(): Promise<HttpResponse> {
    const headers = { accept: EVENT_STREAM };
    const response = await exchange.send({ method: 'GET', headers, signal: canceller });
    if (response.status !== 200) {
      const refusal = await exchange.refusal(response);
      throw refusal instanceof CallError
        ? refusal
        : protocolError(server, 'answers the request for its stream with an error');
    }
    if (essenceOf(response) === EVENT_STREAM) return response;
    await discard(response);
    throw protocolError(server, `does not answer with ${EVENT_STREAM}`);
  }

  async function deliver({ data }: ServerEvent): Promise<void> {
    if (data === 'too_large') return handlers.onOversized(undefined);
    try {
      handlers.onMessage(await exchange.parse(data));
    } catch {
      handlers.onNoise(data.toString('utf8').slice(0, MAX_NOISE_CHARS));
    }
  }

  /** Calls `onAddress` with where messages go, then passes on what comes, until the end. */
  async function follow(response: HttpResponse, onAddress: (address: string) => void) {
    const reader = createEventReader(options.maxMessageBytes);
    try {
      for await (const chunk of response.body) {
        for (const event of reader.push(chunk)) {
          if (event.name === 'endpoint') onAddress(addressIn(event));
          else if (event.name === 'message') await deliver(event);
        }
      }
    } catch (thrown) {
      const error = CallError.from(thrown);
      return end(error.reason ? error : hungUp());
    }
    end(hungUp());
  }

  /** Messages must go to the origin of the stream, since the user's headers go with them. */
  function addressIn({ data }: ServerEvent): string {
    const given = data === 'too_large' ? '' : data.toString('utf8').trim();
    if (given === '' || !isUrl(given, url)) {
      throw protocolError(server, 'names an address for messages that is not a URL');
    }
    const address = new URL(given, url);
    if (address.origin === new URL(url).origin) return address.href;
    throw protocolError(server, 'wants messages to be sent to another origin');
  }

  function hungUp(): CallError {
    return codedError('network', reason('server_hung_up', { server }));
  }

  async function post(address: string, json: string, facts: MessageFacts | undefined) {
    unsentBytes += json.length;
    try {
      const sent = exchange.send({
        method: 'POST',
        url: address,
        headers: { 'content-type': 'application/json' },
        body: json,
        signal: canceller,
      });
      const response = await sent.finally(() => (unsentBytes -= json.length));
      if (response.status >= 200 && response.status < 300) return await discard(response);
      const refusal = await exchange.refusal(response);
      if (refusal instanceof CallError) throw refusal;
      if (facts?.id !== undefined) {
        handlers.onMessage({ ...(refusal.message as object), id: facts.id });
      }
    } catch (thrown) {
      if (!isOver && facts?.id !== undefined) handlers.onFailed(facts.id, CallError.from(thrown));
    }
  }

  const response = await open();
  const address = await new Promise<string>((resolve, reject) => {
    canceller.addEventListener('abort', () => reject(CallError.from(canceller.reason)));
    void follow(response, resolve);
  });
  return {
    send(json, facts) {
      if (!isOver) void post(address, json, facts);
    },
    get unsentBytes() {
      return unsentBytes;
    },
    async close() {
      end(codedError('interrupted', reason('server_stopped', { server })));
      await http.close();
    },
  };
}
