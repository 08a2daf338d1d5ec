import { describe, expect, test } from 'vitest';
import { errorClassAndField } from '../gateway/thrown-error.fixture.ts';
import { readOpenAiMessages } from './messages.ts';

const readMessages = (value: unknown) => readOpenAiMessages(value).messages;

const user = { role: 'user', content: 'Hello?' };
const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } };
const userMessage = (content: unknown) => [{ role: 'user', content }];
const PNG = 'data:image/png;base64,iVBORw0KGgo=';

describe('roles', () => {
  test('a developer is the system, and texts in parts are one text', () => {
    const texts = [
      { type: 'text', text: 'One.' },
      { type: 'text', text: 'Two.' },
    ];
    expect(
      readMessages([
        { role: 'developer', content: 'Be brief.' },
        { role: 'system', content: texts },
        user,
        { role: 'assistant', content: texts },
        { role: 'tool', tool_call_id: 'c1', content: texts },
      ]),
    ).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'system', content: 'One.\n\nTwo.' },
      user,
      { role: 'assistant', content: 'One.Two.' },
      { role: 'tool', toolCallId: 'c1', content: 'One.\n\nTwo.' },
    ]);
  });

  test('empty system and assistant messages are dropped', () => {
    const empty = { role: 'assistant', content: null, tool_calls: [] };
    expect(readMessages([{ role: 'system', content: ' ' }, empty, user])).toEqual([user]);
  });

  test('a system message at the end becomes a user message', () => {
    const reminder = { role: 'system', content: 'Answer in French.' };
    expect(readMessages([user, reminder])).toEqual([
      user,
      { role: 'user', content: 'Answer in French.' },
    ]);
  });

  test('an assistant message has its reasoning and its calls', () => {
    const details = [{ type: 'reasoning.text', text: 'Hm.' }];
    const answer = { role: 'assistant', content: null, tool_calls: [call] };
    const result = { role: 'tool', tool_call_id: 'c1', name: 'f', content: null };
    const [first, second] = readMessages([
      { ...answer, reasoning_content: 'Hm.', reasoning_details: details },
      { ...answer, reasoning: 'Hm.' },
      result,
    ]);
    const read = {
      role: 'assistant',
      content: '',
      reasoning: 'Hm.',
      toolCalls: [{ id: 'c1', name: 'f', arguments: '{}' }],
    };
    expect(first).toEqual({ ...read, reasoningDetails: details });
    expect(second).toEqual(read);
    expect(readMessages([result])).toEqual([
      { role: 'tool', toolCallId: 'c1', name: 'f', content: '' },
    ]);
  });

  test('a refusal is the text of the assistant message', () => {
    const parts = [{ type: 'refusal', refusal: 'No.' }];
    const expected = [{ role: 'assistant', content: 'No.' }, user];
    expect(readMessages([{ role: 'assistant', content: parts }, user])).toEqual(expected);
    const beside = { role: 'assistant', content: null, refusal: 'No.' };
    expect(readMessages([beside, user])).toEqual(expected);
  });

  test('legacy function calls get ids that their results share', () => {
    const asked = { role: 'assistant', content: null, function_call: call.function };
    const result = { role: 'function', name: 'f', content: '5' };
    expect(readMessages([user, asked, result, asked, result])).toEqual([
      user,
      {
        role: 'assistant',
        content: '',
        toolCalls: [{ id: 'call_1', name: 'f', arguments: '{}' }],
      },
      { role: 'tool', toolCallId: 'call_1', name: 'f', content: '5' },
      {
        role: 'assistant',
        content: '',
        toolCalls: [{ id: 'call_3', name: 'f', arguments: '{}' }],
      },
      { role: 'tool', toolCallId: 'call_3', name: 'f', content: '5' },
    ]);
  });
});

