import type { ChatEvent } from '#core/chat.ts';
import { signalAt } from '#core/deadline.ts';
import type { HttpResponse } from '#core/http.ts';
import type { JsonObject } from '#core/json.ts';
import type { Ability, ProviderContext } from '#core/provider.ts';
import { chat } from './chat.ts';
import { sleep } from '#core/clock.ts';
import { createKeyFilter } from './hide-keys.ts';
import { IN_PARTS, MAX_JSON_BYTES } from './json-limits.ts';
import { parseJson } from './json-read.ts';
import { multipart, type FormFile } from './multipart.ts';
import { parseInParts } from './parse-in-parts.ts';
import { readText } from './read-text.ts';
import type { ChatPlan } from './round.ts';
import {
  chatUrl,
  headersOf,
  named,
  refuseFailure,
  refuseWithoutKey,
  unreached,
  urlOf,
} from './send.ts';
import { shownUrl } from './shown-url.ts';
import { watchExchange } from './watch-exchange.ts';
import type { OpenWireOptions, WireOptions } from './wire-options.ts';

export interface WireCall {
  readonly operation: Ability;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the base URL, or a whole URL. */
  readonly path: string;
  readonly body?: JsonObject;
  readonly form?: { readonly fields: Readonly<Record<string, string>>; readonly file: FormFile };
  readonly headers?: Readonly<Record<string, string>>;
  readonly model?: string;
  readonly maxBytes?: number;
  /** `json` unless told. Of a text nothing is expected, and one that is long, or would cost much to build, is not read as JSON. */
  readonly expects?: 'json' | 'text';
}

export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** Nothing when the text is no JSON. */
  readonly json: unknown;
}

/** An OpenAI-compatible server, spoken to. */
export interface Wire {
  readonly title: string;
  chat(plan: ChatPlan, context: ProviderContext): AsyncIterable<ChatEvent>;
  /** What `chat` would send first, without any key. */
  preview(plan: ChatPlan): { readonly url: string; readonly body: JsonObject };
  call(call: WireCall, context: ProviderContext): Promise<WireAnswer>;
}

const MAX_TEXT_BYTES = 64 * 1024 * 1024;

export function createWire(given: WireOptions): Wire {
  const { title, http, clock, gate, key, otherKeys = [] } = given;
  const options: OpenWireOptions = { ...given, keys: createKeyFilter([key, ...otherKeys]) };
  return {
    title,
    chat: (plan, context) => chat(plan, context, options),
    preview({ first }) {
      refuseWithoutKey(options);
      return { url: shownUrl(chatUrl(options)), body: first.body };
    },
    async call(wanted, context) {
      const { operation, method, body, form, model } = wanted;
      const watch = watchExchange(
        { operation, ...(model !== undefined && { model }) },
        context,
        options,
      );
      const timer = signalAt(context.deadline, clock, context.signal);
      let leave: (() => void) | undefined;
      try {
        const multi = form && multipart(form.fields, form.file, options.random);
        const headers = headersOf(
          options,
          multi?.headers ?? (body && JSON_HEADERS),
          wanted.headers,
        );
        timer.signal.throwIfAborted();
        leave = await gate?.(timer.signal);
        const response = await http.send({
          method,
          url: urlOf(options.baseUrl, wanted.path),
          headers,
          ...(multi ? { body: multi.body } : body && { body: JSON.stringify(body) }),
          signal: timer.signal,
        });
        watch.answered(response);
        await refuseFailure(response, model, options);
        const { text, json } = await readAnswer(response, wanted, options, () =>
          sleep(clock, 0, timer.signal),
        );
        watch.said(json);
        watch.end('ok');
        return { status: response.status, headers: response.headers, text, json };
      } catch (thrown) {
        const error = named(unreached(thrown, options), model, options);
        watch.end(error.class);
        throw error;
      } finally {
        timer.dispose();
        leave?.();
      }
    },
  };
}

async function readAnswer(
  { body }: HttpResponse,
  { expects = 'json', maxBytes }: WireCall,
  { title, keys }: OpenWireOptions,
  pause: () => Promise<void>,
): Promise<Pick<WireAnswer, 'text' | 'json'>> {
  if (expects === 'text') {
    const text = keys.hide(await readText(body, { title, maxBytes: maxBytes ?? MAX_TEXT_BYTES }));
    return { text, json: text.length > MAX_JSON_BYTES ? undefined : parseJson(text) };
  }
  const limits = { title, maxBytes: maxBytes ?? MAX_JSON_BYTES, json: IN_PARTS };
  const text = keys.hide(await readText(body, limits));
  return { text, json: await parseInParts(text, pause) };
}

const JSON_HEADERS = { 'content-type': 'application/json' };
