import { readQuestion, type Question } from '../answer.ts';
import { isObject, type Dictionary } from '../is-object.ts';
import type { Account } from './account.ts';
import { checkFormat, readCacheTtl, readCap, readStops } from './check-limits.ts';
import { checkMessages } from './check-messages.ts';
import { checkSampling } from './check-sampling.ts';
import { checkToolChoice, checkTools, WEB_SEARCH } from './check-tools.ts';
import { highRisk, invalid } from './errors.ts';
import { openFormulaOutputs } from './formulas.ts';
import { findModel, type KimiModel } from './models.ts';
import { countPrompt } from './prompt.ts';
import type { KimiState } from './state.ts';
import { readThinking, type Thinking } from './thinking.ts';
import { readSearches } from './web-search.ts';

/** A request that was found good, with all that its answer needs. */
export interface ChatPlan {
  readonly model: KimiModel;
  readonly question: Question;
  readonly thinking: Thinking['mode'];
  readonly promptTokens: number;
  readonly capTokens: number;
  readonly cacheKey: string;
  /** What the cache compares: the tools of the request, then all messages with the tools they add. */
  readonly cacheText: string;
  readonly cacheTtlMs: number;
  readonly stops: readonly string[];
  readonly answers: number;
  readonly stream: 'no' | 'yes' | 'with usage';
  /** The text that the answer continues. */
  readonly prefix: string;
  readonly hasWebSearch: boolean;
  readonly flagged: boolean;
}

/** Checks a request as the vendor does and in its words; throws the refusal. */
export function planChat(json: unknown, account: Account, state: KimiState): ChatPlan {
  const { switches, files } = state;
  if (!isObject(json)) throw invalid('Invalid request: the body must be a JSON object');
  const model = findModel(json['model'], switches, state.plan);
  const thinking = readThinking(json, model, switches);
  checkSampling(json, model.family, thinking.mode);
  const names = checkTools(json, model, switches);
  const messages = checkMessages(json['messages'], {
    model,
    thinking: thinking.mode,
    switches,
    filePurpose: (id) => files.get(account.uid, id)?.purpose,
  });
  checkToolChoice(json['tool_choice'], names, model, thinking.mode, switches);
  checkFormat(json['response_format'], model);
  const hasWebSearch = names.has(WEB_SEARCH);
  if (
    hasWebSearch &&
    thinking.mode === 'on' &&
    (model.family === 'k2.5' || model.family === 'k2.6')
  )
    throw invalid(
      'Invalid request: builtin_function $web_search is incompatible with thinking enabled',
    );
  const prefix = readPrefix(messages, model);
  const question = openFormulaOutputs(
    readQuestion(withAddedTools(json, messages), (url) => files.find(account.uid, url)),
  );
  const flagged = question.messages.some((message) => message.text.includes('[[high risk]]'));
  if (flagged && switches.moderation === 'error') throw highRisk();
  const promptTokens =
    countPrompt(question, messages, thinking.keeps) +
    (hasWebSearch ? readSearches(question).tokens : 0);
  const streamOptions = json['stream_options'];
  return {
    model,
    question,
    thinking: thinking.mode,
    promptTokens,
    capTokens: readCap(json, model, promptTokens, switches),
    cacheKey: typeof json['prompt_cache_key'] === 'string' ? json['prompt_cache_key'] : '',
    cacheText: JSON.stringify([
      json['tools'] ?? [],
      question.messages.map((message, index) => [message, messages[index]?.['tools'] ?? []]),
    ]),
    cacheTtlMs: readCacheTtl(json['prompt_cache_options']),
    stops: readStops(json['stop']),
    answers: typeof json['n'] === 'number' ? json['n'] : 1,
    stream:
      json['stream'] !== true
        ? 'no'
        : isObject(streamOptions) && streamOptions['include_usage'] === true
          ? 'with usage'
          : 'yes',
    prefix,
    hasWebSearch,
    flagged,
  };
}

/** Tools that system messages bring along are tools of the request. */
function withAddedTools(body: Dictionary, messages: readonly Dictionary[]): Dictionary {
  const added = messages.flatMap((message) =>
    Array.isArray(message['tools']) ? message['tools'] : [],
  );
  if (added.length === 0) return body;
  const own: readonly unknown[] = Array.isArray(body['tools']) ? body['tools'] : [];
  return { ...body, tools: [...own, ...added] };
}

function readPrefix(messages: readonly Dictionary[], { family }: KimiModel): string {
  const last = messages.at(-1);
  if (last?.['role'] !== 'assistant' || last['partial'] !== true) return '';
  if (family === 'preview')
    throw invalid('Invalid request: partial mode is not supported by this model');
  const name = typeof last['name'] === 'string' ? last['name'] : '';
  return name + (typeof last['content'] === 'string' ? last['content'] : '');
}
