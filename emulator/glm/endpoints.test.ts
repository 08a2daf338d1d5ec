import { describe, expect, test } from 'vitest';
import { png, user, type Answered } from '../client.fixture.ts';
import { BASE, KEY, useGlm } from './glm.fixture.ts';

const { glm, set } = useGlm();

const post = (path: string, body: unknown): Promise<Answered> => glm.post(BASE + path, body);

describe('the web_search tool', () => {
  const search = (
    more: object = {},
    content = 'Search: what is the temperature in Oslo?',
  ): Promise<Answered> =>
    post('/chat/completions', {
      model: 'glm-4.6',
      messages: [user(content)],
      tools: [
        {
          type: 'web_search',
          web_search: { enable: true, search_engine: 'search-prime', search_result: true, ...more },
        },
      ],
    });

  test('searches on the server and gives its sources, without a round trip [facts:glm:web-search]', async () => {
    const { json } = await search();
    expect(json.choices[0].finish_reason).toBe('stop');
    expect(json.choices[0].message.content).toContain('The temperature in Oslo is 4 degrees');
    expect(json.web_search[0]).toEqual({
      title: 'Weather in Oslo',
      content: expect.stringContaining('4 degrees'),
      link: 'https://weather.example/oslo',
      media: 'Example Weather',
      icon: expect.any(String),
      refer: 'ref_1',
      publish_date: '2026-11-15',
    });
  });

  test('gives no sources unless asked for [facts:glm:search-result]', async () => {
    expect((await search({ search_result: false })).json).not.toHaveProperty('web_search');
  });

  test('may skip the search and claim it all the same, unless search_intent is false [facts:glm:search-intent]', async () => {
    const skipped = (await search({}, 'Tell me of the temperature in Oslo')).json;
    expect(skipped).not.toHaveProperty('web_search');
    expect(skipped.choices[0].message.content).toMatch(/^I searched the web\./);
    const forced = (await search({ search_intent: false }, 'Tell me of the temperature in Oslo'))
      .json;
    expect(forced.web_search.length).toBeGreaterThan(0);
    set('searchIntent', 'never');
    expect((await search()).json).not.toHaveProperty('web_search');
    set('searchIntent', 'always');
    expect((await search({}, 'Tell me of the temperature in Oslo')).json).toHaveProperty(
      'web_search',
    );
  });

  test('takes a fixed query, and filters by domain', async () => {
    expect((await search({ search_query: 'rocket Heron' }, 'Hello')).json.web_search[0].link).toBe(
      'https://news.example/rocket',
    );
    const filtered = (
      await search({ search_query: 'weather rain', search_domain_filter: 'news.example' })
    ).json;
    expect(filtered).not.toHaveProperty('web_search');
  });

  test('ignores count, as was measured, unless told [facts:glm:search-count]', async () => {
    expect(
      (await search({ count: 1 }, 'Search weather rain degrees')).json.web_search.length,
    ).toBeGreaterThan(1);
    set('searchCount', 'honoured');
    expect(
      (await search({ count: 1 }, 'Search weather rain degrees')).json.web_search,
    ).toHaveLength(1);
  });
});

