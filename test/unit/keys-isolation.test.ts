import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { createNetwork } from '#app/providers/network.ts';
import { createProviders, type Providers } from '#app/providers/providers.ts';
import { systemClock, systemRandom } from '#app/system.ts';
import { loadConfig } from '#config/load/load.ts';
import { secretValues } from '#config/secrets/mask.ts';
import { collectChat } from '../collect-chat.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import type { ProviderContext } from '#core/llm/provider.ts';
import { createCatalogue } from '#models/catalogue.ts';
import { startEmulator, type Emulator } from '../../emulator/start.ts';
import { QUOTES, type QuotedAnswer } from '../attacks/secrets/quotes.ts';
import { doEverything } from '../cases/provider-everything.ts';
import { png } from '../cases/provider-png.ts';
import { FIVE, user } from '../cases/provider-requests.ts';
import { createListLog } from '../list-log.ts';
import { verifies } from '../verifies.ts';

/** Whose key it is, the random part of it, and a model to ask. */
const HOLDERS = [
  {
    id: 'kimi',
    vendor: 'kimi',
    head: 'sk-',
    random: 'Kq7Zx9Wm2Vt5Rb8Nc4-aaaa',
    model: 'kimi-k2.6',
  },
  {
    id: 'glm',
    vendor: 'glm',
    head: '',
    random: 'Hd3Lf6Gp9Js2.Yv7Ek1Ou4Xi8-bbbb',
    model: 'glm-4.6',
  },
  {
    id: 'openrouter',
    vendor: 'openrouter',
    head: 'sk-or-',
    random: 'Tz5Qm8Rw1Bn6Cp3Dk9-cccc',
    model: 'z-ai/glm-5.3',
  },
  {
    id: 'custom',
    vendor: 'ollama',
    head: 'home-',
    random: 'Uf4Ag7Sh0Mj3Wl6Pe9-dddd',
    model: 'qwen3:8b',
  },
] as const;

const FAULTS = [
  'F1',
  'F2',
  'F3',
  'F4.504',
  'F5.reset',
  'F5.cut',
  'F6.malformed',
  'F10',
  'F11.error',
  'F16',
];
const PIECE_CHARS = 6;

/** Every piece of a key that nobody else could know. */
const pieces = HOLDERS.flatMap(({ random }) =>
  Array.from({ length: random.length - PIECE_CHARS + 1 }, (_, at) =>
    random.slice(at, at + PIECE_CHARS),
  ),
);

function expectNoKey(what: unknown): void {
  const text =
    typeof what === 'string'
      ? what
      : inspect(what, {
          depth: 12,
          showHidden: true,
          maxArrayLength: null,
          maxStringLength: null,
        }) +
        JSON.stringify(what, (_, value: unknown) =>
          value instanceof Error ? [value, value.message, value.stack, value.cause] : value,
        );
  expect(pieces.filter((piece) => text.includes(piece))).toEqual([]);
}

