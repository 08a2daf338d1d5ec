import type { ErrorClass } from '#core/errors/error-class.ts';

/** The key that the request came with, for servers that send it back. */
export const ECHOED_KEY = 'sk-echoed-0123456789abcdef';

export interface HostileAnswer {
  readonly name: string;
  readonly status?: number;
  /** Server-sent events unless told. */
  readonly type?: string;
  readonly pieces: readonly (string | Uint8Array)[];
  /** What comes of it. */
  readonly is: 'answered' | ErrorClass;
  /** Whether the breaker of the model counts it, for whomever it befell. */
  readonly breaker: 'counts' | 'ignores';
  /** The text of an answer. */
  readonly text?: string;
}

const JSON_TYPE = 'application/json';

function chunk(delta: unknown, finish: unknown = null, more: object = {}): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return JSON.stringify({ id: 'c1', model: 'm', choices, ...more });
}

const event = (data: string) => `data: ${data}\n\n`;
const DONE = event('[DONE]');
const END = event(chunk({}, 'stop'));
const HELLO = event(chunk({ content: 'Hello.' }));

function whole(message: unknown, more: object = {}): string {
  return JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }], ...more });
}

type Made = Omit<HostileAnswer, 'name' | 'is' | 'breaker'>;

const ok = (name: string, made: Made): HostileAnswer => ({
  name,
  is: 'answered',
  breaker: 'ignores',
  text: 'Hello.',
  ...made,
});
const bad = (
  name: string,
  made: Made,
  is: ErrorClass = 'bad_response',
  breaker: HostileAnswer['breaker'] = 'counts',
): HostileAnswer => ({ name, is, breaker, ...made });

const json = (text: string): Made => ({ type: JSON_TYPE, pieces: [text] });
const events = (...pieces: readonly string[]): Made => ({ pieces });
const refusal = (status: number, body: string): Made => ({
  status,
  type: JSON_TYPE,
  pieces: [body],
});

const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const deepObject = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const inHello = (extra: string) => `{${extra},${whole({ content: 'Hello.' }).slice(1)}`;

const SHAPES: readonly HostileAnswer[] = [
  bad('nothing', json('')),
  bad('null', json('null')),
  bad('a number', json('42')),
  bad('a string', json('"Hello."')),
  bad('a list', json('[]')),
  bad('an empty object', json('{}'), 'bad_response'),
  bad('HTML', { type: 'text/html', pieces: ['<html>Hello.</html>'] }),
  bad('half of JSON', json(whole({ content: 'Hello.' }).slice(0, -9))),
  bad('no choices', json('{"choices":[]}'), 'bad_response'),
  bad('choices that are no list', json('{"choices":{"0":{}}}'), 'bad_response'),
  bad('a choice that is a list', json('{"choices":[[]]}'), 'bad_response'),
  bad('a choice that is null', json('{"choices":[null]}'), 'bad_response'),
  bad('a message that is a number', json(whole(5)), 'empty_response', 'ignores'),
  bad('a content that is a number', json(whole({ content: 5 })), 'empty_response', 'ignores'),
  bad('a content that is an object', json(whole({ content: {} })), 'empty_response', 'ignores'),
  bad('a content of blanks', json(whole({ content: ' \n ' })), 'empty_response', 'ignores'),
  ok('a content of odd parts', json(whole({ content: [1, null, { text: 'Hello.' }, [[]]] }))),
  bad(
    'a finish that is a number',
    json('{"choices":[{"message":{"content":"Hello."},"finish_reason":7}]}'),
    'interrupted',
  ),
  ok('calls that are a text', json(whole({ content: 'Hello.', tool_calls: 'x' }))),
  ok('calls of nothing', json(whole({ content: 'Hello.', tool_calls: [null, 1, [], {}] }))),
  ok('thoughts that are a number', json(whole({ content: 'Hello.', reasoning_content: 9 }))),
  ok('details that are texts', json(whole({ content: 'Hello.', reasoning_details: ['x', 1] }))),
  ok('an id that is a list', json(whole({ content: 'Hello.' }, { id: [] }))),
  ok('a model that is an object', json(whole({ content: 'Hello.' }, { model: {} }))),
  ok('an error that is false', json(whole({ content: 'Hello.' }, { error: false }))),
  bad('an error that is true', json(whole({ content: 'x' }, { error: true })), 'provider_error'),
  bad('an error that is a list', json('{"error":[]}'), 'provider_error'),
];

