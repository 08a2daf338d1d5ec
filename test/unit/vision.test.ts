import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
} from 'vitest';
import { createPictureFetcher } from '#app/files/fetch-media.ts';
import type { ModelSide } from '#app/manager/model-side.ts';
import { systemClock } from '#app/system.ts';
import { createPictureSupply } from '#files/pictures/create-picture-supply.ts';
import { createPageDetector } from '#files/pictures/page-detector.ts';
import { createHttp } from '#net/create-http.ts';
import { createFfmpeg } from '#programs/ffmpeg/ffmpeg.ts';
import type { Fault } from '../../emulator/vendor.ts';
import { openIntake, type IntakeBench } from '../../src/files/intake/intake.fixture.ts';
import { NUMBERS } from '../cases/ask-classes.ts';
import { ASK_FAULT_TABLE } from '../cases/ask-fault-table.ts';
import { askSuite } from '../cases/ask-suite.ts';
import type { AskRig } from '../cases/ask-under-test.ts';
import { fileToolsOf, type FileAnswer } from '../cases/file-tools-under-test.ts';
import { makePage } from '../make-page.ts';
import { makePicture } from '../make-picture.ts';
import { openThreads, type OpenedThreads } from '../open-threads.ts';
import { verifies } from '../verifies.ts';

const ffmpeg = createFfmpeg({
  path: () => '',
  environment: process.env,
  cwd: tmpdir(),
  clock: systemClock,
});
const suite = askSuite({ pictureSupply: createPictureSupply(ffmpeg) });
const PNG = makePicture({ width: 60, height: 40, format: 'png' });
const JPEG = makePicture({ width: 80, height: 50, format: 'jpeg' });
const GIF = makePicture({ width: 30, height: 20, format: 'gif' });

let bench: IntakeBench;
let opened: OpenedThreads;
beforeAll(async () => {
  opened = await openThreads();
});
afterAll(() => opened.close());
beforeEach(async () => {
  bench = await openIntake();
  bench.write('project/a.png', PNG);
  bench.write('project/b.jpg', JPEG);
});
afterEach(() => bench.close());

/** What the emulator says about the pictures that it received, in their order. */
function described(...pictures: readonly string[]): string {
  return `${pictures.length} image${pictures.length === 1 ? '' : 's'} (${pictures.join('; ')})`;
}
const pngText = `image/png, ${PNG.length} bytes, 60 x 40 pixels`;
const jpegText = `image/jpeg, ${JPEG.length} bytes, 80 x 50 pixels`;

function callerOf(rig: AskRig, intake = bench.intake) {
  return fileToolsOf(rig, bench, opened.threads, intake);
}

function textOf({ result, error }: FileAnswer): string {
  expect(error).toBeUndefined();
  return result?.text ?? '';
}

verifies('vision:tool', 'several pictures in different forms are one question', async () => {
  const rig = await suite.rig();
  const call = callerOf(rig);
  const asked = await call('describe_image', {
    prompt: 'What differs?',
    images: [
      'a.png',
      { filename: 'b.jpg', content: JPEG.toString('base64'), mime_type: 'image/png' },
      `data:image/png;base64,${PNG.toString('base64')}`,
      { filename: 'c.gif', content: GIF.toString('base64') },
    ],
  });
  const gif = expect.stringMatching(/image\/png, \d+ bytes, 30 x 20 pixels/);
  expect(textOf(asked)).toContain(described(pngText, jpegText, pngText).slice(9, -1));
  expect(textOf(asked)).toEqual(gif);
  expect(asked.report).toMatchObject({ provider: 'glm', rule: 'pictures' });
  expect((asked.result?.notices ?? []).map(({ code }) => code)).toEqual(['about_file']);
  expect(JSON.stringify([rig.crumbs.lines, rig.log.lines])).not.toContain(
    PNG.toString('base64').slice(0, 40),
  );
});

