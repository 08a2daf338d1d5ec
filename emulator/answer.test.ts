import { describe, expect, test } from 'vitest';
import { computeAnswer, readQuestion } from './answer.ts';
import { cutAtStop, fitBudget } from './budget.ts';
import { WEATHER } from './emulator.fixture.ts';
import { countTokens, toPieces } from './tokens.ts';

const user = (content: unknown) => ({ role: 'user', content });
const answer = (messages: readonly object[], more: object = {}) =>
  computeAnswer(readQuestion({ messages, ...more }));
const say = (content: unknown, more: object = {}) => answer([user(content)], more).text;
const callsOf = (content: string, more: object = {}) =>
  answer([user(content)], { tools: [WEATHER], ...more }).calls.map(
    (call) => [call.name, JSON.parse(call.arguments)] as const,
  );

describe('texts', () => {
  test.each([
    ['Say exactly: blue whale', 'blue whale'],
    ['Please say exactly:  two words \nand more', 'two words'],
    ['Say exactly: """a\nb"""', 'a\nb'],
    ['What is 2 + 3?', '2 + 3 is 5.'],
    ['what is 7 * -6', '7 * -6 is -42.'],
    ['What is 9 / 4?', '9 / 4 is 2.25.'],
  ])('%j is answered %j', (question, expected) => {
    expect(say(question)).toBe(expected);
  });

  test('asked to go on with what was cut, it says the rest', () => {
    const whole = say('Say exactly: one two three');
    const cut = [user('Say exactly: one two three'), { role: 'assistant', content: 'one tw' }];
    expect(answer([...cut, user('That was cut off: go on.')]).text).toBe(whole.slice(6));
    const other = [user('Say exactly: four'), { role: 'assistant', content: 'one tw' }];
    expect(answer([...other, user('Go on.')]).text).not.toContain('one tw');
  });

  test('one is one, and more are more', () => {
    expect(say('Bees')).toMatch(/^You wrote 1 word \(4 characters\)/);
    const thoughts = (tools: object[]) => answer([user('Bees')], { tools }).reasoning;
    expect(thoughts([WEATHER])).toContain('I have 1 tool.');
    expect(thoughts([WEATHER, WEATHER])).toContain('I have 2 tools.');
  });

  test('anything else is restated', () => {
    expect(say('Tell me about bees and honey')).toBe(
      'You wrote 6 words (28 characters) in English, beginning "Tell me about bees and honey". It is about bee, honey.',
    );
    expect(say('请介绍一下北京')).toContain('in Chinese');
    expect(say('')).toContain('0 words');
  });

  test('[[tokens N]] is N words of one token each, [[think N]] N words of reasoning', () => {
    const { text, reasoning } = answer([user('[[tokens 500]] [[think 40]]')]);
    expect([text.split(' ').length, countTokens(text)]).toEqual([500, 500]);
    expect([reasoning.split(' ').length, countTokens(reasoning)]).toEqual([40, 40]);
  });
});

