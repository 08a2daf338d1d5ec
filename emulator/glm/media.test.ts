import { describe, expect, test } from 'vitest';
import { png, user, WEATHER_TOOL, type Answered } from '../client.fixture.ts';
import { BASE, useGlm } from './glm.fixture.ts';

const { glm, set } = useGlm();

const text = { type: 'text', text: 'What do you see?' };
const image = (url: string): object => ({ type: 'image_url', image_url: { url } });
const video = (url: string): object => ({ type: 'video_url', video_url: { url } });
const file = (url: string): object => ({ type: 'file_url', file_url: { url } });
const dataUrl = (data: Buffer): string => `data:image/png;base64,${data.toString('base64')}`;

const see = (model: string, parts: readonly object[], more: object = {}): Promise<Answered> =>
  glm.post(`${BASE}/chat/completions`, {
    model,
    messages: [user(parts)],
    thinking: { type: 'enabled' },
    ...more,
  });

describe('pictures', () => {
  test('are taken as address, data URL and bare base64, and their bytes are read [facts:glm:image-forms]', async () => {
    const picture = png(640, 480);
    for (const url of [dataUrl(picture), picture.toString('base64')]) {
      const { status, json } = await see('glm-4.6v', [image(url), text]);
      expect(status).toBe(200);
      expect(json.choices[0].message.content).toContain(
        '1 image (image/png, 64 bytes, 640 x 480 pixels)',
      );
    }
    expect((await see('glm-5.3-flash', [image('https://x.example/a.png'), text])).status).toBe(200);
  });

  test.each([
    ['image-text-model', 'glm-4.6', [image('https://x.example/a.png'), text], /text only/],
    ['image-too-large', 'glm-4.6v', [image(dataUrl(png(10, 10, 5 * 1_048_576 + 1)))], /5 MB/],
    ['image-too-wide', 'glm-4.6v', [image(dataUrl(png(6_001, 10)))], /6000/],
    [
      'image-type',
      'glm-4.6v',
      [image(`data:image/gif;base64,${Buffer.from('GIF89a').toString('base64')}`)],
      /jpg/,
    ],
    [
      'image-count-4.5v',
      'glm-4.5v',
      Array.from({ length: 51 }, () => image('https://x.example/a.png')),
      /50/,
    ],
    [
      'image-count-4v-plus',
      'glm-4v-plus',
      Array.from({ length: 6 }, () => image('https://x.example/a.png')),
      /5/,
    ],
    [
      'image-count-4v-flash',
      'glm-4v-flash',
      Array.from({ length: 2 }, () => image('https://x.example/a.png')),
      /1 /,
    ],
    ['image-base64-4v-flash', 'glm-4v-flash', [image(dataUrl(png(1, 1)))], /base64/],
    ['video-first-4v-plus', 'glm-4v-plus', [text, video('https://x.example/a.mp4')], /first/],
    [
      'audio-only-voice',
      'glm-4.6v',
      [{ type: 'input_audio', input_audio: { data: '', format: 'wav' } }],
      /voice/,
    ],
  ] as const)('%s is refused with 1210 [facts:glm:vision]', async (_rule, model, parts, words) => {
    const { status, json } = await see(model, parts);
    expect([status, json.error.code]).toEqual([400, '1210']);
    expect(json.error.message).toMatch(words);
  });
});

describe('videos and files', () => {
  test('are taken by address [facts:glm:video-file]', async () => {
    expect((await see('glm-4.6v', [video('https://x.example/a.mp4'), text])).status).toBe(200);
    expect((await see('glm-4.6v', [file('https://x.example/a.pdf'), text])).status).toBe(200);
    expect((await see('glm-4.6v', [video('https://x.example/a.wmv'), text])).json.error.code).toBe(
      '1214',
    );
    expect(
      (await see('glm-4.6v', [file('data:application/pdf;base64,AAAA'), text])).json.error.code,
    ).toBe('1214');
  });

  test('do not come together, and at most 50 of them [facts:glm:file-exclusive]', async () => {
    const mixed = await see('glm-4.6v', [
      file('https://x.example/a.pdf'),
      image('https://x.example/a.png'),
      text,
    ]);
    expect([mixed.status, mixed.json.error.code]).toEqual([400, '1215']);
    const many = await see(
      'glm-4.6v',
      Array.from({ length: 51 }, () => file('https://x.example/a.pdf')),
    );
    expect(many.json.error.code).toBe('1210');
  });
});

test('models for pictures know tools only in the 4.6v line, and no response format [facts:glm:vision-tools]', async () => {
  const parts = [{ type: 'text', text: 'What is the weather in Oslo?' }];
  const finish = async (model: string): Promise<string> =>
    (await see(model, parts, { tools: [WEATHER_TOOL] })).json.choices[0].finish_reason;
  expect(await finish('glm-4.6v')).toBe('tool_calls');
  expect(await finish('glm-5v-turbo')).toBe('stop');
  const { json } = await see('glm-4.6v', parts, { response_format: { type: 'json_object' } });
  expect(json.choices[0].message.content).not.toMatch(/^\{/);
});

test('max_tokens of the vision schema can be the smaller number [facts:glm:vision-max-tokens]', async () => {
  set('visionMaxTokens', 16_384);
  expect((await see('glm-4.6v', [text], { max_tokens: 20_000 })).json.error.message).toMatch(
    /16384/,
  );
});

test('a lone surrogate and parts that are none are answered, not crashed on', async () => {
  expect((await see('glm-4.6', [{ type: 'text', text: 'a\ud800b' }])).status).toBe(200);
  expect((await see('glm-4.6', ['text' as unknown as object])).json.error.code).toBe('1214');
  expect((await see('glm-4.6v', [{ type: 'image_url' }])).json.error.code).toBe('1213');
});
