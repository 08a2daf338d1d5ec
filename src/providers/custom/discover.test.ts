import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AbortSignalLike } from '#core/net/abort.ts';
import { afterEach, describe, expect, test } from 'vitest';
import { createLlamacpp } from '../../../emulator/local/llamacpp.ts';
import { createLmstudio } from '../../../emulator/local/lmstudio.ts';
import { createOllama } from '../../../emulator/local/ollama.ts';
import { createVllm } from '../../../emulator/local/vllm.ts';
import { verifies } from '../../../test/verifies.ts';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { startEmulator } from '../../../emulator/start.ts';
import type { Vendor } from '../../../emulator/vendor.ts';
import { realDeps } from './custom.fixture.ts';
import { discoverLocalServers } from './discover.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function listen(listener: RequestListener): Promise<number> {
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** An emulated server at the root of a port, as the real ones are. */
async function emulate(vendor: Vendor): Promise<number> {
  const emulator = await startEmulator({ vendors: [{ ...vendor, prefix: '' }] });
  closing.push(() => emulator.close());
  return emulator.port;
}

/** With a stopped clock, so that the result does not depend on the speed of the machine. */
function discover(ports: readonly number[], signal?: AbortSignalLike, clock = createFakeClock()) {
  const { http } = realDeps(clock);
  closing.push(() => http.close());
  return discoverLocalServers(http, clock, ports, signal);
}

describe('looking for model servers on this machine', () => {
  verifies('provider:discovery', 'finds the four and names their models', async () => {
    const ports = [
      await emulate(createOllama()),
      await emulate(createVllm()),
      await emulate(createLlamacpp()),
      await emulate(createLmstudio()),
    ];
    const found = await discover(ports);
    expect(found.map(({ flavour }) => flavour)).toEqual(['ollama', 'vllm', 'llamacpp', 'lmstudio']);
    expect(found.map(({ baseUrl }) => baseUrl)).toEqual(
      ports.map((port) => `http://127.0.0.1:${port}/v1`),
    );
    expect(found.every(({ models }) => models.length > 0)).toBe(true);
  });

  test('finds llama.cpp while it loads', async () => {
    const vendor = createLlamacpp();
    const port = await emulate(vendor);
    vendor.switches.health = 'loading';
    expect(await discover([port])).toMatchObject([{ flavour: 'llamacpp' }]);
  });

  test('takes no other program for a model server', async () => {
    const page = '<!doctype html><title>An application</title>';
    const json =
      (body: unknown, status = 200): RequestListener =>
      (_, response) => {
        response
          .writeHead(status, { 'content-type': 'application/json' })
          .end(JSON.stringify(body));
      };
    const ports = [
      await listen((_, response) => void response.end(page)),
      await listen(json({ status: 'ok' })),
      await listen(json({ version: '1.2.3' })),
      await listen(json({ version: '1.2.3', models: [{ name: 'User' }], data: [{ id: 1 }] })),
      await listen(json({ data: [{ id: 'a', type: 'user' }], object: 'list' })),
      await listen(json({ object: 'list', data: [{ id: 'gpt', object: 'model' }] })),
      await listen(json({ error: { code: 503, message: 'Down', type: 'unavailable_error' } }, 503)),
      await listen(json({ __proto__: null, default_generation_settings: { n_ctx: 5 } })),
      await listen(
        (_, response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
      ),
    ];
    expect(await discover(ports)).toEqual([]);
  });

  test('does not wait for servers that do not answer, nor read endless responses', async () => {
    let hear = () => {};
    const asked = new Promise<void>((resolve) => (hear = resolve));
    const silent = await listen(() => hear());
    const endless = await listen((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = () => {
        while (!response.destroyed && response.write('[1,'.repeat(10_000)));
        response.once('drain', more);
      };
      more();
    });
    const clock = createFakeClock();
    const looking = discover([silent, endless, 9], undefined, clock);
    await asked;
    clock.advance(300);
    expect(await looking).toEqual([]);
    expect(clock.waiting).toBe(0);
  });

  test('ends when the caller gives up', async () => {
    const silent = await listen(() => undefined);
    const controller = new AbortController();
    const looking = discover([silent], controller.signal);
    controller.abort(new Error('enough'));
    await expect(looking).rejects.toThrow('enough');
  });
});
