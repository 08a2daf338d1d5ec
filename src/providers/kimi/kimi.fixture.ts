import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { ChatRequest, ChatTool } from '#core/llm/chat.ts';
import type { ChatOutcome } from '#core/llm/collect-chat.ts';
import { collectChat } from '../../../test/collect-chat.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import type { VendorRequestRecord, FileToUpload } from '#core/llm/provider.ts';
import { createSecret } from '#core/secrets/secret.ts';
import { createCatalogue } from '#models/catalogue.ts';
import type { Catalogue, Model } from '#models/model.ts';
import { createHttp } from '#net/create-http.ts';
import { startEmulator, type Emulator } from '../../../emulator/start.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { createKimi, type KimiSettings } from './kimi.ts';

export const KEY = 'sk-0123456789abcdefghij';

const BUILT_IN = createCatalogue();

export function modelOf(id: string): Model {
  const model = BUILT_IN.find(id, 'kimi');
  if (!model) throw new Error(`The catalogue has no ${id}.`);
  return model;
}

/** The catalogue with models called back from retirement. */
export function withLive(...ids: readonly string[]): Catalogue {
  return withModels(...ids.map((id): Model => ({ ...modelOf(id), state: 'live' })));
}

/** The catalogue with these in place of those of the same name. */
export function withModels(...models: readonly Model[]): Catalogue {
  const named = (name: string) => models.find(({ id }) => id === name);
  return {
    models: [...models, ...BUILT_IN.models],
    resolve(name) {
      const model = named(name);
      return model ? { is: 'found', model } : BUILT_IN.resolve(name);
    },
    find: (id, provider) => named(id) ?? BUILT_IN.find(id, provider),
  };
}

export function asking(text: string, more: Partial<ChatRequest> = {}): ChatRequest {
  return {
    model: 'kimi-k2.6',
    messages: [{ role: 'user', content: text }],
    delivery: 'whole',
    thinking: { mode: 'off' },
    ...more,
  };
}

export interface KimiWorld {
  readonly emulator: Emulator;
  /** A separate provider, with a clock and a record of its requests. */
  kimi(change?: Change): KimiUnderTest;
  /** The bodies of the chats since the last call. */
  bodies(): readonly Record<string, unknown>[];
}

export interface Change extends Partial<Omit<KimiSettings, 'key'>> {
  readonly key?: string;
  readonly catalogue?: Catalogue;
  /** `host:port` that pictures may be fetched from. */
  readonly allowPrivate?: readonly string[];
}

export type KimiUnderTest = ReturnType<typeof kimiAt>;

/**
 * The emulated Kimi on its own port for the tests of a file, over real sockets; reset before each
 * test.
 */
export function useKimiWorld(): KimiWorld {
  let emulator: Emulator | undefined;
  const open: KimiUnderTest[] = [];
  let seen = 0;
  const world: KimiWorld = {
    get emulator() {
      if (!emulator) throw new Error('The emulator runs only within tests.');
      return emulator;
    },
    kimi(change = {}) {
      const under = kimiAt(`${world.emulator.url}/kimi/v1`, change);
      open.push(under);
      return under;
    },
    bodies() {
      const all = world.emulator.requests({ vendor: 'kimi' });
      const fresh = all.slice(seen).filter(({ path }) => path.endsWith('/chat/completions'));
      seen = all.length;
      return fresh.map(({ body }) => body as Record<string, unknown>);
    },
  };
  beforeAll(async () => {
    emulator = await startEmulator();
  });
  beforeEach(() => {
    world.emulator.reset();
    world.bodies();
  });
  afterAll(async () => {
    await Promise.all(open.map((under) => under.close()));
    await emulator?.close();
  });
  return world;
}

export function kimiAt(url: string, change: Change) {
  const { key = KEY, catalogue = BUILT_IN, allowPrivate = [], ...settings } = change;
  const clock = createFakeClock();
  const exchanges: VendorRequestRecord[] = [];
  const controller = new AbortController();
  const network = { httpProxy: '', httpsProxy: '', noProxy: '', extraCa: '', allowPrivate };
  const http = createHttp({ network, guard: 'configured', clock });
  const publicHttp = createHttp({ network, guard: 'public', clock });
  const provider = createKimi(
    { baseUrl: url, key: createSecret(key), ...settings },
    {
      http,
      publicHttp,
      clock,
      random: (bytes) => new Uint8Array(bytes).fill(7),
      catalogue: () => catalogue,
      timeouts: { firstTokenMs: 30_000, idleMs: 10_000 },
    },
  );
  const context = {
    signal: controller.signal,
    deadline: deadlineIn(clock, 90_000),
    onVendorRequest: (exchange: VendorRequestRecord) => void exchanges.push(exchange),
  };
  return {
    provider,
    context,
    clock,
    controller,
    exchanges,
    ask: (request: ChatRequest): Promise<ChatOutcome> =>
      collectChat(provider.chat(request, context)),
    close: async () => {
      await http.close();
      await publicHttp.close();
    },
  };
}

export const WEATHER: ChatTool = {
  name: 'weather',
  description: 'Tells the weather of a city.',
  parameters: {
    type: 'object',
    properties: {
      city: { type: 'string' },
      unit: { enum: ['c', 'f'] },
      at: { anyOf: [{ minLength: 1 }, { maxLength: 9 }], type: 'string' },
    },
    required: ['city'],
  },
};

/** One pixel. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

export function upload(text: string | Buffer, more: Partial<FileToUpload> = {}): FileToUpload {
  const bytes = Buffer.from(text);
  return {
    name: 'a.txt',
    mediaType: 'text/plain',
    size: bytes.length,
    // oxlint-disable-next-line require-await -- an upload asks for its bytes as a stream
    async *bytes() {
      yield bytes;
    },
    purpose: 'extract',
    ...more,
  };
}