describe('POST /web_search', () => {
  test('gives intent and results [facts:glm:web-search-endpoint]', async () => {
    const { json } = await post('/web_search', {
      search_query: 'rocket orbit',
      search_engine: 'search-prime',
      count: 1,
    });
    expect(json).toEqual({
      id: expect.any(String),
      created: 1_794_700_800,
      request_id: expect.any(String),
      search_intent: [
        { query: 'rocket orbit', intent: expect.any(String), keywords: 'rocket orbit' },
      ],
      search_result: [
        expect.objectContaining({
          link: 'https://news.example/rocket',
          publish_date: '2026-11-12',
        }),
      ],
    });
  });

  test('knows the engines of its host, where bigmodel needs search_intent [facts:glm:web-search-host]', async () => {
    expect(
      (await post('/web_search', { search_query: 'x', search_engine: 'search_std' })).json.error
        .code,
    ).toBe('1214');
    set('host', 'bigmodel');
    expect(
      (await post('/web_search', { search_query: 'x', search_engine: 'search_std' })).json.error
        .code,
    ).toBe('1213');
    expect(
      (
        await post('/web_search', {
          search_query: 'x',
          search_engine: 'search_std',
          search_intent: false,
        })
      ).status,
    ).toBe(200);
  });

  test('filters by age, and refuses what is no filter', async () => {
    const ask = { search_query: 'bread dough', search_engine: 'search-prime' };
    expect((await post('/web_search', ask)).json.search_result).toHaveLength(1);
    expect(
      (await post('/web_search', { ...ask, search_recency_filter: 'oneYear' })).json.search_result,
    ).toHaveLength(0);
    expect(
      (await post('/web_search', { ...ask, search_recency_filter: 'lately' })).json.error.code,
    ).toBe('1214');
    expect((await post('/web_search', { ...ask, search_query: '' })).json.error.code).toBe('1213');
  });
});

