import type { ChatEvent } from '#core/llm/chat.ts';
import { signalAt } from '#core/time/deadline.ts';
import type { HttpResponse } from '#core/net/http.ts';
import type { JsonObject } from '#core/json/json.ts';
import type { Capability, ProviderContext } from '#core/llm/provider.ts';
import { runChatPlan } from './run-chat-plan.ts';
import { sleep } from '#core/time/clock.ts';
import { withOtherKeys } from '#core/secrets/secret.ts';
import { createKeyRedactor } from './redact-keys.ts';
import { LARGE_JSON_LIMITS, MAX_JSON_BYTES, readBodyText } from './response/read-body-text.ts';
import { parseJson } from './response/json.ts';
import {
  chatUrl,
  multipart,
  redactUrl,
  throwVendorError,
  requireKey,
  requestHeaders,
  unreachableError,
  urlOf,
  withProviderName,
  type FormFile,
} from './http.ts';
import { parseLargeJson } from './response/parse-large-json.ts';
import type { ChatPlan } from './chat-plan.ts';
import { traceVendorRequest } from './request-telemetry.ts';
import type { ResolvedClientOptions, OpenAiClientOptions } from './client-options.ts';

export interface EndpointCall {
  readonly operation: 'chat' | Capability;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Relative to the base URL, or absolute. */
  readonly path: string;
  readonly body?: JsonObject;
  readonly form?: { readonly fields: Readonly<Record<string, string>>; readonly file: FormFile };
  readonly headers?: Readonly<Record<string, string>>;
  readonly model?: string;
  readonly maxBytes?: number;
  /**
   * Default `json`. With `text` the body may be anything; a long or expensive one is not parsed as
   * JSON.
   */
  readonly expects?: 'json' | 'text';
}

export interface EndpointResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** Nothing when the text is not JSON. */
  readonly json: unknown;
}

/** A client of an OpenAI-compatible server: HTTP, streams, errors, keys and limits. */
export interface OpenAiClient {
  readonly title: string;
  chat(plan: ChatPlan, context: ProviderContext): AsyncIterable<ChatEvent>;
  /** The first request that `chat` would send, without the key. */
  preview(plan: ChatPlan): { readonly url: string; readonly body: JsonObject };
  call(call: EndpointCall, context: ProviderContext): Promise<EndpointResponse>;
}

const MAX_TEXT_BYTES = 64 * 1024 * 1024;

export function createOpenAiClient(initial: OpenAiClientOptions): OpenAiClient {
  const { title, http, clock, acquirePermit, key, otherKeys = [] } = initial;
  const options: ResolvedClientOptions = {
    ...initial,
    key: withOtherKeys(key, otherKeys),
    keys: createKeyRedactor([key, ...otherKeys]),
  };
  return {
    title,
    chat: (plan, context) => runChatPlan(plan, context, options),
    preview({ first }) {
      requireKey(options);
      return { url: redactUrl(chatUrl(options)), body: first.body };
    },
    async call(endpointCall, context) {
      const { operation, method, body, form, model } = endpointCall;
      const trace = traceVendorRequest(
        { operation, ...(model !== undefined && { model }) },
        context,
        options,
      );
      const timer = signalAt(context.deadline, clock, context.signal);
      let releasePermit: (() => void) | undefined;
      try {
        const multipartBody = form && multipart(form.fields, form.file, options.random);
        const headers = requestHeaders(
          options,
          multipartBody?.headers ?? (body && JSON_HEADERS),
          endpointCall.headers,
        );
        timer.signal.throwIfAborted();
        releasePermit = await acquirePermit?.(timer.signal);
        const response = await http.send({
          method,
          url: urlOf(options.baseUrl, endpointCall.path),
          headers,
          ...(multipartBody
            ? { body: multipartBody.body }
            : body && { body: JSON.stringify(body) }),
          signal: timer.signal,
        });
        trace.responded(response);
        await throwVendorError(response, model, options);
        const { text, json } = await readAnswer(response, endpointCall, options, () =>
          sleep(clock, 0, timer.signal),
        );
        trace.received(json);
        trace.end('ok');
        return { status: response.status, headers: response.headers, text, json };
      } catch (thrown) {
        const error = withProviderName(unreachableError(thrown, options), model, options);
        trace.end(error.class);
        throw error;
      } finally {
        timer.dispose();
        releasePermit?.();
      }
    },
  };
}

async function readAnswer(
  { body }: HttpResponse,
  { expects = 'json', maxBytes }: EndpointCall,
  { title, keys }: ResolvedClientOptions,
  pause: () => Promise<void>,
): Promise<Pick<EndpointResponse, 'text' | 'json'>> {
  if (expects === 'text') {
    const text = keys.redact(
      await readBodyText(body, { title, maxBytes: maxBytes ?? MAX_TEXT_BYTES }),
    );
    return { text, json: text.length > MAX_JSON_BYTES ? undefined : parseJson(text) };
  }
  const limits = { title, maxBytes: maxBytes ?? MAX_JSON_BYTES, json: LARGE_JSON_LIMITS };
  const text = keys.redact(await readBodyText(body, limits));
  return { text, json: await parseLargeJson(text, pause) };
}

const JSON_HEADERS = { 'content-type': 'application/json' };