verifies('vision:tool', 'a follow-up finds the pictures, also with another model', async () => {
  const rig = await suite.rig();
  const call = callerOf(rig);
  const images = [{ filename: 'kept.png', content: PNG.toString('base64') }, 'b.jpg'];
  const first = await call('describe_image', { images });
  const id = first.result?.continuation?.id;
  const second = await call('describe_image', { prompt: 'And now?', continuation_id: id });
  expect(textOf(second)).toContain('2 images');
  const other = await call('chat', { prompt: 'And you?', continuation_id: id, model: 'kimi-k2.6' });
  expect(textOf(other)).toContain('2 images');
  expect(other.report).toMatchObject({ provider: 'kimi' });
  // The conversation is with Kimi now.
  const third = await call('chat', {
    prompt: 'What is on them?',
    images: ['a.png'],
    continuation_id: id,
  });
  expect(third.report).toMatchObject({ provider: 'kimi', rule: expect.anything() });
});

verifies('vision:tool', 'a picture and a web search are one call', async () => {
  const rig = await suite.rig();
  const asked = await callerOf(rig)('describe_image', {
    images: ['a.png'],
    prompt: 'Which place is it, and what is its weather in Oslo today?',
    use_websearch: true,
  });
  textOf(asked);
  const body = JSON.stringify(rig.chats('glm').at(-1)?.body);
  expect(body).toContain('"type":"web_search"');
  expect(body).toContain('image_url');
});

verifies('vision:tool', 'twenty pictures are one question', async () => {
  const rig = await suite.rig();
  const images = Array.from({ length: 20 }, (_, at) => ({
    filename: `p${at}.bmp`,
    content: makeBmp(at + 1).toString('base64'),
  }));
  const asked = await callerOf(rig)('describe_image', { images, prompt: 'Count them.' });
  expect(textOf(asked)).toContain('20 images');
});

/** So many bytes that begin as a video of this type. */
function makeVideo(type: 'mp4' | 'avi', bytes = 5_000): Buffer {
  const heads = {
    mp4: '000000186674797069736f6d00000200',
    avi: '524946460000000041564920',
  };
  return Buffer.concat([Buffer.from(heads[type], 'hex'), Buffer.alloc(bytes)]);
}

describe('videos', () => {
  const entry = (filename: string, content: Buffer) => ({
    filename,
    content: content.toString('base64'),
  });
  for (const [what, files, provider] of [
    ['an MP4', [entry('a.mp4', makeVideo('mp4'))], 'glm'],
    ['an MP4 and a picture', [entry('a.mp4', makeVideo('mp4')), entry('a.png', PNG)], 'glm'],
    ['an MP4 over the limit of GLM', [entry('a.mp4', makeVideo('mp4', 9_000_000))], 'kimi'],
    ['a type that GLM does not take', [entry('a.avi', makeVideo('avi'))], 'kimi'],
  ] as const) {
    verifies('vision:tool', `${what} is sent to a model that takes it`, async () => {
      const rig = await suite.rig();
      // Large contents are read in slices, which needs a clock that goes on.
      const call = callerOf(rig, bench.with({ clock: systemClock }));
      const asked = await call('describe_image', { images: files, prompt: 'What moves?' });
      expect(textOf(asked)).toContain('video');
      expect(asked.report?.provider).toBe(provider);
      const body = JSON.stringify(rig.chats(provider).at(-1)?.body);
      expect(body).toContain('video_url');
    });
  }

  verifies('vision:tool', 'the address of a video is passed on to GLM', async () => {
    const rig = await suite.rig();
    const images = ['https://media.example/clip.mp4'];
    const asked = await callerOf(rig)('describe_image', { images, prompt: 'What moves?' });
    expect(asked.report?.provider).toBe('glm');
    expect(JSON.stringify(rig.chats('glm').at(-1)?.body)).toContain(images[0]);
  });

  verifies('vision:refused', 'a model that takes no videos gets none', async () => {
    const rig = await suite.rig();
    const images = [entry('a.mp4', makeVideo('mp4'))];
    const asked = await callerOf(rig)('describe_image', { images, model: 'glm-4.7' });
    expect(asked.report?.model ?? '').not.toBe('glm-4.7');
    expect(rig.chats().every(({ body }) => (body as { model: string }).model !== 'glm-4.7')).toBe(
      true,
    );
  });
});

/** A BMP of 8 by 8 pixels in one colour. */
function makeBmp(colour: number): Buffer {
  const bmp = Buffer.alloc(54 + 192, colour * 10);
  bmp.fill(0, 0, 54);
  bmp.write('BM');
  bmp.writeUInt32LE(bmp.length, 2);
  bmp.writeUInt32LE(54, 10);
  bmp.writeUInt32LE(40, 14);
  bmp.writeInt32LE(8, 18);
  bmp.writeInt32LE(8, 22);
  bmp.writeUInt16LE(1, 26);
  bmp.writeUInt16LE(24, 28);
  return bmp;
}

