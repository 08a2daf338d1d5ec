/** Pictures that clients of the gateway name by an address: fetched by the daemon. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect } from 'vitest';
import { systemClock } from '#app/system.ts';
import { createHttp, type GuardedHttp } from '#net/create-http.ts';
import { NO_NETWORK } from '../../src/net/net.fixture.ts';
import { gatewaySuite } from '../cases/gateway-suite.ts';
import type { GatewayRig } from '../cases/gateway-under-test.ts';
import { makePicture } from '../make-picture.ts';
import { verifies } from '../verifies.ts';

const PNG = makePicture({ width: 40, height: 30, format: 'png' });
const LARGE = Buffer.concat([PNG, Buffer.alloc(20_000_000)]);

let http: GuardedHttp<'public'>;
let at = '';
const web = createServer(({ url = '/' }, response) => {
  if (url === '/moved') response.writeHead(302, { location: '/a.png' }).end();
  else if (url === '/inside')
    response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end();
  else if (url === '/page') response.setHeader('content-type', 'text/html').end('<p>Hello</p>');
  else if (url === '/huge.png') response.end(Buffer.concat([LARGE, LARGE, LARGE]));
  else if (url.startsWith('/large')) response.end(LARGE);
  else if (url === '/a.png') response.setHeader('content-type', 'image/png').end(PNG);
  else response.writeHead(404).end();
});

const suite = gatewaySuite({
  providers: ['kimi', 'glm', 'openrouter'],
  withPublicHttp: (work) => work(http),
});

beforeAll(async () => {
  await new Promise<void>((resolve) => void web.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(web.address() as AddressInfo).port}`;
  at = `http://${host}`;
  http = createHttp({
    guard: 'public',
    network: { ...NO_NETWORK, allowPrivate: [host] },
    clock: systemClock,
  });
});
afterAll(async () => {
  await http.close();
  web.closeAllConnections();
  web.close();
});

/** The same question with the pictures at these addresses, in the form of each API. */
function forms(model: string, ...urls: readonly string[]) {
  const text = 'Say exactly: seen';
  const inner = (part: (url: string) => object, first: object) => [first, ...urls.map(part)];
  const said = { type: 'text', text };
  return [
    [
      '/v1/chat/completions',
      {
        model,
        messages: [
          {
            role: 'user',
            content: inner((url) => ({ type: 'image_url', image_url: { url } }), said),
          },
        ],
      },
    ],
    [
      '/v1/responses',
      {
        model,
        input: [
          {
            role: 'user',
            content: inner((image_url) => ({ type: 'input_image', image_url }), {
              type: 'input_text',
              text,
            }),
          },
        ],
      },
    ],
    [
      '/v1/messages',
      {
        model,
        max_tokens: 1000,
        messages: [
          {
            role: 'user',
            content: inner((url) => ({ type: 'image', source: { type: 'url', url } }), said),
          },
        ],
      },
    ],
  ] as const;
}

async function post(rig: GatewayRig, path: string, body: object) {
  const response = await fetch(`${rig.url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${rig.key}`,
      'anthropic-version': '2023-06-01',
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.text() };
}

for (const model of ['auto', 'kimi-k2.6', 'glm-4.6v', 'openrouter/moonshotai/kimi-k2.6']) {
  verifies('vision:gateway', `${model} gets the bytes, and no address`, async () => {
    const rig = await suite.rig();
    for (const [path, body] of forms(model, `${at}/a.png`, `${at}/moved`)) {
      expect(await post(rig, path, body)).toMatchObject({ status: 200 });
      const asked = JSON.stringify(rig.chats().at(-1)?.body);
      expect(asked.split(PNG.toString('base64'))).toHaveLength(3);
      expect(asked).not.toContain(at);
    }
  });
}

for (const [what, urls, said] of [
  ['a redirect into a private network', ['/inside'], 'link-local'],
  ['a page', ['/page'], 'no picture'],
  ['a picture of 60 MB', ['/huge.png'], '24 MB'],
  ['pictures of 60 MB in all', ['/large1', '/large2', '/large3'], '48 MB'],
  ['nothing', ['/none.png'], '404'],
] as const) {
  verifies('vision:gateway', `${what} is refused by its place, and nothing is asked`, async () => {
    const rig = await suite.rig();
    for (const [path, body] of forms('auto', ...urls.map((url) => `${at}${url}`))) {
      const sent = await post(rig, path, body);
      expect(sent.status).toBeGreaterThanOrEqual(400);
      expect(sent.status).toBeLessThan(500);
      expect(sent.body).toContain(said);
      expect(sent.body).toContain(`content[${urls.length}]`);
    }
    expect(rig.chats()).toEqual([]);
  });
}

for (const url of [
  'http://127.0.0.1:9/a.png',
  'http://169.254.169.254/a',
  'http://10.0.0.1/a.png',
]) {
  verifies('vision:gateway', `${url} is not requested`, async () => {
    const rig = await suite.rig();
    for (const [path, body] of forms('auto', url)) {
      const sent = await post(rig, path, body);
      expect(sent.status).toBe(403);
      expect(sent.body).toContain('content[1]');
    }
    expect(rig.chats()).toEqual([]);
  });
}

verifies('vision:gateway', 'the address of a video stays one', async () => {
  const rig = await suite.rig();
  const url = 'https://media.example/clip.mp4';
  const content = [
    { type: 'text', text: 'Say exactly: seen' },
    { type: 'video_url', video_url: { url } },
  ];
  const body = { model: 'glm-4.6v', messages: [{ role: 'user', content }] };
  expect(await post(rig, '/v1/chat/completions', body)).toMatchObject({ status: 200 });
  expect(JSON.stringify(rig.chats('glm').at(-1)?.body)).toContain(url);
});
