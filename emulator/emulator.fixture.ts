import { test } from 'vitest';
import type { Emulator } from './start.ts';

/** A test of a fact about the outside world, by its id in the list of promises. */
export function verifies(
  fact: string,
  sentence: string,
  body: () => void | Promise<void>,
  timeoutMs?: number,
): void {
  // oxlint-disable-next-line vitest/expect-expect -- the body asserts
  test(`${sentence} [${fact}]`, body, timeoutMs);
}

/** What comes from outside, looked at without ceremony. */
// oxlint-disable-next-line typescript/no-explicit-any -- a test says what it expects, whatever came
export type Loose = any;

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Loose;
}

export interface Asked {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

export async function send(url: string, asked: Asked = {}): Promise<Answered> {
  const { method = asked.body === undefined ? 'GET' : 'POST', body, headers = {}, signal } = asked;
  const isRaw = body instanceof FormData || typeof body === 'string';
  const response = await fetch(url, {
    method,
    headers: isRaw ? headers : { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parse(text) };
}

export function parse(text: string): Loose {
  try {
    return JSON.parse(text);
  } catch {
    // An answer that is no JSON is looked at as text.
    return undefined;
  }
}

/** The data of each event of a whole stream. */
export function eventsOf(text: string): Loose[] {
  return text
    .split('\n\n')
    .filter((block) => block.startsWith('data: ') && !block.includes('[DONE]'))
    .map((block) => JSON.parse(block.slice(6)) as unknown);
}

/** Reads a stream until it ends or breaks off. */
export async function readAll(
  url: string,
  asked: Asked,
): Promise<{ text: string; ended: 'well' | 'broken' }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...asked.headers },
    body: JSON.stringify(asked.body),
    ...(asked.signal === undefined ? {} : { signal: asked.signal }),
  });
  let text = '';
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  try {
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>)
      text += decoder.decode(chunk, { stream: true });
    return { text, ended: 'well' };
  } catch {
    // Breaking off is what the test wants to know about.
    return { text, ended: 'broken' };
  }
}

/** Asks the emulated Kimi. */
export function kimi(emulator: Emulator, key = 'sk-test') {
  const at = (path: string): string => `${emulator.url}/kimi/v1${path}`;
  const headers = { authorization: `Bearer ${key}` };
  return {
    at,
    headers,
    get: (path: string) => send(at(path), { headers }),
    post: (path: string, body: unknown, more: Record<string, string> = {}) =>
      send(at(path), { body, headers: { ...headers, ...more } }),
    delete: (path: string) => send(at(path), { method: 'DELETE', headers }),
    put: (path: string, body: unknown) => send(at(path), { method: 'PUT', body, headers }),
    /** A question to kimi-k2.6 that does not think, unless told otherwise. */
    chat: (content: unknown, more: object = {}, extra: Record<string, string> = {}) =>
      send(at('/chat/completions'), {
        body: {
          model: 'kimi-k2.6',
          thinking: { type: 'disabled' },
          messages: [{ role: 'user', content }],
          ...more,
        },
        headers: { ...headers, ...extra },
      }),
    upload: (
      name: string,
      data: string | Uint8Array<ArrayBuffer>,
      purpose = 'file-extract',
      extra: Record<string, string> = {},
    ) => {
      const form = new FormData();
      form.set('file', new Blob([data]), name);
      form.set('purpose', purpose);
      return send(at('/files'), { body: form, headers: { ...headers, ...extra } });
    },
  };
}

export const WEATHER = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'The weather of a city.',
    parameters: {
      type: 'object',
      properties: {
        city: { type: 'string' },
        unit: { type: 'string', enum: ['celsius', 'fahrenheit'] },
        days: { type: 'integer', minimum: 1, maximum: 7 },
      },
      required: ['city'],
    },
  },
};