describe('refused before a model is asked', () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><rect/></svg>';
  const bomb = Buffer.from(PNG);
  bomb.writeUInt32BE(60_000, 16);
  bomb.writeUInt32BE(60_000, 20);
  const entry = (filename: string, content: Buffer) => ({
    filename,
    content: content.toString('base64'),
  });
  for (const [what, args, expected] of [
    ['no picture', {}, { class: 'validation', field: 'images' }],
    [
      'an SVG',
      { images: [entry('a.svg', Buffer.from(svg))] },
      { class: 'validation', field: 'images' },
    ],
    [
      'a playlist with the name of a video',
      { images: [entry('clip.mp4', Buffer.from('#EXTM3U\n/etc/passwd\n'))] },
      { class: 'validation', field: 'images' },
    ],
    ['a picture bomb', { images: [entry('a.png', bomb)] }, { class: 'too_large', field: 'images' }],
    [
      'a video over the limit of a call',
      { images: [entry('a.mp4', Buffer.alloc(25_000_000))] },
      { class: 'too_large', field: 'images' },
    ],
    ['a path outside the folders', { images: ['/etc/hostname'] }, { class: 'permission' }],
  ] as const) {
    verifies('vision:refused', what, async () => {
      const rig = await suite.rig();
      const { error } = await callerOf(rig)('describe_image', args);
      expect(error).toMatchObject(expected);
      expect(error?.fixes.length).toBeGreaterThan(0);
      expect(rig.chats()).toEqual([]);
    });
  }
});

