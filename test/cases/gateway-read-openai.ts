import {
  NO_ANSWER,
  readFailure,
  type ReadAnswer,
  type ReadCall,
  type ReadChoice,
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

const FINISHES = ['stop', 'length', 'tool_calls', 'content_filter'];

interface OpenChoice {
  text: string;
  reasoning: string;
  readonly calls: { id: string; name: string; arguments: string }[];
  finish: string | undefined;
  hasRole: boolean;
}

/** A stream of `/v1/chat/completions`, read as strictly as its description allows. */
export function readOpenAiStream(body: string): ReadAnswer {
  const { events, comments, wrong: wrongLines } = readEvents(body);
  const wrong = [...wrongLines];
  const choices: OpenChoice[] = [];
  const seams: Dictionary[] = [];
  let answer: ReadAnswer = { ...NO_ANSWER, end: 'cut', wrong };
  let first: Dictionary | undefined;

  for (const { name, data } of events) {
    if (name !== '') wrong.push(`an event with a name: ${name}`);
    if (answer.end !== 'cut') wrong.push(`after the end: ${shown(data)}`);
    if (data === '[DONE]') {
      if (choices.length === 0) wrong.push('[DONE] without an answer');
      if (choices.some(({ finish }) => finish === undefined))
        wrong.push('[DONE] without a finish_reason');
      answer = { ...answer, end: 'whole' };
      continue;
    }
    const chunk = objectIn(data);
    if (!chunk) {
      wrong.push(`no object: ${shown(data)}`);
      continue;
    }
    if (Object.hasOwn(chunk, 'error')) {
      const { failure, wrong: wrongFailure } = readFailure(chunk);
      wrong.push(...wrongFailure);
      answer = { ...answer, end: 'failed', failure };
      continue;
    }
    wrong.push(...wrongHead(chunk, first));
    first ??= chunk;
    const listed = Array.isArray(chunk['choices']) ? (chunk['choices'] as unknown[]) : [];
    for (const choice of listed) wrong.push(...takeChoice(choices, choice));
    answer = { ...answer, ...takeUsage(chunk, listed, choices, answer, wrong) };
    const { exai } = chunk;
    if (!isObject(exai)) continue;
    if (isObject(exai['seam'])) seams.push(exai['seam']);
    else if (answer.exai) wrong.push('exai comes twice');
    else answer = { ...answer, exai };
  }
  for (const [at, { text, calls, finish }] of choices.entries())
    wrong.push(...wrongChoice(at, text, calls, finish));
  const model = first?.['model'];
  return {
    ...answer,
    choices: choices.map(({ text, reasoning, calls, finish }) => ({
      text,
      reasoning,
      calls,
      finish,
    })),
    model: typeof model === 'string' ? model : undefined,
    alive: comments,
    seams,
  };
}

function wrongHead(chunk: Dictionary, first: Dictionary | undefined): readonly string[] {
  const { id, object, created, model, choices } = chunk;
  return [
    ...(typeof id === 'string' && id.startsWith('chatcmpl-') ? [] : [`id ${String(id)}`]),
    ...(object === 'chat.completion.chunk' ? [] : [`object ${String(object)}`]),
    ...(isCount(created) ? [] : [`created ${String(created)}`]),
    ...(typeof model === 'string' && model !== '' ? [] : [`model ${String(model)}`]),
    ...(Array.isArray(choices) ? [] : ['no choices']),
    ...(first && (first['id'] !== id || first['created'] !== created)
      ? ['a chunk of another answer']
      : []),
  ];
}

function takeChoice(choices: OpenChoice[], given: unknown): readonly string[] {
  if (!isObject(given)) return ['a choice that is no object'];
  const { index, delta, finish_reason: finish } = given;
  if (!isCount(index) || index > 100) return [`index ${String(index)}`];
  if (!isObject(delta)) return ['a choice without a delta'];
  const isNew = choices[index] === undefined;
  for (let at = choices.length; at <= index; at += 1)
    choices[at] = { text: '', reasoning: '', calls: [], finish: undefined, hasRole: false };
  const choice = choices[index];
  if (!choice) return [];
  const { role, content, reasoning_content: reasoning, tool_calls: calls } = delta;
  const wrong: string[] = [];
  if (choice.finish !== undefined) wrong.push(`choice ${index} after its finish_reason`);
  if (isNew && role !== 'assistant') wrong.push(`the first delta of choice ${index} has no role`);
  if (role !== undefined && choice.hasRole) wrong.push('the role comes twice');
  if (role !== undefined) choice.hasRole = true;
  if (typeof content === 'string') choice.text += content;
  else if (content !== undefined && content !== null) wrong.push('content that is no text');
  if (typeof reasoning === 'string') choice.reasoning += reasoning;
  else if (reasoning !== undefined) wrong.push('reasoning_content that is no text');
  if (Array.isArray(calls)) wrong.push(...calls.flatMap((call) => takeCall(choice, call)));
  else if (calls !== undefined) wrong.push('tool_calls that are no list');
  if (typeof finish === 'string') {
    if (!FINISHES.includes(finish)) wrong.push(`finish_reason ${finish}`);
    choice.finish = finish;
  } else if (finish !== null) wrong.push('finish_reason is neither a text nor null');
  return wrong;
}

function takeCall({ calls }: OpenChoice, given: unknown): readonly string[] {
  if (!isObject(given)) return ['a tool call that is no object'];
  const { index, id, type, function: fn } = given;
  if (!isCount(index) || index > calls.length) return [`tool call ${String(index)} out of turn`];
  const { name, arguments: added } = isObject(fn) ? fn : {};
  const known = calls[index];
  if (typeof added !== 'string') return ['arguments that are no text'];
  if (known) {
    known.arguments += added;
    return [
      ...(id === undefined || id === known.id ? [] : ['a tool call changes its id']),
      ...(name === undefined ? [] : ['a tool call says its name twice']),
    ];
  }
  calls.push({ id: String(id), name: String(name), arguments: added });
  const isWhole = typeof id === 'string' && id !== '' && typeof name === 'string' && name !== '';
  return isWhole && type === 'function'
    ? []
    : ['the first piece of a tool call lacks id, type or name'];
}

function takeUsage(
  chunk: Dictionary,
  listed: readonly unknown[],
  choices: readonly OpenChoice[],
  before: ReadAnswer,
  wrong: string[],
): Pick<ReadAnswer, 'usage'> {
  const { usage } = chunk;
  if (usage === undefined || usage === null) {
    if (listed.length === 0) wrong.push('a chunk with neither a choice nor usage');
    return { usage: before.usage };
  }
  if (before.usage) wrong.push('usage comes twice');
  if (listed.length > 0) wrong.push('usage beside a choice');
  if (choices.some(({ finish }) => finish === undefined)) wrong.push('usage before the end');
  return { usage: usageOf(usage, wrong) };
}

function usageOf(given: unknown, wrong: string[]): ReadUsage | undefined {
  const usage = isObject(given) ? given : {};
  const { prompt_tokens: input, completion_tokens: output, total_tokens: total } = usage;
  if (!isCount(input) || !isCount(output) || total !== input + output) {
    wrong.push(`usage ${JSON.stringify(given)}`);
    return undefined;
  }
  return { input, output };
}

function wrongChoice(
  at: number,
  text: string,
  calls: readonly ReadCall[],
  finish: string | undefined,
): readonly string[] {
  if (finish === undefined) return [];
  const isCalling = finish === 'tool_calls';
  return [
    ...(isCalling !== calls.length > 0 && finish !== 'length'
      ? [`choice ${at} ends with ${finish} and ${calls.length} calls`]
      : []),
    // A limit that went into thinking leaves nothing else.
    ...(text === '' && calls.length === 0 && finish !== 'length' ? [`choice ${at} is empty`] : []),
    ...(new Set(calls.map(({ id }) => id)).size === calls.length ? [] : ['two calls of one id']),
  ];
}

/** The answer of one that was not streamed, or the refusal of either. */
export function readOpenAiJson(body: string): ReadAnswer {
  const answer = objectIn(body);
  if (!answer) return { ...NO_ANSWER, end: 'cut', wrong: [`no object: ${shown(body)}`] };
  if (Object.hasOwn(answer, 'error')) return readOpenAiRefusal(answer);
  const { id, object, created, model, choices, usage, exai } = answer;
  const wrong = [
    ...(typeof id === 'string' && id.startsWith('chatcmpl-') ? [] : [`id ${String(id)}`]),
    ...(object === 'chat.completion' ? [] : [`object ${String(object)}`]),
    ...(isCount(created) ? [] : [`created ${String(created)}`]),
    ...(typeof model === 'string' && model !== '' ? [] : [`model ${String(model)}`]),
    ...(isObject(exai) ? [] : ['no exai']),
  ];
  const listed = Array.isArray(choices) ? (choices as unknown[]) : [];
  if (listed.length === 0) wrong.push('no choices');
  const read = listed.map((choice, at) => readWholeChoice(choice, at, wrong));
  return {
    ...NO_ANSWER,
    end: read.every(({ finish }) => finish !== undefined) ? 'whole' : 'cut',
    choices: read,
    usage: usageOf(usage, wrong),
    exai: isObject(exai) ? exai : undefined,
    model: typeof model === 'string' ? model : undefined,
    wrong,
  };
}

function readOpenAiRefusal(answer: Dictionary): ReadAnswer {
  const { failure, wrong } = readFailure(answer);
  const { param, code } = isObject(answer['error']) ? answer['error'] : {};
  const isTold = (value: unknown) => value === null || typeof value === 'string';
  const { exai } = answer;
  return {
    ...NO_ANSWER,
    end: 'failed',
    failure,
    exai: isObject(exai) ? exai : undefined,
    wrong: isTold(param) && isTold(code) ? wrong : [...wrong, 'an error without param or code'],
  };
}

function readWholeChoice(given: unknown, at: number, wrong: string[]): ReadChoice {
  const { index, message, finish_reason: finish } = isObject(given) ? given : {};
  const said = isObject(message) ? message : {};
  const { role, content, reasoning_content: reasoning = '', tool_calls: called = [] } = said;
  if (index !== at) wrong.push(`choice ${String(index)} at ${at}`);
  if (role !== 'assistant') wrong.push(`role ${String(role)}`);
  if (content !== null && typeof content !== 'string') wrong.push('content that is no text');
  if (typeof reasoning !== 'string') wrong.push('reasoning_content that is no text');
  if (typeof finish !== 'string' || !FINISHES.includes(finish))
    wrong.push(`finish_reason ${String(finish)}`);
  const calls = (Array.isArray(called) ? (called as unknown[]) : []).map((call): ReadCall => {
    const { id, type, function: fn } = isObject(call) ? call : {};
    const { name, arguments: written } = isObject(fn) ? fn : {};
    if (typeof id !== 'string' || type !== 'function' || typeof name !== 'string')
      wrong.push('a tool call without id, type or name');
    if (typeof written !== 'string') wrong.push('arguments that are no text');
    return { id: String(id), name: String(name), arguments: String(written) };
  });
  const choice = {
    text: typeof content === 'string' ? content : '',
    reasoning: String(reasoning),
    calls,
    finish: typeof finish === 'string' ? finish : undefined,
  };
  wrong.push(...wrongChoice(at, choice.text, calls, choice.finish));
  return choice;
}
