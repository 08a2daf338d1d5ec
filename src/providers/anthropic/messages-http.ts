import { ANSWER_LIMITS, isTooComplexJson } from '#core/json/json-guard.ts';
import type { Http, HttpRequest, HttpResponse } from '#core/net/http.ts';
import { asObject, parseCheckedJson, parseJson } from '../openai-compatible/response/json.ts';
import { MAX_CHAT_BYTES } from '../openai-compatible/response/read-body-text.ts';
import { createSseReader, type SseEvent } from '../openai-compatible/response/sse-reader.ts';
import { createMessageTranslator, toCompletion } from './messages-answer.ts';
import { toMessagesRequest } from './messages-request.ts';

const CHAT = '/chat/completions';
/** The version of the API that the translation is written for. */
const VERSION = { 'anthropic-version': '2023-06-01' };

/**
 * An HTTP client that turns chat completions into requests of Anthropic's Messages API, and its
 * answers back. Timeouts, limits, redaction and error handling stay those of the one client.
 */
export function createMessagesHttp(http: Http): Http {
  return {
    async send(request) {
      const headers = { ...request.headers, ...VERSION };
      if (!request.url.endsWith(CHAT)) return http.send({ ...request, headers });
      const response = await http.send(toMessages({ ...request, headers }));
      if (response.status < 200 || response.status >= 300) return response;
      const type = response.headers['content-type'] ?? '';
      return type.includes('text/event-stream') ? streamed(response) : whole(response);
    },
    close: () => http.close(),
  };
}

function toMessages(request: HttpRequest): HttpRequest {
  const body = typeof request.body === 'string' ? asObject(parseJson(request.body)) : undefined;
  return {
    ...request,
    url: messagesUrl(request.url),
    body: JSON.stringify(toMessagesRequest(body ?? {})),
  };
}

export function messagesUrl(chatUrl: string): string {
  return `${chatUrl.slice(0, -CHAT.length)}/messages`;
}

/** What is not a message is left as it is, for the reader of the answer to refuse. */
async function whole(response: HttpResponse): Promise<HttpResponse> {
  const text = await response.text(MAX_CHAT_BYTES);
  const message = isTooComplexJson(text, ANSWER_LIMITS)
    ? undefined
    : asObject(parseCheckedJson(text));
  const isMessage = message?.['type'] === 'message';
  const translated = isMessage ? JSON.stringify(toCompletion(message)) : text;
  const { status, headers } = response;
  return {
    status,
    headers,
    body: once(Buffer.from(translated)),
    text: async () => translated,
  };
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}

function streamed(response: HttpResponse): HttpResponse {
  const { status, headers, body } = response;
  return { status, headers, body: translate(body), text: (max) => response.text(max) };
}

async function* translate(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const reader = createSseReader();
  const translator = createMessageTranslator();
  const write = (events: readonly SseEvent[]) =>
    events
      .flatMap(({ data }) => {
        const event = isTooComplexJson(data, ANSWER_LIMITS)
          ? undefined
          : asObject(parseCheckedJson(data));
        // Unreadable data stays as it is: its reader decides what it means.
        if (!event) return [`data: ${data.replaceAll('\n', ' ')}\n\n`];
        return translator
          .take(event)
          .map((chunk) => `data: ${chunk === 'done' ? '[DONE]' : JSON.stringify(chunk)}\n\n`);
      })
      .join('');
  for await (const piece of body) {
    const text = write(reader.push(piece));
    if (text !== '') yield Buffer.from(text);
  }
  const last = write(reader.end());
  if (last !== '') yield Buffer.from(last);
}