const NUMBERS: readonly HostileAnswer[] = [
  ok('counts beyond all numbers', json(inHello('"usage":{"prompt_tokens":1e999}'))),
  ok('counts below zero', json(inHello('"usage":{"prompt_tokens":-5,"completion_tokens":-1}'))),
  ok('counts that are texts', json(inHello('"usage":{"prompt_tokens":"NaN","cost":"1e9"}'))),
  ok('a cost of billions', json(inHello('"usage":{"prompt_tokens":1,"cost":1e30}'))),
  ok('a usage that is a list', json(inHello('"usage":[1,2]'))),
  ok('a number of a thousand digits', json(inHello(`"created":${'9'.repeat(1000)}`))),
  bad('an index of the second answer', json('{"choices":[{"index":1e308}]}'), 'bad_response'),
];

const NAMES: readonly HostileAnswer[] = [
  ok('__proto__ on top', json(inHello('"__proto__":{"polluted":true}'))),
  ok(
    '__proto__ in the message',
    json(whole(JSON.parse('{"__proto__":{"x":1},"content":"Hello."}'))),
  ),
  ok('constructor and prototype', json(inHello('"constructor":{"prototype":{"polluted":1}}'))),
  ok('toString and hasOwnProperty', json(inHello('"toString":null,"hasOwnProperty":1'))),
  ok('the same name twice', json(inHello('"choices":null'))),
  ok('an empty name', json(inHello('"":{"":{}}'))),
  ok('names of surrogates', json(inHello(String.raw`"\ud800":"\udfff"`))),
];

const SIZES: readonly HostileAnswer[] = [
  ok('64 levels', json(inHello(`"x":${deep(63)}`))),
  bad('65 levels', json(inHello(`"x":${deep(64)}`))),
  bad('a hundred thousand levels', json(deep(100_000))),
  bad('levels of objects', json(deepObject(1000))),
  bad('levels that never close', json('['.repeat(100_000))),
  bad('400,000 numbers', json(`[${'1,'.repeat(400_000)}1]`)),
  bad(
    '40,000 names',
    json(`{${Array.from({ length: 40_000 }, (_, at) => `"k${at}":1`).join(',')}}`),
  ),
  bad('200,000 empty objects', json(`[${'{},'.repeat(200_000)}{}]`)),
  bad('levels in an event', events(event(deep(1000)))),
  bad('levels in a refusal', refusal(500, deepObject(2000)), 'provider_error'),
  bad(
    'levels in the arguments of a call',
    events(
      HELLO,
      event(
        chunk({
          tool_calls: [
            { index: 0, id: 'c', function: { name: 'f', arguments: { a: JSON.parse(deep(60)) } } },
          ],
        }),
      ),
    ),
    'interrupted',
  ),
  bad(
    '300 calls',
    events(
      ...Array.from({ length: 300 }, (_, index) =>
        event(
          chunk({
            tool_calls: [{ index, id: `c${index}`, function: { name: 'f', arguments: '{}' } }],
          }),
        ),
      ),
    ),
    'interrupted',
  ),
];

const ENCODINGS: readonly HostileAnswer[] = [
  bad('bytes of UTF-16', {
    type: JSON_TYPE,
    pieces: [Buffer.from(whole({ content: 'Hello.' }), 'utf16le')],
  }),
  bad('bytes of nothing', {
    type: JSON_TYPE,
    pieces: [Uint8Array.from({ length: 4096 }, (_, at) => (at * 197) % 256)],
  }),
  bad('gzip that nobody asked for', {
    type: JSON_TYPE,
    pieces: [Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3)],
  }),
  ok('a byte order mark', json(`\uFEFF${whole({ content: 'Hello.' })}`)),
  ok('bytes that are no UTF-8', {
    type: JSON_TYPE,
    pieces: [
      Buffer.concat([
        Buffer.from('{"x":"'),
        Uint8Array.of(0xff, 0xfe, 0xc0),
        Buffer.from(inHello('"y":1').replace('{', '",')),
      ]),
    ],
  }),
  ok('C1 controls', {
    ...json(whole({ content: 'Hello.\u009b31m\u0090' })),
    text: 'Hello.\u009b31m\u0090',
  }),
  ok('lone surrogates', {
    ...json(
      String.raw`{"choices":[{"message":{"content":"Hello.\ud83d"},"finish_reason":"stop"}]}`,
    ),
    text: 'Hello.\ud83d',
  }),
  bad('a NUL between', json(`${whole({ content: 'x' })}\0`)),
];

