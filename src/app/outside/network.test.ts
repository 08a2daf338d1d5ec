import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import type { Config } from '#config/config.schema.ts';
import { fetchPublic } from '#net/fetch-public.ts';
import { systemClock } from '../system.ts';
import { createNetwork, type Network } from './network.ts';
import { SILENT } from './silent-log.ts';

const PICTURE = Buffer.from('89504e470d0a1a0a00ff00fe', 'hex');

async function startVendor() {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://vendor.test');
    if (pathname === '/picture') {
      response.writeHead(302, { location: '/stored.png?signature=topsecret&size=2' }).end();
    } else if (pathname === '/stored.png') {
      response.writeHead(200, { 'content-type': 'image/png' }).end(PICTURE);
    } else {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"seen":"a picture","api_key":"topsecret"}');
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    place: `127.0.0.1:${port}`,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function openNetwork(settings: Partial<Config['network']>): Promise<Network> {
  const network = await createNetwork({
    settings: {
      httpsProxy: '',
      httpProxy: '',
      noProxy: '',
      caFile: '',
      allowPrivate: [],
      record: '',
      replay: '',
      ...settings,
    },
    clock: systemClock,
    log: SILENT,
    secrets: () => [],
  });
  onTestFinished(() => network.close());
  return network;
}

/** What a provider does that is given a picture by its address. */
async function lookAt({ http, publicHttp }: Network, place: string) {
  const { signal } = new AbortController();
  const picture = await fetchPublic(publicHttp, `http://${place}/picture`, {
    signal,
    maxBytes: 1000,
  });
  const response = await http.send({
    method: 'POST',
    url: `http://${place}/chat`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ picture: Buffer.from(picture.bytes).toString('base64') }),
    signal,
  });
  return { picture: Buffer.from(picture.bytes), answer: await response.text(1000) };
}

verifies(
  'net:record',
  'a picture fetched by its address replays with the answer about it',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'exai-tapes-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const vendor = await startVendor();
    const live = await openNetwork({ record: folder, allowPrivate: [vendor.place] });
    const seen = await lookAt(live, vendor.place);
    expect(seen).toEqual({
      picture: PICTURE,
      answer: '{"seen":"a picture","api_key":"topsecret"}',
    });
    await live.close();
    await vendor.stop();
    const names = readdirSync(folder).toSorted();
    expect(names.map((name) => name.replace(/-[0-9a-f]{8}\.json$/, ''))).toEqual([
      '000001-get-picture',
      '000002-get-stored.png-signature-redacted-size-2',
      '000003-post-chat',
    ]);
    for (const name of names)
      expect(readFileSync(join(folder, name), 'utf8')).not.toContain('topsecret');
    const replay = await openNetwork({ replay: folder });
    expect(await lookAt(replay, vendor.place)).toEqual({
      picture: PICTURE,
      answer: '{"seen":"a picture","api_key":"*********"}',
    });
  },
);
