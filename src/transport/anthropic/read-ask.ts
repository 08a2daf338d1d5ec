import type { AskRequest } from '#core/ask.ts';
import type { Sampling } from '#core/chat.ts';
import type { Wishes } from '../gateway/dialect.ts';
import type { Draft } from '#core/draft.ts';
import {
  fieldError,
  isAbsent,
  readList,
  readNumber,
  readObject,
  readText,
  type Fields,
} from '../gateway/fields.ts';
import { readModel } from '../gateway/read-model.ts';
import { readOwnWishes } from '../gateway/read-own-wishes.ts';
import type { AnswerStyle } from './answer-style.ts';
import { readFormat } from './read-format.ts';
import { readMessages } from './read-messages.ts';
import { readSystem } from './read-system.ts';
import { readThinking } from './read-thinking.ts';
import { readTools } from './read-tools.ts';

/** A request, which its reader may add to, and what has to be known of it to write its answer. */
export interface ReadAsk {
  readonly ask: Draft<AskRequest>;
  readonly style: AnswerStyle;
}

const NOTHING: Fields = {};

/** Reads what the requests for an answer and for its tokens have in common. Members that it does not know are left alone. */
export function readAsk(body: Fields, wishes: Wishes): ReadAsk {
  refuseServers(body['mcp_servers']);
  const config = body['output_config'];
  const output = isAbsent(config) ? NOTHING : readObject(config, 'output_config');
  const { tools, choice, search, fullName } = readTools(body['tools'], body['tool_choice']);
  const { mode, thoughts } = readThinking(body['thinking'], output['effort']);
  const responseFormat =
    readFormat(output['format'], 'output_config.format') ??
    readFormat(body['output_format'], 'output_format');
  const system = readSystem(body['system'], 'system');
  const sampling = readSampling(body);
  const stop = readStops(body['stop_sequences']);
  const ask: Draft<AskRequest> = {
    model: readModel(body['model']),
    messages: readMessages(body['messages']),
    search,
    // An app that asks for an answer takes a quotation for one, and a shortened prompt for its own.
    lastResort: 'none',
    context: 'whole',
  };
  if (system !== undefined) ask.system = system;
  if (mode) ask.thinking = mode;
  if (tools.length > 0) ask.tools = tools;
  if (choice !== undefined) ask.toolChoice = choice;
  if (responseFormat) ask.responseFormat = responseFormat;
  if (sampling) ask.sampling = sampling;
  if (stop) ask.stop = stop;
  Object.assign(ask, readOwnWishes(body['exai']), wishes);
  return { ask, style: { search, fullName, thoughts } };
}

function refuseServers(value: unknown): void {
  if (isAbsent(value) || readList(value, 'mcp_servers').length === 0) return;
  const fix = 'Leave it out, and give what the servers have as tools.';
  throw fieldError('mcp_servers', 'No MCP servers are called on behalf of a message.', fix);
}

/** Nothing where nothing is wished for. */
function readSampling(body: Fields): Sampling | undefined {
  const temperature = readNumber(body['temperature'], 'temperature', 0, 1);
  const topP = readNumber(body['top_p'], 'top_p', 0, 1);
  if (temperature === undefined && topP === undefined) return undefined;
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
  };
}

/** Nothing where nothing ends the answer early. */
function readStops(value: unknown): readonly string[] | undefined {
  if (isAbsent(value)) return undefined;
  const stops = readList(value, 'stop_sequences').map((each, index) => {
    const field = `stop_sequences[${index}]`;
    const text = readText(each, field);
    if (text !== '') return text;
    throw fieldError(field, 'An empty text ends every answer before it begins.', 'Leave it out.');
  });
  return stops.length === 0 ? undefined : stops;
}