describe('keys', () => {
  let emulator: Emulator;
  let home: string;
  const log = createListLog();
  const opened: { close(): unknown }[] = [];

  beforeEach(async () => {
    emulator = await startEmulator();
    home = mkdtempSync(join(tmpdir(), 'exai-keys-'));
  });
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.close();
    await emulator.close();
    rmSync(home, { recursive: true });
  });

  /** All providers as the daemon makes them, every one with a key of its own. */
  async function openAll(
    urls: (vendor: string) => string,
  ): Promise<{ providers: Providers; close: () => Promise<void> }> {
    const keys = HOLDERS.map(({ id, head, random }) => [
      `${id.toUpperCase()}_API_KEY`,
      head + random,
    ]);
    const paths: Record<string, string> = {
      kimi: '/kimi/v1',
      glm: '/glm/api/paas/v4',
      openrouter: '/openrouter/api/v1',
      ollama: '/ollama/v1',
    };
    const places = HOLDERS.map(({ id, vendor }) => [
      `${id.toUpperCase()}_API_URL`,
      `${urls(vendor)}${paths[vendor] ?? ''}`,
    ]);
    const env = {
      ...Object.fromEntries([...keys, ...places]),
      EXAI_HOME: home,
      EXAI_RECORD: join(home, 'recordings'),
    };
    const { config } = loadConfig({ env });
    const network = await createNetwork({
      settings: config.network,
      clock: systemClock,
      log,
      secrets: () => secretValues(config),
    });
    opened.push(network);
    const catalogue = createCatalogue();
    const { baseUrl: customUrl } = config.providers.custom;
    const options = { config, network, clock: systemClock, random: systemRandom, customUrl };
    const providers = createProviders({ ...options, catalogue: () => catalogue });
    return { providers, close: () => network.close() };
  }

  const context = (): ProviderContext => ({
    signal: new AbortController().signal,
    deadline: deadlineIn(systemClock, 10_000),
  });

  verifies(
    'keys:isolation',
    'each key reaches its own vendor and is in no answer, error, log line or recording',
    async () => {
      const { providers, close } = await openAll(() => emulator.url);
      for (const { id, vendor, model } of HOLDERS) {
        const provider = providers.get(id);
        if (!provider) throw new Error(`There is no ${id}.`);
        expectNoKey(provider);
        expectNoKey(await doEverything(provider, model, context));
        for (const fault of FAULTS)
          for (const delivery of ['whole', 'stream'] as const) {
            // Servers at home do not know all of them.
            if (fault === 'F2' && id === 'custom') continue;
            emulator.fault({ id: fault, vendor, path: 'chat' });
            const request = { model, delivery, messages: user(FIVE) } as const;
            expectNoKey(await collectChat(provider.chat(request, context())));
            emulator.clearFaults();
          }
      }
      await close();
      for (const { vendor, random } of HOLDERS) {
        const endings = emulator
          .requests({ vendor })
          .map(({ headers }) => headers['authorization'] ?? '');
        expect(endings.length).toBeGreaterThan(20);
        expect([...new Set(endings)]).toEqual([`…${random.slice(-4)}`]);
      }
      expectNoKey(emulator.requests().map(({ path, body }) => [path, body]));
      const files = readdirSync(join(home, 'recordings'));
      expect(files.length).toBeGreaterThan(80);
      for (const file of files) expectNoKey(readFileSync(join(home, 'recordings', file), 'utf8'));
      expectNoKey(files);
      expectNoKey(log.lines);
    },
  );

  verifies('keys:isolation', 'a vendor that quotes the key is not quoted', async () => {
    for (const shape of QUOTES) {
      const server = await listen((request) =>
        shape(request.headers.authorization?.slice(7) ?? ''),
      );
      opened.push({ close: () => stop(server.server) });
      const { providers } = await openAll(() => server.url);
      for (const { id, model } of HOLDERS) {
        const provider = providers.get(id);
        if (!provider) throw new Error(`There is no ${id}.`);
        for (const delivery of ['whole', 'stream'] as const) {
          const request = { model, delivery, messages: user(FIVE) } as const;
          const outcome = await collectChat(provider.chat(request, context()));
          expect(outcome.is).toBe('failed');
          expectNoKey(outcome);
        }
        expectNoKey(await failure(provider.check(context())));
      }
    }
  });

  verifies('keys:isolation', 'no key goes where a picture is fetched from', async () => {
    const seen: IncomingMessage['headers'][] = [];
    const pictures = await listen((request) => {
      seen.push(request.headers);
      return { status: 200, type: 'image/png', body: png(4, 4) };
    });
    opened.push({ close: () => stop(pictures.server) });
    const { host } = new URL(pictures.url);
    const env = {
      KIMI_API_KEY: HOLDERS[0].head + HOLDERS[0].random,
      KIMI_API_URL: `${emulator.url}/kimi/v1`,
      EXAI_HOME: home,
    };
    const { config } = loadConfig({ env });
    const network = await createNetwork({
      settings: { ...config.network, allowPrivate: [host] },
      clock: systemClock,
      log,
      secrets: () => [],
    });
    opened.push(network);
    const catalogue = createCatalogue();
    const options = { config, network, clock: systemClock, random: systemRandom, customUrl: '' };
    const kimi = createProviders({ ...options, catalogue: () => catalogue }).get('kimi');
    const image = { type: 'image', source: { url: `${pictures.url}/a.png` } } as const;
    const outcome =
      kimi &&
      (await collectChat(
        kimi.chat({ model: 'kimi-k2.6', delivery: 'whole', messages: user([image]) }, context()),
      ));
    expect(outcome?.answer.text).toMatch(/4 x 4 pixels/);
    expect(seen).toHaveLength(1);
    expect(seen[0]).not.toHaveProperty('authorization');
    expectNoKey(seen);
  });
});

async function listen(
  answer: (request: IncomingMessage) => QuotedAnswer,
): Promise<{ readonly server: Server; readonly url: string }> {
  const server = createServer((request, response) => {
    const { status, type, body } = answer(request);
    request.resume();
    response.writeHead(status, { 'content-type': type });
    response.end(body);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function failure(work: Promise<unknown>): Promise<unknown> {
  try {
    return await work;
  } catch (thrown) {
    return thrown;
  }
}