describe('retrieval', () => {
  test('quotes the sentence that fits the question and says where it was', () => {
    const extract = JSON.stringify({
      content: 'The harbour closed in 1999. The lighthouse was built in 1874 by Ida Lund.',
      filename: 'coast.pdf',
      file_type: 'application/pdf',
    });
    const messages = [
      { role: 'system', content: 'You answer questions.' },
      { role: 'system', content: extract },
      user('Who built the lighthouse?'),
    ];
    expect(answer(messages).text).toBe(
      'According to coast.pdf: "The lighthouse was built in 1874 by Ida Lund."',
    );
  });

  test.each([
    '<file path="src/a.ts">\nThe retry limit is five.\n</file>\nWhat is the retry limit?',
    '--- BEGIN FILE: src/a.ts ---\nThe retry limit is five.\n--- END FILE: src/a.ts ---\nWhat is the retry limit?',
  ])('finds files inside the message itself', (content) => {
    expect(say(content)).toBe('According to src/a.ts: "The retry limit is five."');
  });

  const CITED = 'Cite like this:\n  [report.pdf p. 3: "total cost is 5,400"]';

  test.each([
    ['<!-- page 2 -->\n\nOther words.\n\n<!-- page 7 -->\n\nThe retry limit is five.', ' p. 7'],
    ['<!-- sheet "Q1" -->\n\nThe retry limit is five.', ' "Q1"'],
    ['<!-- section 4: Limits -->\n\nThe retry limit is five.', ' section 4'],
    ['11| Other words.\n12| The retry limit is five.', ':12'],
  ])('cites the place of %j where the system asks for it', (text, place) => {
    const messages = [
      { role: 'system', content: CITED },
      user(`<file name="a" mark="1">\n${text}\n</file mark="1">\nWhat is the retry limit?`),
    ];
    const said = 'The retry limit is five.';
    expect(answer(messages).text).toBe(`${said} [a${place}: "${said}"]`);
  });

  test('cites what each file says, and names the picture', () => {
    const file = (name: string, text: string) =>
      `<file name="${name}" mark="1">\n${text}\n</file mark="1">\n`;
    const url = `data:image/png;base64,${Buffer.alloc(3).toString('base64')}`;
    const files = file('a', '1| The bridge cost 5 euros.') + file('b', '1| Birds sing.');
    const asked = [
      { type: 'text', text: 'bridge.png:' },
      { type: 'image_url', image_url: { url } },
      { type: 'text', text: 'What did the bridge cost, and when was it paid?' },
    ];
    const messages = [
      { role: 'system', content: CITED },
      user(files + file('c', '1| The bridge was paid in May.')),
      user(asked),
    ];
    expect(answer(messages).text.split('\n')).toEqual([
      'I was given 1 image (image/png, 3 bytes) [bridge.png].',
      'The bridge was paid in May. [c:1: "The bridge was paid in May."]',
      'The bridge cost 5 euros. [a:1: "The bridge cost 5 euros."]',
    ]);
    expect(answer(messages.slice(1)).text.split('\n')).toEqual([
      'I was given 1 image (image/png, 3 bytes).',
      'According to a: "1| The bridge cost 5 euros."',
    ]);
  });

  test('remembers what was said earlier', () => {
    const messages = [
      user('My name is Ada.'),
      { role: 'assistant', content: 'Hello.' },
      user('What is my name?'),
    ];
    expect(answer(messages).text).toBe('According to message 1 (user): "My name is Ada."');
  });

  test('says nothing of texts that do not fit', () => {
    expect(
      answer([{ role: 'system', content: 'Be brief.' }, user('Describe volcanoes')]).text,
    ).toContain('You wrote 2 words');
  });

  test('finds one sentence in a megabyte', () => {
    const text = 'The committee met again and nothing was decided. '.repeat(20_000);
    const found = answer([
      { role: 'system', content: `${text} The vault code is 4711.` },
      user('What is the vault code?'),
    ]);
    expect(JSON.stringify(found)).toContain('The vault code is 4711.');
  });
});

