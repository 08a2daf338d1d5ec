import { describe, expect } from 'vitest';
import { verifies, WEATHER } from '../emulator.fixture.ts';
import { useKimi } from './kimi.fixture.ts';

const harness = useKimi();
const { ask, outcome, switches } = harness;

const off = { thinking: { type: 'disabled' } };
const tool = (parameters: unknown, name = 'do_it') => ({
  type: 'function',
  function: { name, parameters },
});

describe('tools', () => {
  const object = (properties: object) => ({ type: 'object', properties });

  verifies(
    'facts:kimi:tool-choice-thinking',
    'forcing a call is refused while thinking is on, except required on K3, and works when it is off',
    async () => {
      const named = { type: 'function', function: { name: 'get_weather' } };
      for (const model of ['kimi-k2.6', 'kimi-k2.7-code', 'kimi-k3']) {
        expect(await outcome({ model, tools: [WEATHER], tool_choice: 'required' })).toBe(
          model === 'kimi-k3'
            ? 200
            : "tool_choice 'required' is incompatible with thinking enabled",
        );
        expect(await outcome({ model, tools: [WEATHER], tool_choice: named })).toBe(
          "tool_choice 'specified' is incompatible with thinking enabled",
        );
        for (const choice of ['auto', 'none'])
          expect(await outcome({ model, tools: [WEATHER], tool_choice: choice })).toBe(200);
      }
      for (const choice of ['required', named]) {
        const { json } = await ask({ ...off, tools: [WEATHER], tool_choice: choice });
        expect(json.choices[0].finish_reason).toBe('tool_calls');
      }
      switches()['toolChoice'] = 'refused';
      expect(
        await outcome({ model: 'kimi-k3', tools: [WEATHER], tool_choice: 'required' }),
      ).toContain('incompatible');
      switches()['toolChoice'] = 'named';
      expect(await outcome({ tools: [WEATHER], tool_choice: named })).toBe(200);
    },
  );

  verifies('facts:kimi:tool-limit', 'at most 128 tools', async () => {
    const tools = Array.from({ length: 129 }, (_, at) => tool(object({}), `tool_${at}`));
    expect(await outcome({ tools })).toContain('but got 129');
    expect(await outcome({ tools: tools.slice(1) })).toBe(200);
  });

  verifies('facts:kimi:tool-names', 'names have a pattern, no dollar, and come once', async () => {
    for (const name of ['1st', '$mine', 'a b', '', 'x'.repeat(257)])
      expect(await outcome({ tools: [tool(object({}), name)] })).toContain('name');
    expect(await outcome({ tools: [tool(object({})), tool(object({}))] })).toContain('duplicated');
    expect(await outcome({ tools: [tool(object({}), 'x'.repeat(256))] })).toBe(200);
    switches()['toolNames'] = 'short';
    for (const name of ['ab', 'x'.repeat(65)])
      expect(await outcome({ tools: [tool(object({}), name)] })).toContain('name');
  });

  verifies('facts:kimi:tool-schema', "schemas follow Moonshot's flavour", async () => {
    const bad: [unknown, string][] = [
      [object({ mode: { enum: ['a', 'b'] } }), "At path 'properties.mode': type is not defined"],
      [object({ a: object({ b: { description: 'x' } }) }), "'properties.a.properties.b'"],
      [{ type: 'array', items: { type: 'string' } }, 'root type must be object'],
      [object({ pair: { type: 'array', items: [{ type: 'string' }] } }), 'prefixItems'],
      [
        object({ either: { type: 'string', anyOf: [{ type: 'string' }, { type: 'null' }] } }),
        'anyOf',
      ],
      ['x', 'object'],
    ];
    for (const [schema, words] of bad) {
      const message = await outcome({ tools: [tool(schema)] });
      expect(message).toContain('is not a valid moonshot flavored json schema');
      expect(message).toContain(words);
    }
    const good = object({
      mode: { type: 'string', enum: ['a'] },
      either: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      pair: { type: 'array', prefixItems: [{ type: 'string' }] },
    });
    expect(await outcome({ tools: [tool(good)] })).toBe(200);
  });

  verifies(
    'facts:kimi:unknown-fields',
    'members that it does not know are passed over',
    async () => {
      expect(
        await outcome({
          parallel_tool_calls: true,
          stranger: { a: 1 },
          safety_identifier: 'x',
          user: 'y',
        }),
      ).toBe(200);
    },
  );
});

describe('formats', () => {
  verifies(
    'facts:kimi:response-format',
    'JSON needs no word about it, and a schema is followed',
    async () => {
      const { json } = await harness.as().chat('What is 2 + 3?', {
        response_format: { type: 'json_object' },
      });
      expect(JSON.parse(json.choices[0].message.content)).toEqual({ answer: '2 + 3 is 5.' });
      const schema = {
        type: 'object',
        properties: { sum: { type: 'integer' } },
        required: ['sum'],
      };
      const format = { type: 'json_schema', json_schema: { name: 'sum', strict: true, schema } };
      const built = await harness.as().chat('Give 42', { response_format: format });
      expect(JSON.parse(built.json.choices[0].message.content)).toEqual({ sum: 42 });
      expect(await outcome({ response_format: { type: 'yaml' } })).toContain('response_format');
      expect(await outcome({ response_format: { type: 'json_schema' } })).toContain('json_schema');
    },
  );
});
