import {
  NO_ANSWER,
  readFailure,
  type ReadAnswer,
  type ReadCall,
  type ReadUsage,
} from './gateway-read-answer.ts';
import {
  isCount,
  isObject,
  objectIn,
  readEvents,
  shown,
  type Dictionary,
} from './gateway-read-events.ts';

const STOPS = ['end_turn', 'max_tokens', 'stop_sequence', 'tool_use', 'pause_turn', 'refusal'];

/** What a block takes, by the kind of the block. */
const DELTAS: Readonly<Record<string, readonly string[]>> = {
  text: ['text_delta'],
  thinking: ['thinking_delta', 'signature_delta'],
  tool_use: ['input_json_delta'],
  // What the vendor found is told at once.
  server_tool_use: [],
  web_search_tool_result: [],
};

interface Block {
  readonly type: string;
  readonly id: string;
  readonly name: string;
  said: string;
}

interface Reading {
  readonly blocks: Block[];
  readonly wrong: string[];
  open: Block | undefined;
  message: Dictionary | undefined;
  stop: string | undefined;
  usage: ReadUsage | undefined;
  exai: Dictionary | undefined;
  answer: Pick<ReadAnswer, 'end' | 'failure'>;
}

/** A stream of `/v1/messages`, read by the grammar of its events. */
export function readAnthropicStream(body: string): ReadAnswer {
  const { events, comments, wrong } = readEvents(body);
  const reading: Reading = {
    blocks: [],
    wrong: [...wrong],
    open: undefined,
    message: undefined,
    stop: undefined,
    usage: undefined,
    exai: undefined,
    answer: { end: 'cut', failure: undefined },
  };
  let pings = 0;
  for (const { name, data } of events) {
    const said = objectIn(data);
    if (!said || said['type'] !== name) {
      reading.wrong.push(`${name}: ${shown(data)}`);
      continue;
    }
    if (reading.answer.end !== 'cut') reading.wrong.push(`after the end: ${name}`);
    if (name === 'ping') pings += 1;
    else take(reading, name, said);
  }
  return answerOf(reading, comments + pings);
}

function take(reading: Reading, name: string, said: Dictionary): void {
  const { wrong } = reading;
  const isBegun = reading.message !== undefined;
  if (isBegun === (name === 'message_start') && name !== 'error')
    wrong.push(isBegun ? 'message_start comes twice' : `${name} before message_start`);
  if (reading.stop !== undefined && name !== 'message_stop' && name !== 'error')
    wrong.push(`${name} after message_delta`);
  switch (name) {
    case 'message_start':
      return begin(reading, said['message']);
    case 'content_block_start':
      return openBlock(reading, said);
    case 'content_block_delta':
      return addToBlock(reading, said);
    case 'content_block_stop':
      if (!reading.open || said['index'] !== reading.blocks.length - 1)
        wrong.push(`content_block_stop of ${String(said['index'])}`);
      reading.open = undefined;
      return;
    case 'message_delta':
      return conclude(reading, said);
    case 'message_stop':
      if (reading.stop === undefined) wrong.push('message_stop without message_delta');
      reading.answer = { end: 'whole', failure: undefined };
      return;
    case 'error': {
      const { failure, wrong: more } = readFailure(said);
      wrong.push(...more);
      reading.answer = { end: 'failed', failure };
      return;
    }
    default:
      wrong.push(`an event of another kind: ${name}`);
  }
}

function begin(reading: Reading, given: unknown): void {
  const message = isObject(given) ? given : {};
  const { id, type, role, model, content, stop_reason: stop, usage } = message;
  const isGood =
    typeof id === 'string' &&
    id.startsWith('msg_') &&
    type === 'message' &&
    role === 'assistant' &&
    typeof model === 'string' &&
    model !== '' &&
    Array.isArray(content) &&
    content.length === 0 &&
    stop === null &&
    message['stop_sequence'] === null &&
    isObject(usage) &&
    isCount(usage['input_tokens']) &&
    isCount(usage['output_tokens']);
  if (!isGood) reading.wrong.push(`message_start ${shown(JSON.stringify(given))}`);
  reading.message = message;
}

function openBlock(reading: Reading, { index, content_block: given }: Dictionary): void {
  const { wrong, blocks } = reading;
  const block = isObject(given) ? given : {};
  const { type, id, name } = block;
  if (reading.open) wrong.push('a block begins within another');
  if (index !== blocks.length) wrong.push(`block ${String(index)} at ${blocks.length}`);
  const isGood =
    (type === 'text' && block['text'] === '') ||
    (type === 'thinking' && block['thinking'] === '' && block['signature'] === '') ||
    (type === 'tool_use' &&
      typeof id === 'string' &&
      id !== '' &&
      typeof name === 'string' &&
      name !== '' &&
      JSON.stringify(block['input']) === '{}') ||
    (type === 'server_tool_use' && typeof id === 'string') ||
    (type === 'web_search_tool_result' && Array.isArray(block['content']));
  if (!isGood) wrong.push(`a block begins as ${shown(JSON.stringify(given))}`);
  const opened = { type: String(type), id: String(id), name: String(name), said: '' };
  blocks.push(opened);
  reading.open = opened;
}

function addToBlock(reading: Reading, { index, delta }: Dictionary): void {
  const { wrong, open, blocks } = reading;
  if (!open || index !== blocks.length - 1) return void wrong.push('a delta of no open block');
  const { type, text, thinking, partial_json: json } = isObject(delta) ? delta : {};
  if (!DELTAS[open.type]?.includes(String(type)))
    return void wrong.push(`${String(type)} in a block of ${open.type}`);
  if (type === 'signature_delta') return;
  const said = type === 'text_delta' ? text : type === 'thinking_delta' ? thinking : json;
  if (typeof said === 'string') open.said += said;
  else wrong.push(`${String(type)} without its text`);
}

