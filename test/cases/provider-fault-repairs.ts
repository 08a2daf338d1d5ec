import {
  ANSWERED,
  NOT_KIMI,
  STREAM,
  TWO_CALLS,
  TWO_CALLS_TEXTS,
  WORDS,
  calls,
  failed,
  type FaultRow,
} from './provider-fault-row.ts';

const STREAM_FORMS = [
  ['F6.split', 'each byte comes alone'],
  ['F6.burst', 'everything comes at once'],
  ['F6.crlf', 'lines end with CR LF'],
  ['F6.comments', 'comments between the events'],
  ['F6.bom', 'a byte order mark comes first'],
  ['F6.multiline', 'events over several lines'],
  ['F6.nospace', 'no space after data:'],
  ['F6.fields', 'ids, retries and unknown fields'],
  ['F6.nonewline', 'no newline at the end'],
  ['F6.nochoices', 'events without choices'],
  ['F6.role', 'the role is said again each time'],
] as const;

/** What is put right, so that there is an answer all the same. */
export const REPAIRS: readonly FaultRow[] = [
  ...STREAM_FORMS.map(([id, what]): FaultRow => ({
    fault: 'F6',
    what,
    plan: { id },
    ...(id === 'F6.split' || id === 'F6.bom' ? {} : { deliveries: STREAM }),
    expect: ANSWERED,
  })),
  {
    fault: 'F7',
    what: 'usage inside the choice',
    plan: { id: 'F7.choice' },
    expect: ANSWERED,
  },
  {
    fault: 'F7',
    what: 'usage at the top of the last chunk',
    plan: { id: 'F7.top' },
    expect: ANSWERED,
  },
  {
    fault: 'F7',
    what: 'no usage',
    plan: { id: 'F7.missing' },
    expect: { ...ANSWERED, usage: 'estimated' },
  },
  ...(
    [
      ['noid', 'calls without ids'],
      ['noindex', 'calls without an index'],
      ['object', 'arguments as objects'],
      ['text', 'calls written as text'],
      ['duplicate', 'two calls of one id'],
      ['concatenated', 'arguments said twice'],
      ['stopfinish', 'finish stop in spite of calls'],
    ] as const
  ).map(([kind, what]): FaultRow => ({
    fault: 'F8',
    what,
    plan: { id: `F8.${kind}` },
    ask: 'calls',
    expect: TWO_CALLS,
  })),
  {
    fault: 'F8',
    what: 'two calls in turns, the second begun first',
    plan: { id: 'F8.interleaved' },
    ask: 'calls',
    expect: { whole: TWO_CALLS, stream: calls(...TWO_CALLS_TEXTS.toReversed()) },
    // The emulated Messages API has whole calls only, one after the other.
    by: { anthropic: TWO_CALLS },
  },
  {
    fault: 'F8',
    what: 'arguments that stop in the middle: for the model to do better',
    plan: { id: 'F8.truncated' },
    ask: 'calls',
    expect: calls('add_numbers(unreadable)', 'add_numbers(unreadable)'),
    by: { anthropic: TWO_CALLS },
  },
  {
    fault: 'F8',
    what: 'tools that nobody offered: for the model to be told',
    plan: { id: 'F8.unknown' },
    ask: 'calls',
    expect: calls(
      'add_numbers_that_nobody_offered({"a":1,"b":2})',
      'add_numbers_that_nobody_offered({"a":3,"b":4})',
    ),
    by: { anthropic: TWO_CALLS },
  },
  {
    fault: 'F12',
    what: 'JSON between fences',
    plan: { id: 'F12.fenced' },
    ask: 'json',
    who: NOT_KIMI,
    expect: { ...ANSWERED, text: '{"count":7}' },
  },
  {
    fault: 'F12',
    what: 'JSON of another shape, once: asked again',
    plan: { id: 'F12.invalid' },
    ask: 'json',
    who: NOT_KIMI,
    expect: { ...ANSWERED, text: '{"count":7}', requests: 2 },
  },
  {
    fault: 'F12',
    what: 'prose in place of JSON, once: asked again',
    plan: { id: 'F12.prose' },
    ask: 'json',
    who: NOT_KIMI,
    expect: { ...ANSWERED, text: '{"count":7}', requests: 2 },
  },
  {
    fault: 'F12',
    what: 'prose in place of JSON, always',
    plan: { id: 'F12.prose', times: 0 },
    ask: 'json',
    who: NOT_KIMI,
    expect: failed('bad_response', { requests: 3 }),
  },
  {
    fault: 'F13',
    what: 'thoughts ate the limit of the request, which ends it',
    plan: { id: 'F13' },
    expect: { ...ANSWERED, text: '', finish: 'length', requests: 1 },
  },
  {
    fault: 'F14',
    what: 'a search that never ends: three rounds, then an answer',
    plan: { id: 'F14', times: 0 },
    ask: 'search',
    who: ['kimi'],
    expect: { ...ANSWERED, text: WORDS, requests: 4 },
  },
  {
    fault: 'F21',
    what: 'the schema is taken and ignored, once: asked again',
    plan: { id: 'F21' },
    ask: 'json',
    expect: { ...ANSWERED, text: '{"count":7}', requests: 2 },
    // Kimi enforces schemas as a rule, so its stream is not kept back, and what was told cannot be
    // asked for again.
    by: {
      kimi: {
        whole: { ...ANSWERED, text: '{"count":7}', requests: 2 },
        stream: failed('bad_response', {
          text: 'You wrote 8 words (32 characters) in English, beginning "The count is 7. Give it". It is about count, 7, json.',
        }),
      },
    },
  },
  {
    fault: 'F21',
    what: 'the choice of tool is taken and ignored, once: asked again',
    plan: { id: 'F21' },
    ask: 'forced',
    expect: { ...calls('pick_colour({"colour":"red"})'), requests: 2 },
  },
];