const STREAMS: readonly HostileAnswer[] = [
  bad('no events', events(''), 'network'),
  bad('blank lines', events('\n'.repeat(5000)), 'network'),
  bad('comments alone', events(': keep\n\n'.repeat(1000)), 'network'),
  bad('DONE at once', events(DONE), 'bad_response'),
  bad('an event that is no JSON', events(event('{"choices":'))),
  bad('an event that is a number', events(event('1'))),
  ok('noise after the beginning', events(HELLO, event('noise'), END, DONE)),
  bad('half an object after the beginning', events(HELLO, event('{"cho'), END), 'interrupted'),
  bad('no end', events(HELLO), 'interrupted'),
  ok('everything after DONE', events(HELLO, END, DONE, event(chunk({ content: 'more' })))),
  ok('a carriage return for each line', events(`${HELLO}${END}${DONE}`.replaceAll('\n', '\r\n'))),
  ok('one byte at a time', {
    pieces: [...Buffer.from(HELLO + END + DONE)].map((byte) => Uint8Array.of(byte)),
  }),
  ok(
    'data over several lines',
    events(`data: {"choices":\ndata: [{"delta":{"content":"Hello."},"finish_reason":"stop"}]}\n\n`),
  ),
  bad('an error event', events('event: error\ndata: {"message":"broke"}\n\n'), 'provider_error'),
  bad('an error that is no object', events('event: error\ndata: 7\n\n'), 'provider_error'),
  bad(
    'an error after the beginning',
    events(HELLO, event('{"error":{"code":500,"message":"x"}}')),
    'provider_error',
  ),
  bad(
    'a withheld answer',
    events(HELLO, event(chunk({}, 'content_filter'))),
    'content_filter',
    'ignores',
  ),
  bad(
    'thoughts up to the limit of tokens',
    events(event(chunk({ reasoning_content: 'Hm.' })), event(chunk({}, 'length'))),
    'empty_response',
    'ignores',
  ),
  bad(
    'a full window',
    events(event(chunk({}, 'model_context_window_exceeded'))),
    'context_length',
    'ignores',
  ),
];

const REFUSALS: readonly HostileAnswer[] = [
  bad('a redirect', { status: 302, pieces: [''] }, 'not_configured', 'ignores'),
  bad('a status of nobody', refusal(599, '{}'), 'provider_error'),
  bad(
    'an error of 60 kB',
    refusal(500, JSON.stringify({ error: { message: 'x'.repeat(60_000) } })),
    'provider_error',
  ),
  bad(
    'a window of one token',
    refusal(400, '{"error":{"message":"maximum context length is 1 tokens"}}'),
    'context_length',
    'ignores',
  ),
  bad(
    'a refusal of the content',
    refusal(400, '{"error":{"code":"content_filter"}}'),
    'content_filter',
    'ignores',
  ),
  bad(
    'an error within errors',
    refusal(
      500,
      JSON.stringify({
        error: { message: JSON.stringify({ error: { message: '{"error":"x"}' } }) },
      }),
    ),
    'provider_error',
  ),
];

const halves = [ECHOED_KEY.slice(0, 9), ECHOED_KEY.slice(9)] as const;

const KEYS: readonly HostileAnswer[] = [
  ok('the key in the text', { ...json(whole({ content: ECHOED_KEY })), text: '[secret]' }),
  ok('the key in two pieces', {
    ...events(event(chunk({ content: halves[0] })), event(chunk({ content: halves[1] })), END),
    text: '[secret]',
  }),
  ok('the key letter by letter', {
    ...events(...ECHOED_KEY.split('').map((content) => event(chunk({ content }))), END),
    text: '[secret]',
  }),
  ok('the key in escapes', {
    ...json(
      whole({ content: 'KEY' }).replace('KEY', ECHOED_KEY.replaceAll('-', String.raw`\u002d`)),
    ),
    text: '[secret]',
  }),
  ok(
    'the key in thoughts',
    events(
      event(chunk({ reasoning_content: halves[0] })),
      event(chunk({ reasoning_content: halves[1] })),
      HELLO,
      END,
    ),
  ),
  ok('the key in a name of a model', json(whole({ content: 'Hello.' }, { model: ECHOED_KEY }))),
  ok('the key in an id', json(whole({ content: 'Hello.' }, { id: ECHOED_KEY }))),
  bad(
    'the key in a refusal',
    refusal(400, `{"error":{"message":"bad key ${ECHOED_KEY}"}}`),
    'bad_request',
    'ignores',
  ),
  bad(
    'the key in an error event',
    events(event(`{"error":{"message":"${ECHOED_KEY}"}}`)),
    'provider_error',
  ),
  ok('the key in the reason of the end', events(HELLO, event(chunk({}, ECHOED_KEY)))),
];

/** What servers answer that are broken, or mean harm. */
export const HOSTILE_ANSWERS: readonly HostileAnswer[] = [
  ...SHAPES,
  ...NUMBERS,
  ...NAMES,
  ...SIZES,
  ...ENCODINGS,
  ...STREAMS,
  ...REFUSALS,
  ...KEYS,
];