describe('POST /reader', () => {
  test('reads a page as Markdown or text [facts:glm:reader]', async () => {
    const { json } = await post('/reader', {
      url: 'https://weather.example/oslo',
      with_links_summary: true,
      with_images_summary: true,
    });
    expect(json.reader_result).toMatchObject({
      title: 'Weather in Oslo',
      description: 'The forecast for Oslo.',
      url: 'https://weather.example/oslo',
      content: expect.stringMatching(/^# Weather in Oslo/),
      links: { 'forecast for Bergen': 'https://weather.example/bergen' },
      images: { 'Image 1': 'https://weather.example/oslo.png' },
      publishedTime: '2026-11-15',
    });
    const plain = await post('/reader', {
      url: 'https://weather.example/oslo',
      return_format: 'text',
    });
    expect(plain.json.reader_result.content).not.toMatch(/[#[\]]/);
    expect(plain.json.reader_result.links).toEqual({});
  });

  test('answers 500 with 1234 for what cannot be reached [facts:glm:reader-1234]', async () => {
    for (const url of ['https://weather.example/nowhere', 'https://nobody.example/']) {
      const { status, json } = await post('/reader', { url });
      expect([status, json.error.code]).toEqual([500, '1234']);
    }
    expect((await post('/reader', {})).json.error.code).toBe('1213');
    expect((await post('/reader', { url: 'file:///etc/passwd' })).json.error.code).toBe('1214');
  });
});

describe('/files', () => {
  function upload(
    purpose: string,
    bytes: string | Buffer = 'hello',
    name = 'a.txt',
  ): Promise<Answered> {
    const body = new FormData();
    body.set('purpose', purpose);
    body.set('file', new Blob([new Uint8Array(Buffer.from(bytes))]), name);
    return glm.send('POST', `${BASE}/files`, { headers: KEY, body });
  }

  test('are kept, listed, read and deleted [facts:glm:files]', async () => {
    const { json } = await upload('agent');
    expect(json).toEqual({
      id: expect.any(String),
      object: 'file',
      bytes: 5,
      created_at: 1_794_700_800,
      filename: 'a.txt',
      purpose: 'agent',
    });
    expect((await glm.get(`${BASE}/files?purpose=agent`)).json).toEqual({
      object: 'list',
      data: [json],
      has_more: false,
    });
    expect((await glm.get(`${BASE}/files/${json.id}/content`)).text).toBe('hello');
    expect((await glm.get(`${BASE}/files/${json.id}`)).json.error.code).toBe('1222');
    expect((await glm.send('DELETE', `${BASE}/files/${json.id}`)).json).toEqual({
      id: json.id,
      deleted: true,
      object: 'file',
    });
    expect((await glm.send('DELETE', `${BASE}/files/${json.id}`)).status).toBe(404);
  });

  test('come page by page', async () => {
    for (const name of ['a', 'b', 'c']) await upload('agent', name, `${name}.txt`);
    const first = (await glm.get(`${BASE}/files?limit=2`)).json;
    expect([first.data.length, first.has_more]).toEqual([2, true]);
    const second = (await glm.get(`${BASE}/files?limit=2&after=${first.data[1].id}`)).json;
    expect([second.data[0].filename, second.has_more]).toEqual(['c.txt', false]);
    expect((await glm.get(`${BASE}/files?limit=0`)).json.error.code).toBe('1214');
  });

  test('have purposes that differ by host; assistants is on no list [facts:glm:file-purposes]', async () => {
    expect((await upload('file-extract')).json.error.code).toBe('1214');
    expect((await upload('assistants')).json.error.code).toBe('1214');
    set('host', 'bigmodel');
    expect((await upload('assistants')).json.error.code).toBe('1214');
    expect((await upload('batch')).json.error.code).toBe('1214');
    expect((await upload('batch', '{}', 'a.jsonl')).status).toBe(200);
    const { json } = await upload('file-extract');
    expect((await glm.get(`${BASE}/files/${json.id}/content`)).json).toMatchObject({
      content: 'hello',
      filename: 'a.txt',
    });
  });

  test('are refused when empty, too large or too many [facts:glm:file-limits]', async () => {
    expect((await upload('agent', '')).json.error.code).toBe('1214');
    set('host', 'bigmodel');
    const large = await upload('agent', Buffer.alloc(20 * 1_048_576 + 1));
    expect([large.status, large.json.error.code]).toEqual([400, '1214']);
    const picture = await upload('file-extract', Buffer.alloc(5 * 1_048_576 + 1), 'a.png');
    expect(picture.json.error.code).toBe('1214');
    for (let at = 0; at < 100; at += 1) await upload('file-extract');
    expect((await upload('file-extract')).json.error.code).toBe('1210');
  });

  test('over 100 MB are a 435 [facts:glm:file-435]', async () => {
    expect((await upload('agent', Buffer.alloc(100 * 1_048_576 + 1))).status).toBe(435);
  });

  test('of one key are not seen by another', async () => {
    const { json } = await upload('agent');
    const other = { headers: { authorization: 'Bearer somebody.secret' } };
    expect((await glm.send('GET', `${BASE}/files`, other)).json.data).toEqual([]);
    expect((await glm.send('GET', `${BASE}/files/${json.id}/content`, other)).status).toBe(404);
  });
});

describe('POST /embeddings', () => {
  const vectors = async (body: object): Promise<number[][]> =>
    (await post('/embeddings', { model: 'embedding-3', ...body })).json.data.map(
      (one: { embedding: number[] }) => one.embedding,
    );
  const dot = (a: readonly number[], b: readonly number[]): number =>
    a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);

  test('puts similar texts near each other, always in the same place [facts:glm:embeddings]', async () => {
    const [cat, kitten, tax] = await vectors({
      input: ['the cat sleeps on the sofa', 'a cat on a sofa', 'income tax return'],
    });
    expect(cat).toHaveLength(2_048);
    expect(dot(cat!, cat!)).toBeCloseTo(1);
    expect(dot(cat!, kitten!)).toBeGreaterThan(dot(cat!, tax!) + 0.3);
    expect(await vectors({ input: 'the cat sleeps on the sofa' })).toEqual([cat]);
    expect((await vectors({ input: 'x', dimensions: 256 }))[0]).toHaveLength(256);
    expect((await vectors({ input: 'x', model: 'embedding-2', dimensions: 256 }))[0]).toHaveLength(
      1_024,
    );
  });

  test('refuses other sizes, more than 64 texts and other models [facts:glm:embedding-limits]', async () => {
    const code = async (body: object): Promise<string> =>
      (await post('/embeddings', { model: 'embedding-3', input: 'x', ...body })).json.error.code;
    expect(await code({ dimensions: 300 })).toBe('1214');
    expect(await code({ input: Array.from({ length: 65 }, () => 'x') })).toBe('1214');
    expect(await code({ input: '' })).toBe('1213');
    expect(await code({ model: 'embedding-9' })).toBe('1211');
  });
});

test('POST /tokenizer counts text and pictures, for the models it lists [facts:glm:tokenizer]', async () => {
  const messages = [
    user([
      { type: 'text', text: 'one two' },
      { type: 'image_url', image_url: { url: 'https://x.example/a.png' } },
    ]),
  ];
  const { json } = await post('/tokenizer', { model: 'glm-4.6', messages });
  expect(json).toEqual({
    id: expect.any(String),
    created: expect.any(Number),
    request_id: expect.any(String),
    usage: { prompt_tokens: 6, image_tokens: 256, video_tokens: 0, total_tokens: 262 },
  });
  expect((await post('/tokenizer', { model: 'glm-5.3', messages })).json.error.code).toBe('1211');
  set('tokenizerModels', 'all');
  expect((await post('/tokenizer', { model: 'glm-5.3', messages })).status).toBe(200);
});

describe('work left with the vendor', () => {
  test('is PROCESSING, then SUCCESS with choices and usage [facts:glm:async-chat]', async () => {
    const { json } = await post('/async/chat/completions', {
      model: 'glm-4.6',
      messages: [user('What is 2 + 3?')],
      stream: true,
    });
    expect(json).toEqual({
      id: expect.any(String),
      request_id: json.id,
      model: 'glm-4.6',
      task_status: 'PROCESSING',
    });
    const poll = (): Promise<Answered> => glm.get(`${BASE}/async-result/${json.id}`);
    expect((await poll()).json.task_status).toBe('PROCESSING');
    expect((await poll()).json).toMatchObject({
      task_status: 'SUCCESS',
      choices: [{ message: { content: '2 + 3 is 5.' } }],
      usage: { total_tokens: expect.any(Number) },
    });
    expect((await glm.get(`${BASE}/async-result/none`)).status).toBe(400);
  });

  test('can FAIL [facts:glm:async-fail]', async () => {
    glm.emulator.fault({ id: 'F11.network_error', path: '/async/' });
    set('asyncPolls', 0);
    const { json } = await post('/async/chat/completions', {
      model: 'glm-4.6',
      messages: [user('Hi')],
    });
    expect((await glm.get(`${BASE}/async-result/${json.id}`)).json).toMatchObject({
      task_status: 'FAIL',
    });
  });

  test('makes pictures and videos as well [facts:glm:generations]', async () => {
    const { json } = await post('/images/generations', { model: 'cogview-4', prompt: 'a heron' });
    expect(json).toEqual({
      created: 1_794_700_800,
      data: [{ url: expect.stringContaining('heron') }],
    });
    set('asyncPolls', 0);
    const picture = (
      await post('/async/images/generations', { model: 'glm-image', prompt: 'a heron' })
    ).json;
    expect((await glm.get(`${BASE}/async-result/${picture.id}`)).json.image_result).toHaveLength(1);
    const film = (await post('/videos/generations', { model: 'cogvideox-3', prompt: 'a heron' }))
      .json;
    expect((await glm.get(`${BASE}/async-result/${film.id}`)).json.video_result[0]).toHaveProperty(
      'cover_image_url',
    );
  });
});

test('GET /models works, or is a 404 [facts:glm:models]', async () => {
  const { json } = await glm.get(`${BASE}/models`);
  expect(json.object).toBe('list');
  expect(json.data.map((model: { id: string }) => model.id)).toContain('glm-5.3-flashx');
  set('models', '404');
  expect((await glm.get(`${BASE}/models`)).status).toBe(404);
});

test('POST /layout_parsing tells what it can of a picture [facts:glm:layout-parsing]', async () => {
  const { json } = await post('/layout_parsing', {
    model: 'glm-ocr',
    file: png(300, 200).toString('base64'),
  });
  expect(json).toMatchObject({
    md_results: expect.stringContaining('300 x 200'),
    layout_details: [[{ index: 0, label: 'text', bbox_2d: [0, 0, 300, 200] }]],
    data_info: { num_pages: 1 },
  });
  expect((await post('/layout_parsing', { model: 'glm-4.6', file: 'x' })).json.error.code).toBe(
    '1211',
  );
});