describe('addresses', () => {
  /** An intake that fetches from one server of this machine as if it were public. */
  async function openWeb() {
    const web = createServer((request, response) => {
      const { url = '/' } = request;
      if (url === '/a.png') response.setHeader('content-type', 'image/png').end(PNG);
      else if (url === '/moved') response.writeHead(302, { location: '/a.png' }).end();
      else if (url === '/inside')
        response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end();
      else if (url === '/page') response.setHeader('content-type', 'text/html').end('<p>Hello</p>');
      else if (url === '/huge.png') response.end(Buffer.concat([PNG, Buffer.alloc(50_000_000)]));
      else response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => void web.listen(0, '127.0.0.1', resolve));
    const host = `127.0.0.1:${(web.address() as AddressInfo).port}`;
    const network = { httpProxy: '', httpsProxy: '', noProxy: '', extraCa: '' };
    const http = createHttp<'public'>({
      network: { ...network, allowPrivate: [host] },
      guard: 'public',
      clock: systemClock,
    });
    onTestFinished(async () => {
      await http.close();
      web.closeAllConnections();
      web.close();
    });
    const withPublicHttp: ModelSide['withPublicHttp'] = (work) => work(http);
    const intake = bench.with({ mediaFetcher: createPictureFetcher(withPublicHttp) });
    return { at: `http://${host}`, intake };
  }

  verifies('vision:fetched', 'a picture is fetched, kept, and found by a follow-up', async () => {
    const { at, intake } = await openWeb();
    const rig = await suite.rig();
    const call = callerOf(rig, intake);
    const asked = await call('describe_image', { images: [`${at}/moved`] });
    expect(textOf(asked)).toContain(described(pngText));
    expect(JSON.stringify(rig.chats('glm').at(-1)?.body)).not.toContain(at);
    // From the store: the address is not asked again.
    const again = callerOf(rig);
    const id = asked.result?.continuation?.id;
    expect(textOf(await again('chat', { prompt: 'And?', continuation_id: id }))).toContain(
      '1 image',
    );
  });

  for (const [path, expected] of [
    ['/inside', { class: 'permission', field: 'images' }],
    [
      '/page',
      {
        class: 'validation',
        message: expect.stringContaining('is not a picture: its content is text/'),
      },
    ],
    ['/huge.png', { class: 'too_large', message: expect.stringContaining('24 MB') }],
    ['/none.png', { class: 'validation', message: expect.stringContaining('404') }],
  ] as const) {
    verifies('vision:fetched', `${path} is refused, and nothing is asked`, async () => {
      const { at, intake } = await openWeb();
      const rig = await suite.rig();
      const { error } = await callerOf(rig, intake)('describe_image', { images: [`${at}${path}`] });
      expect(error).toMatchObject(expected);
      expect(rig.chats()).toEqual([]);
    });
  }

  for (const address of [
    'http://127.0.0.1:9/a.png',
    'http://169.254.169.254/a.png',
    'http://10.0.0.1/clip.mp4',
  ]) {
    verifies('vision:fetched', `${address} is in a private network`, async () => {
      const { intake } = await openWeb();
      const rig = await suite.rig();
      const { error } = await callerOf(rig, intake)('describe_image', { images: [address] });
      expect(error).toMatchObject({ class: 'permission', field: 'images' });
      expect(rig.chats()).toEqual([]);
    });
  }
});

describe('pictures of pages', () => {
  // After the pixels: the emulator reads the letters of a file, and recognises none in a picture.
  const pageOf = (text: string) => ({
    filename: 'page.bmp',
    content: Buffer.concat([makePage(), Buffer.from(text)]).toString('base64'),
  });
  const intakeFor = () => bench.with({ isPage: createPageDetector(ffmpeg), clock: systemClock });
  const filesOf = () =>
    suite
      .harness()
      .emulator.requests({ vendor: 'kimi' })
      .filter(({ path }) => path.includes('/files'));

  verifies('vision:scans', 'are uploaded for their text, and sent as pictures', async () => {
    const rig = await suite.rig();
    const asked = await callerOf(rig, intakeFor())('describe_image', {
      images: [pageOf('The lighthouse is 33 metres high'), 'a.png'],
    });
    textOf(asked);
    expect(asked.report).toMatchObject({ provider: 'kimi', class: 'file_qa' });
    expect(filesOf().map(({ method }) => method)).toEqual(['POST', 'GET']);
    const body = JSON.stringify(rig.chats('kimi').at(-1)?.body);
    expect(body.match(/"image_url":/g)).toHaveLength(2);
    expect(body).toContain('page.bmp');
    expect(body).toContain('The lighthouse is 33 metres high');
  });

  verifies(
    'vision:scans',
    'are sent as pictures alone where their text is not recognised',
    async () => {
      const rig = await suite.rig();
      suite
        .harness()
        .emulator.fault({ id: 'F15.extract', vendor: 'kimi', path: '/content', times: 0 });
      const asked = await callerOf(rig, intakeFor())('chat', {
        prompt: 'What?',
        images: [pageOf('Nobody reads this')],
      });
      expect(textOf(asked)).toContain('image');
      const notices = asked.report?.notices.map(({ code }) => code);
      expect(notices).toContain('local_text_used');
    },
  );
});

/** Faults of a text answer of GLM that need no time to run out. */
const FAULTS: readonly Omit<Fault, 'vendor' | 'times'>[] = ASK_FAULT_TABLE.filter(
  ({ who, ask = 'numbers', runsOut, plan }) =>
    plan.with?.['hint'] === undefined &&
    (who === undefined || who.includes('glm')) &&
    ask === 'numbers' &&
    runsOut === undefined &&
    // The answer ends as one that reached its limit.
    plan.id !== 'F11.model_context_window_exceeded',
).map(({ plan }) => ({ ...plan, path: 'chat' }));

describe('describe_image', () => {
  for (const fault of FAULTS) {
    const name = `answers whatever GLM does: ${fault.id} ${JSON.stringify(fault.with ?? '')}`;
    verifies('vision:faults', name, async () => {
      const rig = await suite.rig();
      suite.harness().emulator.fault({ ...fault, vendor: 'glm', times: 0 });
      const { result, error, report } = await callerOf(rig)('describe_image', {
        prompt: `Say exactly: """${NUMBERS}"""`,
        images: ['a.png', { filename: 'c.gif', content: GIF.toString('base64') }],
      });
      expect(error).toBeUndefined();
      expect(result?.text.split(NUMBERS)).toHaveLength(2);
      const by = report?.provider ?? '';
      expect(JSON.stringify(rig.chats(by).at(-1)?.body)).toContain('image_url');
      expect(report?.attempts.at(-1)).toMatchObject({ provider: by, outcome: 'ok' });
      await expect.poll(() => rig.held()).toEqual([]);
    });
  }
});
