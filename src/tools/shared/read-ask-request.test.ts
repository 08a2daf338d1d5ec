import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { readAskRequest } from './read-ask-request.ts';

const PNG = 'data:image/PNG;base64,iVBORw0KGgo=';

describe('arguments that tools share become one request', () => {
  test('a question alone is a question', () => {
    expect(readAskRequest({ prompt: 'Why?' })).toEqual({
      messages: [{ role: 'user', content: 'Why?' }],
    });
  });

  test('every argument has its field', () => {
    expect(
      readAskRequest({
        prompt: 'Why?',
        system_prompt: 'Be brief.',
        model: ' glm-5.3 ',
        use_websearch: true,
        thinking_mode: 'high',
        temperature: 0.3,
        max_output_tokens: 500,
        files: [{ name: 'a.md', text: 'A' }],
        prefer: 'cost',
        fallback: 'none',
        max_cost_usd: 0.25,
        depth: 'deep',
      }),
    ).toEqual({
      model: 'glm-5.3',
      system: 'Be brief.',
      messages: [{ role: 'user', content: 'Why?' }],
      files: [{ name: 'a.md', text: 'A' }],
      search: 'on',
      thinking: 'high',
      prefer: 'cost',
      fallback: 'none',
      sampling: { temperature: 0.3 },
      maxOutputTokens: 500,
      step: { more: 'unknown', depth: 'deep' },
      maxCostMicroUsd: 250_000,
    });
  });

  test('what is empty is as if it were not there', () => {
    const empty = { model: ' ', system_prompt: '', files: [], images: [], tools: [], findings: '' };
    expect(readAskRequest({ question: 'Why?', ...empty })).toEqual({
      messages: [{ role: 'user', content: 'Why?' }],
    });
  });

  test.each([
    [true, 'on'],
    [false, 'off'],
    ['auto', 'auto'],
  ] as const)('use_websearch %j is search %s', (wish, search) => {
    expect(readAskRequest({ prompt: 'x', use_websearch: wish })).toMatchObject({ search });
  });

  test('pictures stand beside the question, as bytes or by address', () => {
    const images = [PNG, 'https://example.com/a.png'];
    const sources = [
      { type: 'image', source: { mediaType: 'image/png', base64: 'iVBORw0KGgo=' } },
      { type: 'image', source: { url: 'https://example.com/a.png' } },
    ];
    expect(readAskRequest({ prompt: 'What is it?', images }).messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'What is it?' }, ...sources] },
    ]);
    expect(readAskRequest({ images }).messages).toEqual([{ role: 'user', content: sources }]);
  });

  test('a step is asked with what was found beside it', () => {
    const request = readAskRequest({
      step: 'Look at the locks.',
      findings: 'Two threads hang.',
      step_number: 2,
      total_steps: 4,
      next_step_required: true,
    });
    expect(request).toEqual({
      messages: [{ role: 'user', content: 'Look at the locks.' }],
      files: [{ name: '[findings]', text: 'Two threads hang.', as: 'material' }],
      step: { number: 2, more: 'yes' },
    });
  });

  test('a file that is only named is there by its name, and nothing is read', () => {
    const text = 'A';
    const { files } = readAskRequest({ prompt: 'Why?', files: ['src/a.ts', { name: 'b', text }] });
    expect(files).toEqual([
      {
        name: 'src/a.ts',
        text: expect.stringContaining('was not read') as string,
        isUnread: true,
        input: 'src/a.ts',
      },
      { name: 'b', text },
    ]);
  });

  test.each([
    [
      { next_step_required: false, step_number: 1, total_steps: 9 },
      { number: 1, more: 'no' },
    ],
    [
      { next_step_required: true, step_number: 9, total_steps: 1 },
      { number: 9, more: 'yes' },
    ],
    [
      { step_number: 1, total_steps: 2 },
      { number: 1, more: 'yes' },
    ],
    [
      { step_number: 2, total_steps: 2 },
      { number: 2, more: 'no' },
    ],
    [{ step_number: 2 }, { number: 2, more: 'unknown' }],
    [{}, { more: 'unknown' }],
  ])('%j is the step %j', (args, step) => {
    expect(readAskRequest({ step: 'Look.', ...args }).step).toEqual(step);
  });

  test('tools are names, or functions in either of the usual forms', () => {
    const parameters = { type: 'object', properties: { city: { type: 'string' } } };
    const weather = { name: 'weather', description: 'Tells it.', parameters };
    const { tools } = readAskRequest({
      prompt: 'x',
      tools: ['time', weather, { type: 'function', function: weather }],
    });
    const none = { type: 'object', properties: {} };
    expect(tools).toEqual([
      { name: 'time', description: 'time', parameters: none },
      weather,
      weather,
    ]);
  });

  test('what a tool takes beside these is left alone, whatever it is called', () => {
    const args = JSON.parse('{"prompt": "x", "__proto__": {"model": "y"}, "confidence": "low"}');
    expect(readAskRequest(args as Record<string, unknown>)).toEqual({
      messages: [{ role: 'user', content: 'x' }],
    });
  });
});