describe('tools', () => {
  test.each([
    ['What is the weather in Paris?', { city: 'Paris' }],
    ['Call get_weather for "New York" in fahrenheit', { city: 'New York', unit: 'fahrenheit' }],
    ['weather, city: Oslo, days 3', { city: 'Oslo', days: 3 }],
    ['weather of Rome for 99 days', { city: 'Rome', days: 7 }],
  ])('%j calls the tool that it speaks of, with %j', (question, args) => {
    expect(callsOf(question)).toEqual([['get_weather', args]]);
  });

  test('a question about something else calls nothing, and none means none', () => {
    expect(callsOf('What is 2 + 3?')).toEqual([]);
    expect(callsOf('Say exactly: weather')).toEqual([]);
    expect(callsOf('What is the weather in Paris?', { tool_choice: 'none' })).toEqual([]);
  });

  test('a sum is worked out, whatever a client wrote around it, unless a tool is named outright', () => {
    const around = '<system-reminder>Ask for the weather of a city.</system-reminder>';
    expect(callsOf(`${around}\nWhat is 2 + 3?`)).toEqual([]);
    expect(say(`${around}\nWhat is 2 + 3?`)).toBe('2 + 3 is 5.');
    expect(callsOf('What is 2 + 3? Ask get_weather.')).toHaveLength(1);
    expect(callsOf('What is 2 + 3?', { tool_choice: 'required' })).toHaveLength(1);
  });

  test('a forced choice calls in any case', () => {
    expect(callsOf('Hello', { tool_choice: 'required' })).toEqual([
      ['get_weather', { city: 'Hello' }],
    ]);
    const named = { type: 'function', function: { name: 'get_weather' } };
    expect(callsOf('Hello', { tool_choice: named })).toHaveLength(1);
  });

  test('scripts call exactly what they say, together and one after the other', () => {
    const script = '[[call a {"x":[1,[2]]}]] [[call b]] [[then c {"y":2}]]';
    const first = answer([user(script)]).calls;
    expect(first).toEqual([
      { name: 'a', arguments: '{"x":[1,[2]]}' },
      { name: 'b', arguments: '{}' },
    ]);
    const round = (names: string[]) => [
      {
        role: 'assistant',
        tool_calls: names.map((name) => ({ id: name, function: { name, arguments: '{}' } })),
      },
      ...names.map((name) => ({ role: 'tool', tool_call_id: name, content: `${name} is done` })),
    ];
    expect(answer([user(script), ...round(['a', 'b'])]).calls).toEqual([
      { name: 'c', arguments: '{"y":2}' },
    ]);
    expect(answer([user(script), ...round(['a', 'b']), ...round(['c'])])).toMatchObject({
      calls: [],
      text: 'a answered: a is done\nb answered: b is done\nc answered: c is done',
    });
  });

  test('results are quoted under the name of their tool', () => {
    const messages = [
      user('What is the weather in Paris?'),
      {
        role: 'assistant',
        tool_calls: [{ id: '1', function: { name: 'get_weather', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: '1', content: 'sunny, 21 degrees' },
    ];
    expect(answer(messages, { tools: [WEATHER] }).text).toBe(
      'get_weather answered: sunny, 21 degrees',
    );
  });
});

describe('formats', () => {
  test('JSON is an object with the answer', () => {
    expect(JSON.parse(say('What is 2 + 3?', { response_format: { type: 'json_object' } }))).toEqual(
      {
        answer: '2 + 3 is 5.',
      },
    );
  });

  test('a schema is satisfied from the message', () => {
    const schema = {
      type: 'object',
      properties: {
        title: { type: 'string', maxLength: 8 },
        year: { type: 'integer', minimum: 1900 },
        mood: { enum: ['glad', 'sad'] },
        tags: { type: 'array', items: { type: 'string' }, minItems: 2 },
        inner: { $ref: '#/$defs/inner' },
        either: { anyOf: [{ type: 'boolean' }, { type: 'null' }] },
        ['__proto__']: { type: 'number' },
      },
      required: ['title'],
      $defs: { inner: { type: 'object', properties: { self: { $ref: '#/$defs/inner' } } } },
    };
    const format = { type: 'json_schema', json_schema: { name: 'x', schema } };
    const built = JSON.parse(
      say('A sad film "Metropolis" of 1927', { response_format: format }),
    ) as Record<string, unknown>;
    expect(built).toMatchObject({ title: 'Metropol', year: 1927, mood: 'sad', either: false });
    expect(built['tags']).toHaveLength(2);
  });

  test.each<[string, object]>([
    ['an optional member', { $ref: '#' }],
    ['a list', { type: 'array', items: { $ref: '#' } }],
    ['a member that may be null', { anyOf: [{ $ref: '#' }, { type: 'null' }] }],
  ])('a schema that contains itself in %s is satisfied', (kind, next) => {
    const required = kind === 'an optional member' ? ['value'] : ['value', 'next'];
    const properties = { value: { type: 'string' }, next };
    const schema = { type: 'object', properties, required };
    const format = { type: 'json_schema', json_schema: { name: 'x', schema } };
    const text = say('A list whose next value is "one"', { response_format: format });
    const links = (link: unknown): unknown[] =>
      link === undefined || link === null
        ? []
        : [link, ...[(link as { next?: unknown }).next].flat().flatMap(links)];
    const all = links(JSON.parse(text));
    expect(all.length).toBeGreaterThan(1);
    for (const link of all) expect(link).toMatchObject({ value: expect.any(String) as string });
  });
});

describe('pictures', () => {
  const png = Buffer.alloc(60);
  png.writeUInt32BE(0x89504e47, 0);
  png.writeUInt32BE(640, 16);
  png.writeUInt32BE(480, 20);
  const jpeg = Buffer.from('ffd8ffe000040000ffc0000b080010002003', 'hex');

  test('are counted, and their size is read from their bytes', () => {
    const part = (type: string, data: Buffer) => ({
      type: 'image_url',
      image_url: { url: `data:${type};base64,${data.toString('base64')}` },
    });
    const parts = [
      part('image/png', png),
      part('image/jpeg', jpeg),
      { type: 'text', text: 'What is this?' },
    ];
    expect(say(parts)).toBe(
      'I was given 2 images (image/png, 60 bytes, 640 x 480 pixels; image/jpeg, 18 bytes, 32 x 16 pixels).',
    );
  });
});

describe('tokens and budgets', () => {
  test.each(['', 'Hello, world!', '你好，世界', 'a👋b', '  blanks  ', 'word'.repeat(50), '\ud800'])(
    '%j is the same when its pieces are joined',
    (text) => {
      expect(toPieces(text).join('')).toBe(text);
      expect(toPieces(text)).toHaveLength(countTokens(text));
    },
  );

  test('reasoning eats the budget first', () => {
    const words = answer([user('[[tokens 10]] [[think 5]]')]);
    expect(fitBudget(words, 'on', 100)).toMatchObject({ finish: 'stop', completionTokens: 15 });
    expect(fitBudget(words, 'on', 8)).toMatchObject({
      finish: 'length',
      reasoningTokens: 5,
      completionTokens: 8,
    });
    expect(fitBudget(words, 'on', 3)).toMatchObject({
      finish: 'length',
      text: [],
      reasoningTokens: 3,
    });
    expect(fitBudget(words, 'off', 10)).toMatchObject({ finish: 'stop', reasoning: [] });
  });

  test('an answer ends before the first stop', () => {
    const words = answer([user('Say exactly: one two three')]);
    expect(cutAtStop(words, ['three', ' two', '']).text).toBe('one');
  });
});
