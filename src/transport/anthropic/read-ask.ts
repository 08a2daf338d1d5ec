import type { AskRequest } from '#core/ask.ts';
import { CallError } from '#core/call-error.ts';
import type { Sampling } from '#core/chat.ts';
import type { Wishes } from '../gateway/dialect.ts';
import {
  isAbsent,
  isFields,
  readFields,
  readList,
  readNumber,
  readText,
  refuse,
  type Fields,
} from './body-fields.ts';
import { readFormat } from './read-format.ts';
import { readMessages } from './read-messages.ts';
import { readOwnWishes } from './read-own-wishes.ts';
import { readSystem } from './read-system.ts';
import { readThinking, type ReadThinking } from './read-thinking.ts';
import { readTools, type ReadTools } from './read-tools.ts';

/** A request, and what has to be known of it to write its answer. */
export interface ReadAsk extends Pick<ReadTools, 'search' | 'fullName'> {
  readonly ask: AskRequest;
  readonly thoughts: ReadThinking['thoughts'];
}

const MAX_MODEL_CHARS = 200;
const NOTHING: Fields = {};

/** Reads what the requests for an answer and for its tokens have in common. Members that it does not know are left alone. */
export function readAsk(value: unknown, wishes: Wishes): ReadAsk {
  const body = readBody(value);
  if (!isAbsent(body['mcp_servers']) && readList(body['mcp_servers'], 'mcp_servers').length > 0) {
    const fix = 'Leave it out, and give what the servers have as tools.';
    throw refuse('mcp_servers', 'No MCP servers are called on behalf of a message.', fix);
  }
  const config = body['output_config'];
  const output = isAbsent(config) ? NOTHING : readFields(config, 'output_config');
  const { tools, choice, search, fullName } = readTools(body['tools'], body['tool_choice']);
  const { mode, thoughts } = readThinking(body['thinking'], output['effort']);
  const format =
    readFormat(output['format'], 'output_config.format') ??
    readFormat(body['output_format'], 'output_format');
  const system = readSystem(body['system'], 'system');
  const sampling = readSampling(body);
  const stop = readStops(body['stop_sequences']);
  const ask: AskRequest = {
    model: readModel(body['model']),
    ...(system !== undefined && { system }),
    messages: readMessages(body['messages']),
    search,
    lastResort: 'none',
    context: 'whole',
    ...(mode && { thinking: mode }),
    ...(tools.length > 0 && { tools }),
    ...(choice && { toolChoice: choice }),
    ...(format && { responseFormat: format }),
    ...(sampling && { sampling }),
    ...(stop && { stop }),
    ...readOwnWishes(body['exai']),
    ...wishes,
  };
  return { ask, search, fullName, thoughts };
}

export function readBody(value: unknown): Fields {
  if (isFields(value)) return value;
  throw new CallError('bad_request', 'The body is no object.', {
    field: 'body',
    fix: 'Send one JSON object.',
  });
}

function readModel(value: unknown): string {
  if (isAbsent(value) || value === '') return 'auto';
  const name = readText(value, 'model');
  if (name.length <= MAX_MODEL_CHARS) return name;
  throw refuse('model', `A name of a model has ${MAX_MODEL_CHARS} characters at most.`);
}

function readSampling(body: Fields): Sampling | undefined {
  const temperature = readNumber(body['temperature'], 'temperature', 0, 1);
  const topP = readNumber(body['top_p'], 'top_p', 0, 1);
  if (temperature === undefined && topP === undefined) return undefined;
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
  };
}

function readStops(value: unknown): readonly string[] | undefined {
  if (isAbsent(value)) return undefined;
  const stops = readList(value, 'stop_sequences').map((each, index) => {
    const field = `stop_sequences[${index}]`;
    const text = readText(each, field);
    if (text !== '') return text;
    throw refuse(field, 'An empty text ends every answer before it begins.', 'Leave it out.');
  });
  return stops.length === 0 ? undefined : stops;
}