verifies('stalls:limits', 'a prompt of more than ten million characters is refused', () => {
  expect(() => readAskRequest({ prompt: 'x'.repeat(10_000_001) })).toThrow(
    '"prompt" is not right: it has more than 10,000,000 characters.',
  );
  expect(readAskRequest({ prompt: 'x'.repeat(10_000_000) }).messages).toHaveLength(1);
});

describe('what is wrong is named', () => {
  test.each([
    [{}, 'prompt', '"prompt" is missing.'],
    [{ promt: 'x' }, 'prompt', '"prompt" is missing. There is "promt"; is that it?'],
    [{ files: [{ name: 'a', text: 'b' }] }, 'prompt', '"prompt" is missing.'],
    [{ prompt: ' \n\t' }, 'prompt', '"prompt" is not right: it says nothing.'],
    [{ prompt: 7 }, 'prompt', '"prompt" must be a text, but is 7.'],
    [{ prompt: null }, 'prompt', '"prompt" must be a text, but is null.'],
    [{ prompt: 'a', step: 'b' }, 'step', '"prompt" and "step" are two names for one thing.'],
    [{ max_cost_usd: -1 }, 'max_cost_usd', '"max_cost_usd" must be 0 or more, but is -1.'],
    [{ max_cost_usd: Number.NaN }, 'max_cost_usd', '"max_cost_usd" must be a number, but is NaN.'],
    [{ temperature: 9 }, 'temperature', '"temperature" must be 2 or less, but is 9.'],
    [
      { max_output_tokens: 0 },
      'max_output_tokens',
      '"max_output_tokens" must be 1 or more, but is a number.',
    ],
    [{ total_steps: 1.5 }, 'total_steps', '"total_steps" must be a whole number, but is 1.5.'],
    [
      { thinking_mode: 'hihg' },
      'thinking_mode',
      '"thinking_mode" must be one of minimal, low, medium, high, max, but is "hihg", did you mean "high"?',
    ],
    [
      { use_websearch: 'yes' },
      'use_websearch',
      '"use_websearch" must be true or false or auto, but is "yes".',
    ],
    [{ files: [7] }, 'files.0', '"files.0" must be a text or an object, but is 7.'],
    [{ files: [''] }, 'files.0', '"files.0" must not be empty.'],
    [
      { files: [{ name: 'a' }] },
      'files.0',
      '"files.0" is not right: give filename and content, name and text, uri, or file_id.',
    ],
    [{ step_number: 0 }, 'step_number', '"step_number" must be 1 or more, but is 0.'],
    [
      { tools: [{ description: 'x' }] },
      'tools.0',
      '"tools.0" is not right: give a name, or type and function.',
    ],
    [{ model: 'x'.repeat(300) }, 'model', '"model" must have at most 256 characters, but has 300.'],
  ])('%j', (args, field, message) => {
    const asking = ['prompt', 'step', 'files', 'promt'].some((name) => name in args);
    const whole = asking || Object.keys(args).length === 0 ? args : { prompt: 'x', ...args };
    expect(() => readAskRequest(whole as Record<string, unknown>)).toThrow(
      expect.objectContaining({ class: 'validation', field, message }),
    );
  });

  test('a path that no machine has', () => {
    expect(() => readAskRequest({ prompt: 'x', files: ['x'.repeat(5_000)] })).toThrow(
      '"files.0" is not right: a path has at most 4096 characters.',
    );
  });

  test('a recursive schema does not break it', () => {
    let parameters: Record<string, unknown> = {};
    for (let depth = 0; depth < 200_000; depth += 1) parameters = { a: parameters };
    const tools = [{ name: 'deep', parameters }];
    expect(readAskRequest({ prompt: 'x', tools }).tools).toHaveLength(1);
  });
});
