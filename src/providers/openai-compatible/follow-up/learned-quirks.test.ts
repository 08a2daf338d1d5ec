import { describe, expect, test } from 'vitest';
import { createSecret } from '#core/secrets/secret.ts';
import { createFakeClock } from '../../../../test/fake-clock.ts';
import { verifies } from '../../../../test/verifies.ts';
import {
  asking,
  completion,
  realDeps,
  scriptedHttp,
  user,
  type ScriptedAnswer,
} from '../../custom/custom.fixture.ts';
import { createCustom } from '../../custom/custom.ts';
import { readVendorError } from '../errors/vendor-error.ts';
import { applyQuirk, createLearnedQuirks, quirkOf } from './learned-quirks.ts';

describe('refused field', () => {
  const refusing = (message: string, param?: string): ScriptedAnswer => ({
    status: 400,
    json: { error: { message, type: 'invalid_request_error', ...(param && { param }) } },
  });

  /** A server of no known kind that refuses by its own rules. */
  function setUp(refuse: (body: Record<string, unknown>) => ScriptedAnswer | undefined) {
    const { http, requests } = scriptedHttp(({ url }, body) => {
      if (!url.endsWith('/chat/completions')) return { status: 404, json: { detail: 'Not Found' } };
      return refuse(body) ?? completion({ content: '{"a":1}' });
    });
    const clock = createFakeClock();
    const deps = { ...realDeps(clock), http };
    const settings = { baseUrl: 'http://model.test/v1', key: createSecret(''), model: 'm' };
    return {
      ...asking(createCustom(settings, deps), clock),
      bodies: () =>
        requests
          .filter(({ url }) => url.endsWith('/chat/completions'))
          .map(({ body }) => JSON.parse(body as string) as Record<string, unknown>),
    };
  }

  describe('a field that a server refuses by name', () => {
    test.each([
      [
        'temperature',
        "Unsupported parameter: 'temperature' is not supported with this model.",
        { sampling: { temperature: 0.5 } },
      ],
      ['top_p', 'Unrecognized request argument supplied: top_p', { sampling: { topP: 0.5 } }],
      [
        'presence_penalty',
        'Argument not supported: presencePenalty',
        { sampling: { presencePenalty: 1 } },
      ],
      [
        'frequency_penalty',
        'frequency_penalty is not allowed',
        { sampling: { frequencyPenalty: 1 } },
      ],
      ['seed', "Unknown parameter: 'seed'.", { sampling: { seed: 1 } }],
      ['stop', 'property "stop" is unsupported', { stop: ['x'] }],
    ])('%s is left out once and remembered', async (field, message, change) => {
      const { ask, bodies } = setUp((body) => (field in body ? refusing(message) : undefined));
      const request = { messages: [user('Hi')], delivery: 'whole', ...change } as const;
      expect(await ask(request)).toMatchObject({
        is: 'answered',
        answer: {
          notices: [
            { code: 'parameter_refused', params: { parameter: field, refused: 'parameter' } },
          ],
        },
      });
      expect(bodies()).toHaveLength(2);
      expect(bodies()[0]).toHaveProperty(field);
      expect(bodies()[1]).not.toHaveProperty(field);
      expect(await ask(request)).toMatchObject({
        is: 'answered',
        answer: { notices: [{ code: 'parameter_dropped', params: { parameters: [field] } }] },
      });
      expect(bodies()).toHaveLength(3);
    });

    test.each([
      [
        'temperature',
        "Unsupported value: 'temperature' does not support 0.5 with this model.",
        { sampling: { temperature: 0.5 } },
      ],
      ['temperature', 'temperature must be less than 0.3', { sampling: { temperature: 0.5 } }],
      ['top_p', 'top_p should be between 0.9 and 1', { sampling: { topP: 0.5 } }],
      ['seed', "'seed' is out of range", { sampling: { seed: 1 } }],
      ['max_tokens', 'max_tokens is too large: 900. At most 90.', { maxOutputTokens: 900 }],
      ['stop', 'Invalid value for "stop"', { stop: ['x'] }],
      [
        'frequency_penalty',
        'frequency_penalty >= 2 refused',
        { sampling: { frequencyPenalty: 2 } },
      ],
    ])('%s is left out once for its value, and nothing is learned', async (field, said, change) => {
      let isStrict = true;
      const { ask, bodies } = setUp((body) =>
        isStrict && field in body ? refusing(said, field) : undefined,
      );
      const request = { messages: [user('Hi')], delivery: 'whole', ...change } as const;
      expect(await ask(request)).toMatchObject({
        is: 'answered',
        answer: {
          notices: [{ code: 'parameter_refused', params: { parameter: field, refused: 'value' } }],
        },
      });
      expect(bodies()).toHaveLength(2);
      expect(Object.keys(bodies()[1] ?? {}).filter((name) => name.includes('max_'))).toEqual([]);
      isStrict = false;
      expect(await ask(request)).toMatchObject({ is: 'answered', answer: { notices: [] } });
      expect(bodies()[2]).toHaveProperty(field);
    });

    test('max_tokens is swapped for max_completion_tokens, later without a word', async () => {
      const { ask, bodies } = setUp((body) =>
        'max_tokens' in body
          ? refusing(
              "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
              'max_tokens',
            )
          : undefined,
      );
      const request = { messages: [user('Hi')], delivery: 'whole', maxOutputTokens: 9 } as const;
      expect(await ask(request)).toMatchObject({ is: 'answered' });
      expect(bodies()[1]).toMatchObject({ max_completion_tokens: 9 });
      expect(bodies()[1]).not.toHaveProperty('max_tokens');
      expect(await ask(request)).toMatchObject({ answer: { notices: [] } });
    });

    test('a JSON schema becomes JSON with the schema in words, then words alone', async () => {
      const { ask, bodies } = setUp((body) =>
        'response_format' in body ? refusing(`response_format is not supported`) : undefined,
      );
      const schema = { type: 'object', properties: { a: { type: 'number' } } };
      const outcome = await ask({
        messages: [user('Hi')],
        delivery: 'whole',
        responseFormat: { type: 'json_schema', name: 'x', schema },
      });
      expect(outcome).toMatchObject({ is: 'answered', answer: { text: '{"a":1}' } });
      const [first, second, third] = bodies();
      expect(first).toMatchObject({ response_format: { type: 'json_schema' } });
      expect(second).toMatchObject({ response_format: { type: 'json_object' } });
      expect(third).not.toHaveProperty('response_format');
      const messages = third?.['messages'] as { role: string; content: string }[];
      expect(messages.map(({ role }) => role)).toEqual(['system', 'user']);
      expect(messages[0]?.content.split(JSON.stringify(schema))).toHaveLength(2);
    });

    test('several of them go one by one, and not for ever', async () => {
      const fields = ['temperature', 'top_p', 'seed'];
      const { ask, bodies } = setUp((body) => {
        const field = fields.find((each) => each in body);
        return field === undefined ? undefined : refusing(`bad`, field);
      });
      const sampling = { temperature: 1, topP: 1, seed: 1 };
      expect(await ask({ messages: [user('Hi')], delivery: 'whole', sampling })).toMatchObject({
        is: 'answered',
      });
      expect(bodies()).toHaveLength(4);
      const stubborn = setUp(() =>
        refusing('temperature, top_p, seed, stop and max_tokens are bad'),
      );
      const all = { messages: [user('Hi')], delivery: 'whole', sampling, stop: ['x'] } as const;
      expect(await stubborn.ask({ ...all, maxOutputTokens: 1 })).toMatchObject({
        is: 'failed',
        error: { class: 'bad_request' },
      });
      expect(stubborn.bodies().length).toBeLessThan(7);
    });

    test('is not guessed from other complaints', () => {
      const body = { max_tokens: 5, stop: ['x'], user: 'u', temperature: 1 };
      const complaint = (status: number, message: string) =>
        quirkOf(readVendorError(status, JSON.stringify({ error: { message } })), body);
      expect(complaint(400, 'max_tokens must be at most 4096')).toBeUndefined();
      expect(complaint(400, 'Please stop sending user messages without content')).toBeUndefined();
      expect(complaint(500, 'temperature')).toBeUndefined();
      expect(complaint(400, 'messages: field required')).toBeUndefined();
      expect(complaint(422, 'temperature: extra fields not permitted')).toBe('temperature');
    });

    test('is found in a list of complaints without a message', () => {
      const said = { detail: [{ loc: ['body', 'top_p'], msg: 'Extra inputs are not permitted' }] };
      expect(quirkOf(readVendorError(422, JSON.stringify(said)), { top_p: 1 })).toBe('top_p');
    });

    test('of the two limits neither is swapped back', () => {
      const known = ['max_tokens', 'max_completion_tokens'];
      const context = { known, formatInstruction: undefined };
      expect(applyQuirk({ max_completion_tokens: 5 }, 'max_completion_tokens', context)).toEqual(
        {},
      );
    });
  });

  describe('what a server is', () => {
    test('is asked again after a while, and at once when it was not there', async () => {
      let isUp = false;
      const { http, requests } = scriptedHttp(({ url }) => {
        if (!isUp) return { status: 502, text: '' };
        if (url.endsWith('/v1/models'))
          return {
            json: { object: 'list', data: [{ id: 'm', object: 'model', max_model_len: 9 }] },
          };
        return url.endsWith('/chat/completions')
          ? completion({ content: 'Hi' })
          : { status: 404, text: '' };
      });
      const clock = createFakeClock();
      const settings = { baseUrl: 'http://model.test', key: createSecret(''), model: 'm' };
      const { provider } = asking(createCustom(settings, { ...realDeps(clock), http }), clock);
      const probes = () => requests.filter(({ url }) => url.endsWith('/v1/models')).length;
      // Each with its own deadline: the clock moves by more than one.
      const ask = () => asking(provider, clock).ask({ messages: [user('Hi')], delivery: 'whole' });
      expect(await ask()).toMatchObject({ error: { class: 'provider_error' } });
      isUp = true;
      clock.advance(5_001);
      expect(await ask()).toMatchObject({ is: 'answered' });
      expect(probes()).toBe(2);
      clock.advance(4 * 60_000);
      await ask();
      expect(probes()).toBe(2);
      clock.advance(2 * 60_000);
      await ask();
      expect(probes()).toBe(3);
      expect(clock.waiting).toBe(0);
    });
  });

  describe('what Ollama reports about a model', () => {
    const ollama = (show: object, ps: object) =>
      scriptedHttp(({ url }) => {
        if (url.endsWith('/api/version')) return { json: { version: '0.12.6' } };
        if (url.endsWith('/api/tags')) return { json: { models: [{ name: 'm', digest: 'd' }] } };
        if (url.endsWith('/api/show')) return { json: show };
        if (url.endsWith('/api/ps')) return { json: ps };
        if (url.endsWith('/chat/completions')) return completion({ content: 'hi' });
        return { status: 404, text: '404 page not found', type: 'text/plain' };
      });
    const ask = (http: ReturnType<typeof ollama>['http'], text: string) => {
      const clock = createFakeClock();
      const settings = { baseUrl: 'http://ollama.test', key: createSecret(''), model: 'm' };
      const { ask: asked } = asking(createCustom(settings, { ...realDeps(clock), http }), clock);
      return asked({ messages: [user(text)], delivery: 'whole' });
    };
    const long = 'A long story about a bear. '.repeat(1_000);

    test('the window of a running model is held to', async () => {
      const { http } = ollama({}, { models: [{ name: 'm:latest', context_length: 4_096 }] });
      expect(await ask(http, long)).toMatchObject({
        error: { class: 'context_length', contextTokens: 4_096 },
      });
      expect(await ask(http, 'short')).toMatchObject({ is: 'answered', answer: { notices: [] } });
    });

    test('so is the one of its file', async () => {
      const { http } = ollama({ parameters: 'stop "x"\nnum_ctx 2048' }, { models: [] });
      expect(await ask(http, long)).toMatchObject({ error: { contextTokens: 2_048 } });
    });

    test('a model that cannot see or call tools is not asked to', async () => {
      const { http, requests } = ollama({ capabilities: ['completion'] }, {});
      const clock = createFakeClock();
      const settings = { baseUrl: 'http://ollama.test', key: createSecret(''), model: 'm' };
      const { ask: asked } = asking(createCustom(settings, { ...realDeps(clock), http }), clock);
      const source = { base64: 'AAAA', mediaType: 'image/png' };
      const picture = { role: 'user', content: [{ type: 'image', source }] } as const;
      expect(await asked({ messages: [picture] })).toMatchObject({
        error: { class: 'bad_request' },
      });
      const tools = [{ name: 't', description: '', parameters: {} }];
      expect(await asked({ messages: [user('Hi')], tools })).toMatchObject({
        error: { field: 'tools' },
      });
      expect(requests.some(({ url }) => url.endsWith('/chat/completions'))).toBe(false);
    });
  });
});

