import { readQuestion, type Question } from '../answer.ts';
import { isObject, type Dictionary } from '../is-object.ts';
import { breakCalls } from '../openai/calls.ts';
import { answerInWay, faultyWay, withoutConstraints, type FormatWay } from '../openai/ignored.ts';
import { countPrompt } from '../openai/prompt.ts';
import type { PrefixCache } from '../openai/prefix-cache.ts';
import {
  breakOff,
  onlyThoughts,
  fitToBudget,
  type BudgetedAnswer,
} from '../openai/budgeted-answer.ts';
import type { Fault } from '../vendor.ts';
import { thinks, type CheckedChat } from './check-chat.ts';
import { decodeImage } from './check-image.ts';
import type { GlmError } from './errors.ts';
import { isVisionLine, type GlmModel } from './models.ts';
import { asMessage, searchByTool, type ToolSearch } from './search-tool.ts';
import type { GlmSwitches } from './switches.ts';
import { withSeenThoughts } from './thoughts.ts';

/** An answer that is ready to be said, whole or in pieces. */
export interface Prepared {
  readonly id: string;
  readonly requestId: string;
  readonly created: number;
  readonly model: GlmModel;
  readonly body: Dictionary;
  readonly said: BudgetedAnswer;
  readonly usage: object;
  readonly search: ToolSearch | undefined;
  readonly filter: readonly object[] | undefined;
  readonly fault: Fault | undefined;
}

export interface ChatOccasion {
  readonly id: string;
  readonly keyId: string;
  readonly nowMs: number;
  readonly fault: Fault | undefined;
  readonly switches: GlmSwitches;
  readonly cache: PrefixCache;
}

/** Of a prefix that is cached; measured as roughly this. */
export const CACHED_TOKENS = 500;

const BREAKS: readonly string[] = ['sensitive', 'network_error', 'model_context_window_exceeded'];

export function prepareChat(
  checked: CheckedChat,
  occasion: ChatOccasion,
): Prepared | { readonly error: GlmError } {
  const { body, model, messages } = checked;
  const { fault, switches, nowMs, id } = occasion;
  const search = searchByTool(body, lastWords(messages), switches, nowMs);
  const found = search?.found ?? [];
  const seen = found.length === 0 ? messages : [asMessage(found), ...messages];
  const prompt = countPrompt(withSeenThoughts(seen, body, model), body['tools']).total;
  if (prompt >= model.contextTokens) return { error: { code: '1261' } };
  const room = model.contextTokens - prompt;
  const wanted = typeof body['max_tokens'] === 'number' ? body['max_tokens'] : model.maxTokens;
  const answer = answerInWay(
    questionOf({ ...body, messages: seen }, model, fault),
    formatWay(body, switches, fault),
  );
  const spoken =
    search?.did === 'skip' && answer.text !== ''
      ? { ...answer, text: `I searched the web. ${answer.text}` }
      : answer;
  const reasoning =
    body['reasoning_effort'] === 'low' && model.effort === 'strict'
      ? firstSentence(spoken.reasoning)
      : spoken.reasoning;
  const said = fitToBudget(
    { ...spoken, reasoning },
    {
      thinks: thinks(body, model) && !decidesAgainst(model, switches, lastWords(messages)),
      maxTokens: Math.min(wanted, room),
      stop: Array.isArray(body['stop']) ? (body['stop'] as string[]) : [],
      cutFinish: room < wanted ? 'model_context_window_exceeded' : 'length',
    },
  );
  const faulty = befall(said, reasoning, fault);
  const cached =
    prompt < CACHED_TOKENS
      ? 0
      : occasion.cache.visit(
          occasion.keyId,
          JSON.stringify([model.id, body['tools'] ?? null, messages]),
        );
  return {
    id,
    requestId: typeof body['request_id'] === 'string' ? body['request_id'] : id,
    created: Math.floor(nowMs / 1_000),
    model,
    body,
    said: boxed(faulty, model, switches),
    usage: {
      prompt_tokens: prompt,
      completion_tokens: faulty.outputTokens,
      total_tokens: prompt + faulty.outputTokens,
      prompt_tokens_details: { cached_tokens: Math.min(cached, prompt) },
      completion_tokens_details: { reasoning_tokens: faulty.reasoningTokens },
    },
    search,
    filter: faulty.finish === 'sensitive' ? [{ role: 'assistant', level: 1 }] : undefined,
    fault,
  };
}

/**
 * Forcing is mostly not real here, and models for pictures know neither formats nor, but for one
 * line, tools.
 */
function questionOf(body: Dictionary, model: GlmModel, fault: Fault | undefined): Question {
  const question = readQuestion(body, (url) => {
    const picture = url.startsWith('http') ? undefined : decodeImage(url);
    return picture === undefined
      ? undefined
      : { type: picture.type ?? 'image', data: picture.data };
  });
  if (fault?.id === 'F21') return withoutConstraints(question);
  const { toolChoice } = question;
  const isObeyed =
    model.id === 'glm-4.5-air' || (toolChoice === 'none' && model.id !== 'glm-5.3-flash');
  const line = isVisionLine(model);
  return {
    ...question,
    toolChoice: isObeyed ? toolChoice : 'auto',
    tools: line && !model.id.startsWith('glm-4.6v') ? [] : question.tools,
    format: line ? 'text' : question.format,
  };
}

function formatWay(body: Dictionary, switches: GlmSwitches, fault: Fault | undefined): FormatWay {
  const byFault = faultyWay(fault);
  if (byFault !== undefined) return byFault;
  const format = body['response_format'];
  return isObject(format) && format['type'] === 'json_schema' ? switches.jsonSchema : 'obeyed';
}

function befall(said: BudgetedAnswer, reasoning: string, fault: Fault | undefined): BudgetedAnswer {
  if (fault?.id === 'F13') return onlyThoughts(said, reasoning);
  const kind = fault?.id.startsWith('F11.') === true ? fault.id.slice(4) : '';
  if (BREAKS.includes(kind)) return breakOff(said, kind, fault?.after);
  return breakCalls(said, fault);
}

function boxed(said: BudgetedAnswer, model: GlmModel, { boxes }: GlmSwitches): BudgetedAnswer {
  if (boxes !== model.id || said.text === '' || said.finish !== 'stop') return said;
  return { ...said, text: `<|begin_of_box|>${said.text}<|end_of_box|>` };
}

const EASY_WORDS = 12;

/** The 4.5 and 4.6 lines may find that a question needs no thought. */
const decidesAgainst = (model: GlmModel, switches: GlmSwitches, question: string): boolean =>
  switches.thinkingWhen === 'needed' &&
  /^glm-4\.[56](-|$)/.test(model.id) &&
  question.trim().split(/\s+/).length <= EASY_WORDS;

const firstSentence = (text: string): string => /^[^.]*\./.exec(text)?.[0] ?? text;

function lastWords(messages: readonly Dictionary[]): string {
  const content = messages.findLast((message) => message['role'] === 'user')?.['content'];
  if (typeof content === 'string') return content;
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  return parts
    .map((part) => (isObject(part) && typeof part['text'] === 'string' ? part['text'] : ''))
    .join(' ');
}