describe('parts of user messages', () => {
  test('one text in a part is a text', () => {
    expect(readMessages(userMessage([{ type: 'text', text: 'Hi' }]))).toEqual(userMessage('Hi'));
  });

  test.each<[object, object]>([
    [
      { type: 'image_url', image_url: { url: 'https://a.example/x.png', detail: 'low' } },
      { type: 'image', source: { url: 'https://a.example/x.png' } },
    ],
    [
      { type: 'image_url', image_url: 'http://a.example/x.png' },
      { type: 'image', source: { url: 'http://a.example/x.png' } },
    ],
    [
      { type: 'image_url', image_url: { url: PNG } },
      { type: 'image', source: { base64: 'iVBORw0KGgo=', mediaType: 'image/png' } },
    ],
    [
      { type: 'image_url', image_url: { url: 'DATA:Image/PNG;charset=x;BASE64,AAAA' } },
      { type: 'image', source: { base64: 'AAAA', mediaType: 'image/png' } },
    ],
    [
      { type: 'video_url', video_url: { url: 'https://a.example/x.mp4' } },
      { type: 'video', source: { url: 'https://a.example/x.mp4' } },
    ],
    [
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBE' } },
      {
        type: 'file',
        source: { base64: 'JVBE', mediaType: 'application/pdf' },
        name: 'a.pdf',
      },
    ],
  ])('%j', (part, expected) => {
    const text = { type: 'text', text: 'What is this?' };
    expect(readMessages(userMessage([text, part]))).toEqual(userMessage([text, expected]));
    expect(readMessages(userMessage([part]))).toEqual(userMessage([expected]));
  });

  test.each([
    ['notes.txt', 'text/plain', 'notes.txt\n\nBuy milk.'],
    [' a\nb.md ', 'text/markdown;charset=utf-8', 'a b.md\n\nBuy milk.'],
    ['', 'application/json', 'Buy milk.'],
    [undefined, 'text/csv', 'Buy milk.'],
  ])('a document that is text (%j, %s) is a text under its name', (filename, type, text) => {
    const base64 = Buffer.from('Buy milk.').toString('base64');
    const part = { type: 'file', file: { filename, file_data: `data:${type};base64,${base64}` } };
    const fromFile = filename?.trim().replace('\n', ' ') || 'document';
    const read = { type: 'text', text, fromFile };
    expect(readMessages(userMessage([part]))).toEqual(userMessage([read]));
    const question = { type: 'text', text: 'What is to do?' };
    expect(readMessages(userMessage([question, part]))).toEqual(userMessage([question, read]));
  });
});

describe('an invalid message is rejected with its position', () => {
  test.each<[unknown, string]>([
    [undefined, 'messages'],
    [{}, 'messages'],
    [[], 'messages'],
    [[{ role: 'system', content: '' }], 'messages'],
    [[null], 'messages[0]'],
    [[user, []], 'messages[1]'],
    [[{ content: 'x' }], 'messages[0].role'],
    [[{ role: '__proto__', content: 'x' }], 'messages[0].role'],
    [[{ role: 'constructor', content: 'x' }], 'messages[0].role'],
    [[{ role: 'system' }], 'messages[0].content'],
    [[{ role: 'system', content: [5] }], 'messages[0].content[0]'],
    [[{ role: 'system', content: [{ type: 'image_url' }] }], 'messages[0].content[0]'],
    [[{ role: 'user' }], 'messages[0].content'],
    [userMessage(' \u200b'), 'messages[0].content'],
    [userMessage([]), 'messages[0].content'],
    [userMessage([{ type: 'text', text: '' }]), 'messages[0].content'],
    [userMessage({ type: 'text', text: 'x' }), 'messages[0].content'],
    [userMessage(['x']), 'messages[0].content[0]'],
    [userMessage([{ type: 'text' }]), 'messages[0].content[0].text'],
    [userMessage([{ type: 'input_audio', input_audio: {} }]), 'messages[0].content[0].type'],
    [userMessage([{ type: 'hasOwnProperty' }]), 'messages[0].content[0].type'],
    [userMessage([{}]), 'messages[0].content[0].type'],
    [userMessage([{ type: 'image_url' }]), 'messages[0].content[0].image_url.url'],
    ...[
      'x.png',
      'file:///etc/passwd',
      'https://',
      `https://a.example/${'x'.repeat(9000)}`,
      'data:',
      'data:image/png,AAAA',
      'data:image/png;base64,',
      'data:text/plain;base64,AAAA',
      `data:${'x'.repeat(300)};base64,AAAA`,
    ].map((url): [unknown, string] => [
      userMessage([{ type: 'image_url', image_url: { url } }]),
      'messages[0].content[0].image_url.url',
    ]),
    [userMessage([{ type: 'file', file: {} }]), 'messages[0].content[0].file'],
    [userMessage([{ type: 'file', file: { file_id: 1 } }]), 'messages[0].content[0].file.file_id'],
    [
      userMessage([{ type: 'file', file: { file_data: 5 } }]),
      'messages[0].content[0].file.file_data',
    ],
    [
      userMessage([{ type: 'file', file: { file_data: 'data:text/plain;base64,//5BAA==' } }]),
      'messages[0].content[0].file.file_data',
    ],
    [
      userMessage([{ type: 'file', file: { file_data: 'JVBERi0xLjcK' } }]),
      'messages[0].content[0].file.file_data',
    ],
    [[user, { role: 'assistant', content: 5 }], 'messages[1].content'],
    [[{ role: 'assistant', tool_calls: {} }], 'messages[0].tool_calls'],
    [[{ role: 'assistant', tool_calls: [null] }], 'messages[0].tool_calls[0]'],
    [
      [{ role: 'assistant', tool_calls: [{ ...call, type: 'custom' }] }],
      'messages[0].tool_calls[0].type',
    ],
    [[{ role: 'assistant', tool_calls: [{ ...call, id: '' }] }], 'messages[0].tool_calls[0].id'],
    [[{ role: 'assistant', tool_calls: [{ id: 'c' }] }], 'messages[0].tool_calls[0].function.name'],
    [
      [
        {
          role: 'assistant',
          tool_calls: [call, { id: 'c', function: { name: 'f', arguments: {} } }],
        },
      ],
      'messages[0].tool_calls[1].function.arguments',
    ],
    [[user, { role: 'assistant', tool_calls: [call] }], 'messages[1]'],
    [[{ role: 'assistant', content: 'x', reasoning: [] }, user], 'messages[0].reasoning'],
    [
      [{ role: 'assistant', content: 'x', reasoning_content: 5 }, user],
      'messages[0].reasoning_content',
    ],
    [
      [{ role: 'assistant', content: 'x', reasoning_details: ['x'] }, user],
      'messages[0].reasoning_details',
    ],
    [[{ role: 'assistant', function_call: 'f' }], 'messages[0].function_call'],
    [[{ role: 'tool', content: 'x' }], 'messages[0].tool_call_id'],
    [[{ role: 'tool', tool_call_id: 'c1', content: 5 }], 'messages[0].content'],
    [[{ role: 'function', name: 'f', content: 'x' }], 'messages[0].name'],
  ])('%j', (messages, field) => {
    expect(errorClassAndField(() => readMessages(messages))).toBe(`validation ${field}`);
  });
});

