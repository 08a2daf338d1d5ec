import { afterAll, beforeAll, beforeEach } from 'vitest';
import { CallError } from '#core/errors/call-error.ts';
import type { ChatOutcome } from '#core/llm/collect-chat.ts';
import { collectChat } from '../../../test/collect-chat.ts';
import type { ChatRequest, ChatTool, ResponseFormat } from '#core/llm/chat.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import type { Http, HttpRequest } from '#core/net/http.ts';
import type { VendorRequestRecord, Provider } from '#core/llm/provider.ts';
import { createSecret } from '#core/secrets/secret.ts';
import { createCatalogue } from '#models/catalogue.ts';
import type { Model } from '#models/model.ts';
import { createHttp } from '#net/create-http.ts';
import { createGlm as createGlmVendor } from '../../../emulator/glm/glm.ts';
import { startEmulator, type Emulator } from '../../../emulator/start.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { createGlm, type GlmSettings } from './glm.ts';

export const KEY = 'id0123456789.secret-0123456789';

const DIRECT = { httpProxy: '', httpsProxy: '', noProxy: '', extraCa: '' };

export function modelOf(id: string): Model {
  const model = createCatalogue().find(id, 'glm');
  if (!model) throw new Error(`The catalogue has no ${id}`);
  return model;
}

export function requestFor(
  model: string,
  text: string,
  more: Partial<ChatRequest> = {},
): ChatRequest {
  return { model, messages: [{ role: 'user', content: text }], delivery: 'whole', ...more };
}

/** A provider whose dependencies can be observed. */
export function providerOn(
  http: Http,
  settings: Partial<GlmSettings> & { readonly baseUrl: string },
) {
  const clock = createFakeClock();
  const exchanges: VendorRequestRecord[] = [];
  const controller = new AbortController();
  const provider: Provider = createGlm(
    { key: createSecret(KEY), ...settings },
    {
      http,
      publicHttp: { ...http, guard: 'public', allowPrivate: [] },
      clock,
      random: (bytes) => new Uint8Array(bytes).fill(7),
      catalogue: () => createCatalogue(),
      timeouts: { firstTokenMs: 5_000, idleMs: 5_000 },
    },
  );
  const context = {
    signal: controller.signal,
    deadline: deadlineIn(clock, 60_000),
    onVendorRequest: (exchange: VendorRequestRecord) => void exchanges.push(exchange),
  };
  const ask = (request: ChatRequest): Promise<ChatOutcome> =>
    collectChat(provider.chat(request, context));
  return { provider, context, controller, clock, exchanges, ask };
}

export type TestGlm = ReturnType<typeof providerOn>;

export interface GlmWorld extends TestGlm {
  readonly emulator: Emulator;
  readonly switches: Record<string, unknown>;
  /** The bodies of the requests to a path, oldest first. */
  bodies(path?: string): readonly Record<string, unknown>[];
  with(settings: Partial<GlmSettings>): TestGlm;
  /** The same at the other host. */
  atBigmodel(): TestGlm;
  close(): Promise<void>;
}

/** GLM over real HTTP, on loopback. */
async function startGlmWorld(): Promise<GlmWorld> {
  const emulator = await startEmulator({ vendors: [createGlmVendor()] });
  const http = createHttp({ network: DIRECT, guard: 'configured', clock: createFakeClock() });
  const baseUrl = `${emulator.url}/glm/api/paas/v4`;
  return {
    ...providerOn(http, { baseUrl }),
    emulator,
    switches: emulator.switches['glm'] ?? {},
    bodies: (path = '/chat/completions') =>
      emulator
        .requests()
        .filter((request) => request.path.endsWith(path))
        .map((request) => request.body as Record<string, unknown>),
    with: (settings) => providerOn(http, { baseUrl, ...settings }),
    atBigmodel() {
      Object.assign(emulator.switches['glm'] ?? {}, { host: 'bigmodel' });
      return providerOn(http, { baseUrl, site: 'bigmodel' });
    },
    async close() {
      await http.close();
      await emulator.close();
    },
  };
}

/** One such world for the tests of a file, reset before each test. */
export function useGlmWorld(): GlmWorld {
  const world = {} as GlmWorld;
  beforeAll(async () => {
    Object.assign(world, await startGlmWorld());
  });
  beforeEach(() => {
    world.emulator.reset();
    world.exchanges.length = 0;
  });
  afterAll(() => world.close());
  return world;
}

/** A scripted vendor, for responses that the emulator does not give. */
export function scripted(
  answers: readonly { readonly status?: number; readonly json?: unknown; readonly text?: string }[],
  baseUrl = 'https://api.z.ai/api/paas/v4',
) {
  const requests: HttpRequest[] = [];
  const http: Http = {
    send(request) {
      const { status = 200, json, text } = answers[requests.length] ?? { status: 500, text: '' };
      requests.push(request);
      const body = text ?? JSON.stringify(json);
      return Promise.resolve({
        status,
        headers: { 'content-type': 'application/json' },
        body: (async function* () {
          yield await Promise.resolve(Buffer.from(body));
        })(),
        text: () => Promise.resolve(body),
      });
    },
    close: () => Promise.resolve(),
  };
  const told = providerOn(http, { baseUrl });
  const sent = () =>
    requests.map(({ body }) => JSON.parse(body as string) as Record<string, unknown>);
  return { ...told, requests, sent };
}

/** A whole answer in GLM's shape. */
export function saying(content: string | null, finish = 'stop', message: object = {}) {
  return {
    json: {
      id: '20261115',
      request_id: 'req-7f',
      model: 'glm-4.6',
      choices: [{ index: 0, finish_reason: finish, message: { content, ...message } }],
      usage: { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 },
    },
  };
}

export function must<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The provider lacks it');
  return value;
}

/** What was thrown, which has to be a CallError. */
export async function thrown(work: Promise<unknown> | undefined): Promise<CallError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof CallError) return error;
    throw error;
  }
  throw new Error('Nothing was thrown');
}

export const ADD: ChatTool = {
  name: 'add_numbers',
  description: 'Adds two numbers.',
  parameters: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
  },
};

export const NUMBERS: ResponseFormat = {
  type: 'json_schema',
  name: 'numbers',
  schema: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
};
