import { CallError } from '#core/errors/call-error.ts';
import type { Json, JsonObject } from '#core/json/json.ts';
import type { ChatRequest } from '#core/llm/chat.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import type { Model } from '#models/model.ts';
import type { ChatPlan, ChatStep, StepResult } from '../openai-compatible/chat-plan.ts';
import { OTHER_MODEL_FIXES, unsupportedInput } from '../openai-compatible/errors/vendor-error.ts';
import {
  enforceResponseFormat,
  type ResponseFormatEnforcer,
} from '../openai-compatible/follow-up/enforce-response-format.ts';
import { enforceToolChoice } from '../openai-compatible/follow-up/enforce-tool-choice.ts';
import { retryReasoningOnly } from '../openai-compatible/follow-up/retry-reasoning-only.ts';
import type { KimiRequest } from './request.ts';
import { createFunctionSteps } from './search-functions.ts';
import { createSearchSteps, type SearchSteps } from './search.ts';

/**
 * Plans one chat: the first request, and another one after a refused field, reasoning without an
 * answer, a search to be echoed, or an answer that is not what was requested.
 */
export function planKimiChat(
  request: ChatRequest,
  model: Model,
  { body, notices, thinking, tools, search, functions, demand, demandBy }: KimiRequest,
  before: readonly Notice[],
): ChatPlan {
  const output =
    request.responseFormat || demand
      ? enforceOutput(request, { demand, demandBy }, model)
      : undefined;
  const hold = output?.hold;
  let searches: SearchSteps | undefined;

  function next(result: StepResult): ChatStep | undefined {
    const { webSearch } = request;
    searches ??=
      search === 'on' && functions && webSearch
        ? createFunctionSteps(functions, webSearch, model, thinking.mode)
        : createSearchSteps(search === 'on' ? webSearch : undefined, model, thinking.mode);
    const step =
      retryWithoutRefusedField(result) ??
      retryReasoningOnly(result, model, thinking.less) ??
      searches.next(result) ??
      output?.next(result);
    return step && { ...step, ...(hold && { hold }) };
  }

  const firstBody = instructed(body, output?.instruction);
  const allNotices = before.length === 0 ? notices : [...before, ...notices];
  const first: ChatStep = { body: firstBody, notices: allNotices, ...(hold && { hold }) };
  const { delivery, maxOutputTokens } = request;
  const ownTools = search === 'on' ? (functions?.names ?? []) : [];
  const plan: ChatPlan = {
    model: model.id,
    delivery,
    tools,
    ownTools,
    maxOutputTokens,
    first,
    next,
  };
  return output?.repair ? { ...plan, repair: output.repair } : plan;
}

function instructed(body: JsonObject, instruction: string | undefined): JsonObject {
  if (instruction === undefined || !Array.isArray(body['messages'])) return body;
  const messages = body['messages'] as readonly Json[];
  return { ...body, messages: [...messages, { role: 'system', content: instruction }] };
}

/**
 * Checks that an answer follows the requested tool choice or format: an accepted field is not
 * always obeyed.
 */
interface OutputEnforcer extends Pick<ChatPlan, 'repair'> {
  /** Whether text is held back until it was checked. */
  readonly hold: 'text' | undefined;
  /** A system message for what the vendor does not enforce. */
  readonly instruction: string | undefined;
  readonly next: (result: StepResult) => ChatStep | undefined;
}

/**
 * Enforces a tool choice or a JSON format. Answers are checked against the caller's schema, because
 * Kimi's own schema flavour may be wider. A streamed answer can only be rejected at its end,
 * because its text was already emitted; any other answer is asked for again.
 */
function enforceOutput(
  { responseFormat: format, delivery }: ChatRequest,
  { demand, demandBy }: Pick<KimiRequest, 'demand' | 'demandBy'>,
  model: Model,
): OutputEnforcer {
  const about = { provider: 'kimi', title: 'Kimi', model: model.id } as const;
  const call = demand && enforceToolChoice(demand, about);
  const said = demandBy === 'words' ? call?.instruction : undefined;
  if (!format)
    return { hold: call && 'text', instruction: said, next: (result) => call?.next(result) };
  const isEnforced = format.type === 'json' ? model.json !== 'none' : model.json === 'schema';
  const answer = enforceResponseFormat(format, about);
  if (isEnforced && delivery === 'stream' && !call) {
    const next = (result: StepResult) => refuseWrong(result, answer, model);
    const repair = (result: StepResult) => answer.repair(result);
    return { hold: undefined, instruction: undefined, next, repair };
  }
  return {
    hold: 'text',
    instruction: said ?? (isEnforced ? undefined : answer.instruction),
    next: (result) => call?.next(result) ?? answer.next(result),
    repair: (result) => answer.repair(result),
  };
}