test('a hundred thousand messages are read, and a depth of a hundred thousand is rejected', () => {
  expect(readMessages(Array.from({ length: 100_000 }, () => user))).toHaveLength(100_000);
  const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as unknown;
  expect(errorClassAndField(() => readMessages(userMessage(deep)))).toBe(
    'validation messages[0].content[0]',
  );
  const details = { role: 'assistant', content: 'x', reasoning_details: [{ deep }] };
  expect(errorClassAndField(() => readMessages([details, user]))).toBe(
    'validation messages[0].reasoning_details',
  );
});

describe('tools of a message', () => {
  const tool = (name: string) => ({
    type: 'function',
    function: { name, description: 'Does it.', parameters: { type: 'object', properties: {} } },
  });
  const system = (...names: string[]) => ({ role: 'system', tools: names.map(tool) });

  test('are named by the message after which they are known', () => {
    const read = readOpenAiMessages([system('a'), user, system('b'), system('c', 'd')]);
    expect(read.messages).toEqual([{ ...user, addsTools: ['b', 'c', 'd'] }]);
    expect(read.addedTools.map(({ tool: { name }, field }) => [name, field])).toEqual([
      ['a', 'messages[0].tools[0].function'],
      ['b', 'messages[2].tools[0].function'],
      ['c', 'messages[3].tools[0].function'],
      ['d', 'messages[3].tools[1].function'],
    ]);
    const told = { ...system('e'), content: 'Be brief.' };
    expect(readMessages([told, user])[0]).toEqual({
      role: 'system',
      content: 'Be brief.',
      addsTools: ['e'],
    });
  });

  test('are checked as those of the request are', () => {
    expect(() => readMessages([user, { role: 'system', tools: [{ type: 'web' }] }])).toThrow(
      expect.objectContaining({ field: 'messages[1].tools[0]' }),
    );
    expect(() => readMessages([user, { role: 'system', tools: 'all' }])).toThrow(
      expect.objectContaining({ field: 'messages[1].tools' }),
    );
  });
});
