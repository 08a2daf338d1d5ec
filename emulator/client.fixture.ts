import { afterAll, beforeAll, beforeEach } from 'vitest';
import { startEmulator, type Emulator } from './start.ts';
import type { Vendor } from './vendor.ts';
import { parse, type Answered, type Loose } from './emulator.fixture.ts';

export type { Answered, Loose };

/** 2026-11-15T00:00:00Z, on which the facts were written down. */
export const NOW_MS = 1_794_700_800_000;

export interface Client {
  readonly emulator: Emulator;
  now: number;
  get(path: string, headers?: Record<string, string>): Promise<Answered>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answered>;
  send(method: string, path: string, init?: RequestInit): Promise<Answered>;
}

/** An emulator with these vendors for the tests of a file, as new before each of them. */
export function useEmulator(
  vendors: () => readonly Vendor[],
  headers: Record<string, string>,
  startMs = NOW_MS,
): Client {
  let emulator: Emulator | undefined;
  const client: Client = {
    now: startMs,
    get emulator() {
      if (emulator === undefined) throw new Error('The emulator runs only within tests.');
      return emulator;
    },
    get: (path, more = {}) => client.send('GET', path, { headers: { ...headers, ...more } }),
    post: (path, body, more = {}) =>
      client.send('POST', path, {
        headers: { 'content-type': 'application/json', ...headers, ...more },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    async send(method, path, init = {}) {
      const response = await fetch(client.emulator.url + path, { headers, ...init, method });
      const text = await response.text();
      return { status: response.status, headers: response.headers, text, json: parse(text) };
    },
  };
  beforeAll(async () => {
    emulator = await startEmulator({ vendors: vendors(), now: () => client.now });
  });
  beforeEach(() => {
    client.now = startMs;
    client.emulator.reset();
    client.emulator.clearFaults();
  });
  afterAll(() => emulator?.close());
  return client;
}

/** The data of a stream's events, without `[DONE]`. */
export const eventsOf = ({ text }: Answered): readonly Loose[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data: ') && line !== 'data: [DONE]')
    .map((line) => parse(line.slice(6)));

/** What the deltas of a stream add up to under one name. */
export const joined = (events: readonly Loose[], name: string): string =>
  events.map((event) => event.choices?.[0]?.delta?.[name] ?? '').join('');

export const user = (content: unknown): object => ({ role: 'user', content });

export const WEATHER_TOOL = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'The weather of a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};

/** As much of a PNG as anybody looks at. */
export function png(width: number, height: number, bytes = 64): Buffer {
  const data = Buffer.alloc(Math.max(bytes, 24));
  data.write('89504e470d0a1a0a0000000d49484452', 'hex');
  data.writeUInt32BE(width, 16);
  data.writeUInt32BE(height, 20);
  return data;
}