function refuseWrong(
  { turn, end }: StepResult,
  answer: ResponseFormatEnforcer,
  model: Model,
): undefined {
  if (end.is === 'failed' || end.reason !== 'stop') return;
  const checked = answer.check(turn.text);
  if (checked.is === 'fitting') return;
  const { path, problem } = checked.violation;
  throw new CallError(
    'bad_response',
    `The answer of Kimi does not fit the schema: ${path} ${problem}.`,
    {
      provider: 'kimi',
      model: model.id,
      fix: 'Ask again without streaming: then an answer that does not fit is mended.',
      dueTo: 'request',
    },
  );
}

/** Optional fields that are dropped when a model refuses them. */
const SPARABLE = [
  'temperature',
  'top_p',
  'presence_penalty',
  'frequency_penalty',
  'reasoning_effort',
  'thinking',
  'tool_choice',
  'prompt_cache_key',
  'prompt_cache_options',
  'safety_identifier',
  'stream_options',
];

/** Retries without the field that the refusal names. Each field is dropped once, so this ends. */
function retryWithoutRefusedField({ body, end, hasContent }: StepResult): ChatStep | undefined {
  if (end.is !== 'failed' || end.error.class !== 'bad_request' || hasContent) return undefined;
  const { message } = end.error;
  const [first] = SPARABLE.filter((name) => Object.hasOwn(body, name))
    .map((name) => ({ name, at: message.search(new RegExp(String.raw`\b${name}\b`)) }))
    .filter(({ at }) => at !== -1)
    .toSorted((a, b) => a.at - b.at);
  if (!first) return undefined;
  const left = Object.fromEntries(Object.entries(body).filter(([name]) => name !== first.name));
  const refused = { model: 'Kimi', parameter: first.name, refused: 'parameter' } as const;
  return { body: left, notices: [notice('parameter_refused', refused)] };
}

const MAX_STOP_BYTES = 32;

/** Refuses what Kimi would refuse and what cannot be left out. */
export function checkKimiRequest(request: ChatRequest, model: Model): void {
  checkStops(request.stop ?? []);
  checkToolNames(request);
  checkToolCount(request, model);
  checkFormat(request, model);
  checkPrefix(request);
}

function checkStops(stops: readonly string[]): void {
  for (const [index, stop] of stops.entries()) {
    const bytes = Buffer.byteLength(stop);
    if (bytes > 0 && bytes <= MAX_STOP_BYTES) continue;
    const message =
      bytes === 0
        ? 'A stop text is empty.'
        : `A stop text has ${bytes} bytes; Kimi takes ${MAX_STOP_BYTES}.`;
    const fix = `Use 1 to ${MAX_STOP_BYTES} bytes of UTF-8.`;
    throw (bytes === 0 ? refuse : unsupportedInput)(`stop[${index}]`, message, fix);
  }
}

function checkToolNames({ tools = [] }: ChatRequest): void {
  const index = tools.findIndex(({ name }) => !/^[A-Za-z_]/.test(name));
  if (index === -1) return;
  const message = 'Kimi takes only names of tools that begin with a letter or _.';
  throw unsupportedInput(`tools[${index}].name`, message, 'Call it something else.');
}

function checkToolCount({ tools = [], webSearch }: ChatRequest, model: Model): void {
  if (!webSearch || tools.length < model.maxTools) return;
  const message = `Its own search is a tool as well, and Kimi takes ${model.maxTools} of them.`;
  throw unsupportedInput('tools', message, 'Send one tool less, or do without the search.');
}

function checkFormat({ responseFormat, continuation }: ChatRequest, model: Model): void {
  if (!responseFormat) return;
  if (continuation === 'prefix') {
    const message = 'Kimi cannot continue an answer and enforce JSON at the same time.';
    throw refuse('responseFormat', message, 'Leave out one of the two.');
  }
  if (model.json === 'none') {
    const message = `${model.title} cannot be held to JSON.`;
    throw unsupportedInput('responseFormat', message, OTHER_MODEL_FIXES);
  }
  if (responseFormat.type === 'json_schema' && !mayBeObject(responseFormat.schema)) {
    const message = 'Kimi answers with an object, and the schema wants something else.';
    const fix = 'Put what is wanted into an object, as one of its properties.';
    throw unsupportedInput('responseFormat.schema', message, fix);
  }
}

function mayBeObject({ type }: JsonObject): boolean {
  return (
    type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'))
  );
}

function checkPrefix({ continuation, messages }: ChatRequest): void {
  const last = messages.at(-1);
  if (continuation !== 'prefix' || last?.role !== 'assistant') return;
  if ((last.toolCalls ?? []).length === 0) return;
  const message = 'An answer that called tools is complete; it cannot be continued.';
  throw refuse('continuation', message, 'Add the results of the tools instead.');
}

function refuse(field: string, message: string, fix: string): CallError {
  return new CallError('validation', message, { field, fix });
}