describe('quirks', () => {
  describe('the window that a refusal names', () => {
    test.each([
      [4096, 131_072, 5000, 4096],
      [8192, 1_048_576, 20_000, 8192],
      [32_768, 32_768, 40_000, 32_768],
      // Our token estimate may be too low.
      [8192, 131_072, 5000, 8192],
      // Too small to be usable.
      [1, 131_072, 5000, undefined],
      [0, 131_072, 5000, undefined],
      [511, 8192, 5000, undefined],
      [1000, 1_048_576, 5000, undefined],
      // What was refused would have fitted.
      [8192, 131_072, 50, undefined],
    ])(
      '%j of a model of %j, after a prompt of %j, is taken for %j',
      (tokens, knownTokens, askedTokens, learned) => {
        const quirks = createLearnedQuirks(createFakeClock());
        quirks.learnWindow('m', { tokens, knownTokens, askedTokens });
        expect(quirks.window('m')).toBe(learned);
      },
    );

    verifies('security:shared-breakers', 'is forgotten after ten minutes', () => {
      const clock = createFakeClock();
      const quirks = createLearnedQuirks(clock);
      quirks.learnWindow('m', { tokens: 4096, knownTokens: 8192, askedTokens: 5000 });
      clock.advance(599_999);
      expect(quirks.window('m')).toBe(4096);
      clock.advance(1);
      expect(quirks.window('m')).toBeUndefined();
    });
  });

  test('what a model was found not to take is tried again after ten minutes', () => {
    const clock = createFakeClock();
    const quirks = createLearnedQuirks(clock);
    const quirk = 'top_p';
    quirks.learn('m', quirk);
    quirks.learn('m', quirk);
    expect(quirks.quirksOf('m')).toEqual([quirk]);
    clock.advance(600_000);
    expect(quirks.quirksOf('m')).toEqual([]);
  });
});
