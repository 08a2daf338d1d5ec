import type { AskRequest } from '#core/ask.ts';
import type { ChatOrder, Wishes } from '../gateway/dialect.ts';
import type { Draft } from '#core/draft.ts';
import {
  fieldError,
  isAbsent,
  isObject,
  readBody,
  readInteger,
  readObject,
  readSwitch,
} from '../gateway/fields.ts';
import { readEffort, type EffortWord } from '../gateway/read-effort.ts';
import { readModel } from '../gateway/read-model.ts';
import { readOwnWishes } from '../gateway/read-own-wishes.ts';
import { readMaxTokens, readSampling, readStops } from './read-figures.ts';
import { readFormat } from './read-format.ts';
import { readMessages } from './read-messages.ts';
import { readTools } from './read-tools.ts';
import { refuseUnmet } from './refuse-unmet.ts';
import { createStreamWriter } from './stream-writer.ts';
import { writeWhole } from './write-whole.ts';

const MAX_CHOICES = 8;
const EFFORTS: readonly EffortWord[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/** The body of `POST /v1/chat/completions`. */
export function readChat(value: unknown, wishes: Wishes): ChatOrder {
  const body = readBody(value, '{"model": "auto", "messages": […]}');
  refuseUnmet(body);
  const delivery = readSwitch(body['stream'], 'stream') ? 'stream' : 'whole';
  const given = readTools(body);
  readSwitch(body['parallel_tool_calls'], 'parallel_tool_calls');
  const ask: Draft<AskRequest> = {
    model: readModel(body['model']),
    messages: readMessages(body['messages']),
    search: wantsSearch(body['web_search_options']) ? 'on' : 'off',
    // An app that asks for an answer takes a quotation for one, and a shortened prompt for its own.
    lastResort: 'none',
    context: 'whole',
    delivery,
  };
  const thinking = readEffort(body['reasoning_effort'], 'reasoning_effort', EFFORTS);
  const responseFormat = readFormat(body['response_format']);
  const sampling = readSampling(body);
  const stop = readStops(body['stop']);
  const maxOutputTokens = readMaxTokens(body);
  if (given.tools) ask.tools = given.tools;
  if (given.choice !== undefined) ask.toolChoice = given.choice;
  if (thinking) ask.thinking = thinking;
  if (responseFormat) ask.responseFormat = responseFormat;
  if (sampling) ask.sampling = sampling;
  if (stop) ask.stop = stop;
  if (maxOutputTokens !== undefined) ask.maxOutputTokens = maxOutputTokens;
  Object.assign(ask, readOwnWishes(body['exai']), wishes);

  const choices = readInteger(body['n'], 'n', 1, MAX_CHOICES) ?? 1;
  const usage = tellsUsage(body['stream_options']) ? 'told' : 'untold';
  const { style } = given;
  return {
    chat: { ask, choices },
    delivery,
    whole: (finished) => writeWhole(finished, style),
    stream: () => createStreamWriter({ choices, usage, style }),
  };
}

function wantsSearch(given: unknown): boolean {
  if (isAbsent(given)) return false;
  if (isObject(given)) return true;
  const message = 'web_search_options must be an object.';
  throw fieldError('web_search_options', message, 'Send {} to search, or leave it out.');
}

function tellsUsage(given: unknown): boolean {
  if (isAbsent(given)) return false;
  const { include_usage: included } = readObject(given, 'stream_options');
  return readSwitch(included, 'stream_options.include_usage') === true;
}