function conclude(reading: Reading, said: Dictionary): void {
  const { wrong } = reading;
  const { stop_reason: stop, stop_sequence: sequence } = isObject(said['delta'])
    ? said['delta']
    : {};
  if (reading.open) wrong.push('message_delta within a block');
  if (typeof stop !== 'string' || !STOPS.includes(stop)) wrong.push(`stop_reason ${String(stop)}`);
  if (sequence !== null && typeof sequence !== 'string')
    wrong.push('stop_sequence is neither a text nor null');
  reading.stop = String(stop);
  reading.usage = usageOf(said['usage'], wrong);
  const { exai } = said;
  if (isObject(exai)) reading.exai = exai;
  else wrong.push('no exai');
}

function usageOf(given: unknown, wrong: string[]): ReadUsage | undefined {
  const usage = isObject(given) ? given : {};
  const { input_tokens: input, output_tokens: output, cache_read_input_tokens: read = 0 } = usage;
  const { cache_creation_input_tokens: made = 0 } = usage;
  if (isCount(input) && isCount(output) && isCount(read) && isCount(made))
    return { input: input + read + made, output };
  wrong.push(`usage ${JSON.stringify(given)}`);
  return undefined;
}

function answerOf(reading: Reading, alive: number): ReadAnswer {
  const { blocks, wrong, stop, message, answer, usage, exai } = reading;
  const model = message?.['model'];
  if (answer.end === 'whole') wrong.push(...wrongBlocks(blocks, stop));
  const of = (type: string) => blocks.filter((block) => block.type === type);
  const joined = (type: string) =>
    of(type)
      .map(({ said }) => said)
      .join('');
  const choice = {
    text: joined('text'),
    reasoning: joined('thinking'),
    calls: of('tool_use').map(({ id, name, said }): ReadCall => ({ id, name, arguments: said })),
    finish: stop,
  };
  return {
    ...NO_ANSWER,
    ...answer,
    choices: message ? [choice] : [],
    exai,
    usage,
    model: typeof model === 'string' ? model : undefined,
    alive,
    wrong,
  };
}

function wrongBlocks(blocks: readonly Block[], stop: string | undefined): readonly string[] {
  const calls = blocks.filter(({ type }) => type === 'tool_use');
  const isCalling = stop === 'tool_use';
  return [
    // A limit that went into thinking leaves nothing else.
    ...(stop === 'max_tokens' || blocks.some(({ type }) => type === 'text' || type === 'tool_use')
      ? []
      : ['the answer is empty']),
    ...(isCalling !== calls.length > 0 && stop !== 'max_tokens'
      ? [`it stops with ${stop} and ${calls.length} calls`]
      : []),
    ...(new Set(calls.map(({ id }) => id)).size === calls.length ? [] : ['two calls of one id']),
    ...calls.flatMap(({ said }) =>
      said === '' || objectIn(said) ? [] : [`input that is no object: ${shown(said)}`],
    ),
  ];
}

/** The answer of one that was not streamed, or the refusal of either. */
export function readAnthropicJson(body: string): ReadAnswer {
  const answer = objectIn(body);
  if (!answer) return { ...NO_ANSWER, end: 'cut', wrong: [`no object: ${shown(body)}`] };
  const { id, type, role, model, content, stop_reason: stop, exai } = answer;
  if (type === 'error') {
    const { failure, wrong } = readFailure(answer);
    const { request_id: reqId } = answer;
    return {
      ...NO_ANSWER,
      end: 'failed',
      failure,
      exai: isObject(exai) ? exai : undefined,
      wrong: typeof reqId === 'string' ? wrong : [...wrong, 'an error without request_id'],
    };
  }
  const wrong = [
    ...(typeof id === 'string' && id.startsWith('msg_') ? [] : [`id ${String(id)}`]),
    ...(type === 'message' && role === 'assistant' ? [] : [`${String(type)} of ${String(role)}`]),
    ...(typeof model === 'string' && model !== '' ? [] : [`model ${String(model)}`]),
    ...(typeof stop === 'string' && STOPS.includes(stop) ? [] : [`stop_reason ${String(stop)}`]),
    ...(isObject(exai) ? [] : ['no exai']),
  ];
  const usage = usageOf(answer['usage'], wrong);
  const blocks = (Array.isArray(content) ? (content as unknown[]) : []).map((block) =>
    wholeBlock(block, wrong),
  );
  const finish = typeof stop === 'string' ? stop : undefined;
  return answerOf(
    {
      blocks,
      wrong,
      open: undefined,
      message: answer,
      stop: finish,
      usage,
      exai: isObject(exai) ? exai : undefined,
      answer: { end: finish === undefined ? 'cut' : 'whole', failure: undefined },
    },
    0,
  );
}

function wholeBlock(given: unknown, wrong: string[]): Block {
  const block = isObject(given) ? given : {};
  const { type, id, name, input, text, thinking = '' } = block;
  const said = type === 'tool_use' ? JSON.stringify(input) : type === 'text' ? text : thinking;
  if (typeof said !== 'string' || !Object.hasOwn(DELTAS, String(type)))
    wrong.push(`a block ${shown(JSON.stringify(given))}`);
  if (type === 'tool_use' && (typeof id !== 'string' || typeof name !== 'string'))
    wrong.push('a tool_use without id or name');
  return { type: String(type), id: String(id), name: String(name), said: String(said) };
}
