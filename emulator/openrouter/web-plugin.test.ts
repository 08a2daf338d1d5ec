import { expect, test } from 'vitest';
import { eventsOf, joined, user } from '../client.fixture.ts';
import { useOpenRouter } from './openrouter.fixture.ts';

const { chat } = useOpenRouter();

const WEATHER = { messages: [user('What is the temperature in Oslo with light rain?')] };
const web = (more: object = {}): object => ({ plugins: [{ id: 'web', ...more }] });

test('the web plugin reads the web first and says what it read', async () => {
  const plain = (await chat(WEATHER)).json;
  expect(plain.choices[0].message).not.toHaveProperty('annotations');
  const { json } = await chat({ ...WEATHER, ...web({ max_results: 2 }) });
  const { content, annotations } = json.choices[0].message;
  expect(content).toContain('4 degrees');
  expect(annotations).toHaveLength(2);
  expect(annotations[0]).toEqual({
    type: 'url_citation',
    url_citation: {
      url: 'https://weather.example/oslo',
      title: 'Weather in Oslo',
      content: expect.stringContaining('4 degrees'),
      start_index: expect.any(Number),
      end_index: expect.any(Number),
    },
  });
  const { start_index: from, end_index: to } = annotations[0].url_citation;
  expect(content.slice(from, to)).toBe('[weather.example](https://weather.example/oslo)');
  expect(json.usage.prompt_tokens).toBeGreaterThan(plain.usage.prompt_tokens);
});

test('so does a name that ends with :online, and a stream', async () => {
  const model = 'z-ai/glm-5.3:online';
  const parts = [{ type: 'text', text: 'What is the temperature in Oslo with light rain?' }];
  const online = await chat({ model, messages: [user(parts)] });
  expect(online.json.choices[0].message.annotations[0].url_citation.title).toBe('Weather in Oslo');
  const events = eventsOf(await chat({ ...WEATHER, ...web(), stream: true }));
  const annotations = events.flatMap((event) => event.choices[0]?.delta.annotations ?? []);
  expect(annotations[0].url_citation.url).toBe('https://weather.example/oslo');
  expect(joined(events, 'content')).toContain('4 degrees');
});

test('what is found nowhere is no citation', async () => {
  const { json } = await chat({ messages: [user('Xyzzy plugh?')], ...web() });
  expect(json.choices[0].message).not.toHaveProperty('annotations');
  const off = await chat({ ...WEATHER, ...web({ enabled: false }) });
  expect(off.json.choices[0].message).not.toHaveProperty('annotations');
});

test.each([
  { plugins: {} },
  { plugins: [1] },
  { plugins: [{}] },
  web({ max_results: 0 }),
  web({ max_results: 'x' }),
])('%j is one clear 400', async (body) => {
  expect((await chat(body)).status).toBe(400);
});

test('include_domains keeps the search to these hosts [facts:openrouter:web-domains]', async () => {
  const found = async (domain: string) => {
    const { json } = await chat({ ...WEATHER, ...web({ include_domains: [domain] }) });
    const annotations = json.choices[0].message.annotations ?? [];
    return annotations.map(
      (each: { url_citation: { url: string } }) => new URL(each.url_citation.url).hostname,
    );
  };
  expect(new Set(await found('weather.example'))).toEqual(new Set(['weather.example']));
  expect(await found('nowhere.example')).toEqual([]);
  expect((await chat({ ...WEATHER, ...web({ include_domains: 'x' }) })).status).toBe(400);
});
