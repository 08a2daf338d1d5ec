import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Config } from '#config/schema/config.schema.ts';
import { CallError } from '#core/errors/call-error.ts';
import { fetchPublic } from '#net/fetch-public.ts';
import { verifies } from '../../../test/verifies.ts';
import { systemClock } from '../system.ts';
import {
  createNetwork,
  listReplayFolder,
  makeRecordFolder,
  recordFolderError,
  type Network,
} from './network.ts';
import { SILENT_LOG } from './silent-log.ts';

describe('network', () => {
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
        offline: false,
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
      log: SILENT_LOG,
      secrets: () => [],
    });
    onTestFinished(() => network.close());
    return network;
  }

  /** Fetches a picture by its URL, as providers do. */
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
});

describe('recordings folder', () => {
  function createFolder(): string {
    const folder = mkdtempSync(join(tmpdir(), 'exai-recordings-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    return folder;
  }

  function thrownBy(work: () => unknown): CallError {
    try {
      work();
    } catch (thrown) {
      return CallError.from(thrown);
    }
    throw new Error('nothing was thrown');
  }

  test('only the last folder is created, accessible only to its user', () => {
    const path = join(createFolder(), 'tapes');
    expect(recordFolderError(path)).toBeUndefined();
    makeRecordFolder(path);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    makeRecordFolder(path);
    expect(recordFolderError(path)).toBeUndefined();
  });

  test.each(['missing/tapes', 'file', 'file/tapes'])(
    '%s is refused with the setting to change',
    (name) => {
      const folder = createFolder();
      writeFileSync(join(folder, 'file'), '');
      const path = join(folder, name);
      const error = thrownBy(() => makeRecordFolder(path));
      expect(error).toMatchObject({ class: 'validation', field: 'network.record' });
      expect(error.fix).toContain('EXAI_RECORD');
      expect(recordFolderError(path)).toMatchObject({ field: 'network.record' });
    },
  );

  test.runIf(process.platform === 'linux')(
    'a folder that cannot be created is refused at once',
    () => {
      expect(thrownBy(() => makeRecordFolder('/proc/exai/tapes')).fix).toContain('EXAI_RECORD');
      expect(thrownBy(() => makeRecordFolder('/proc/exai')).fix).toContain('EXAI_RECORD');
    },
  );

  test('recordings are listed, and the error of a missing folder names the setting', () => {
    const folder = createFolder();
    mkdirSync(join(folder, 'tapes'));
    expect(listReplayFolder(folder)).toEqual(['tapes']);
    const error = thrownBy(() => listReplayFolder(join(folder, 'missing')));
    expect(error).toMatchObject({ class: 'validation', field: 'network.replay' });
    expect(error.fix).toContain('EXAI_REPLAY');
  });
});
