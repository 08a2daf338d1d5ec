import { describe, expect, test } from 'vitest';
import { user, WEATHER_TOOL } from '../client.fixture.ts';
import { BASE, useGlm } from './glm.fixture.ts';

const { chat, glm, set } = useGlm();

describe('what it refuses', () => {
  const cases: readonly [rule: string, body: object, code: string, words?: RegExp][] = [
    ['model-required', { model: undefined }, '1213', /model/],
    ['model-unknown', { model: 'glm-9' }, '1211'],
    ['messages-required', { messages: undefined }, '1213', /messages/],
    ['messages-empty', { messages: [] }, '1214'],
    ['content-empty', { messages: [user('')] }, '1213', /content/],
    ['content-no-parts', { messages: [user([])] }, '1213'],
    ['content-missing', { messages: [{ role: 'user' }] }, '1213'],
    [
      'only-system-assistant',
      {
        messages: [
          { role: 'system', content: 'a' },
          { role: 'assistant', content: 'b' },
        ],
      },
      '1214',
    ],
    ['role-unknown', { messages: [{ role: 'robot', content: 'a' }] }, '1214'],
    ['temperature-range', { temperature: 1.1 }, '1210', /\[0, 1\]/],
    ['temperature-negative', { temperature: -0.1 }, '1210'],
    ['top-p-range', { top_p: 0 }, '1210', /\[0\.01, 1\]/],
    ['max-tokens-range', { max_tokens: 131_073 }, '1210', /\[1, 131072\]/],
    ['max-tokens-zero', { max_tokens: 0 }, '1210'],
    ['max-tokens-air', { model: 'glm-4.5-air', max_tokens: 98_305 }, '1210', /98304/],
    ['max-tokens-4.5v', { model: 'glm-4.5v', max_tokens: 16_385 }, '1210', /16384/],
    ['max-tokens-4.6v', { model: 'glm-4.6v', max_tokens: 32_769 }, '1210', /32768/],
    ['stop-one', { stop: ['a', 'b'] }, '1210', /stop/],
    ['stop-array', { stop: 'a' }, '1214'],
    ['tools-128', { tools: Array.from({ length: 129 }, () => WEATHER_TOOL) }, '1210', /128/],
    [
      'tool-name',
      { tools: [{ type: 'function', function: { name: 'a b', description: 'x' } }] },
      '1214',
      /name/,
    ],
    [
      'tool-name-length',
      { tools: [{ type: 'function', function: { name: 'a'.repeat(65), description: 'x' } }] },
      '1214',
    ],
    [
      'tool-description',
      { tools: [{ type: 'function', function: { name: 'a' } }] },
      '1213',
      /description/,
    ],
    ['tool-type', { tools: [{ type: 'web_browser', web_browser: {} }] }, '1214'],
    [
      'search-engine-required',
      { tools: [{ type: 'web_search', web_search: {} }] },
      '1213',
      /search_engine/,
    ],
    [
      'search-engine-of-host',
      { tools: [{ type: 'web_search', web_search: { search_engine: 'search_std' } }] },
      '1214',
    ],
    [
      'search-count',
      { tools: [{ type: 'web_search', web_search: { search_engine: 'search-prime', count: 51 } }] },
      '1214',
    ],
    ['thinking-type', { thinking: { type: 'sometimes' } }, '1214'],
    ['thinking-5.3', { model: 'glm-5.3', thinking: { type: 'disabled' } }, '1210', /always thinks/],
    ['thinking-5.3-illegal', { model: 'glm-5.3', thinking: 'off' }, '1210', /always thinks/],
    ['effort-5.3', { model: 'glm-5.3', reasoning_effort: 'medium' }, '1214', /low, high, max/],
    ['request-id-length', { request_id: 'short' }, '1214'],
    ['user-id-length', { user_id: 'x'.repeat(129) }, '1214'],
  ];
  test.each(cases)('%s [facts:glm:refuses]', async (_rule, body, code, words = /./) => {
    const { status, json } = await chat(body);
    expect({ status, code: json.error.code }).toEqual({ status: 400, code });
    expect(json.error.message).toMatch(words);
    expect(json.error).not.toHaveProperty('type');
  });

  test('a prompt that is too long, with 1261 [facts:glm:prompt-too-long]', async () => {
    const { status, json } = await chat({
      model: 'glm-4.5v',
      messages: [user('word '.repeat(64_000))],
    });
    expect([status, json.error.code]).toEqual([400, '1261']);
  });

  test('a body that is no JSON', async () => {
    const { status, json } = await glm.post(`${BASE}/chat/completions`, '{"model":');
    expect([status, json.error.code]).toEqual([400, '1210']);
  });

  test('a named tool while 4.5, 4.6 or 4.7 thinks, and not otherwise [facts:glm:tool-choice-named]', async () => {
    const tool_choice = { type: 'function', function: { name: 'get_weather' } };
    const body = { tools: [WEATHER_TOOL], tool_choice };
    for (const model of ['glm-4.5', 'glm-4.6', 'glm-4.7'])
      expect((await chat({ ...body, model })).json.error.code).toBe('1210');
    expect((await chat({ ...body, thinking: { type: 'disabled' } })).status).toBe(200);
    expect((await chat({ ...body, model: 'glm-5' })).status).toBe(200);
  });

  test('an mcp tool on z.ai, which bigmodel takes [facts:glm:tool-types]', async () => {
    const body = {
      tools: [{ type: 'mcp', mcp: { server_label: 'x', server_url: 'https://x.example' } }],
    };
    expect((await chat(body)).json.error.code).toBe('1214');
    set('host', 'bigmodel');
    expect((await chat(body)).status).toBe(200);
  });
});
