import type { IncomingHttpHeaders } from 'node:http';
import type { CallError } from '#core/errors/call-error.ts';
import type { AskRequest } from '#core/llm/ask.ts';
import { toMicroUsd } from '#core/text/money.ts';
import { nearest, oneLine } from '#core/text/text.ts';
import {
  fieldError,
  fieldProblem,
  isAbsent,
  readBoolean,
  readChoice,
  readObject,
} from './fields.ts';

/**
 * Options of EX-AI for a request, from the `x-exai-*` headers or the `exai` object of the body.
 * Headers take precedence.
 */
export type GatewayRequestOptions = Pick<
  AskRequest,
  'fallback' | 'onInterruption' | 'prefer' | 'maxCostMicroUsd' | 'toolCallDelivery'
>;

/** One `T` for each option. */
interface PerOption<T> {
  readonly resume: T;
  readonly fallback: T;
  readonly prefer: T;
  readonly maxCostUsd: T;
  readonly streamTools: T;
}

const FALLBACKS = ['chain', 'none'] as const;
const PREFERENCES = ['speed', 'cost'] as const;

/**
 * Parses the values of options; `names` are their names in headers or body, for errors. Throws
 * `validation`.
 */
function parseOptions(values: PerOption<unknown>, names: PerOption<string>): GatewayRequestOptions {
  const resume = readBoolean(values.resume, names.resume);
  const fallback = readChoice(values.fallback, names.fallback, FALLBACKS);
  const prefer = readChoice(values.prefer, names.prefer, PREFERENCES);
  const maxCostMicroUsd = readMicroUsd(values.maxCostUsd, names.maxCostUsd);
  const streamTools = readBoolean(values.streamTools, names.streamTools);
  return {
    ...(resume !== undefined && { onInterruption: resume ? 'continue' : 'fail' }),
    ...(fallback && { fallback }),
    ...(prefer && { prefer }),
    ...(maxCostMicroUsd !== undefined && { maxCostMicroUsd }),
    ...(streamTools !== undefined && { toolCallDelivery: streamTools ? 'stream' : 'whole' }),
  };
}

function readMicroUsd(value: unknown, field: string): number | undefined {
  if (isAbsent(value)) return undefined;
  const microUsd = typeof value === 'number' && value >= 0 ? toMicroUsd(value) : Number.NaN;
  if (Number.isSafeInteger(microUsd)) return microUsd;
  throw fieldProblem(field, 'must be an amount of dollars', 'Send it like 0.01.');
}

const NO_OPTIONS: GatewayRequestOptions = {};
const MAX_NAME_CHARS = 60;
const HEADERS: PerOption<string> = {
  resume: 'x-exai-continue',
  fallback: 'x-exai-fallback',
  prefer: 'x-exai-prefer',
  maxCostUsd: 'x-exai-max-cost-usd',
  streamTools: 'x-exai-stream-tools',
};

const KNOWN_HEADERS: ReadonlySet<string> = new Set(Object.values(HEADERS));
const HEADER_PREFIX = 'x-exai-';

/** Reads the `x-exai-*` headers. Throws `validation` for an unknown header or value. */
export function readHeaderOptions(headers: IncomingHttpHeaders): GatewayRequestOptions {
  for (const name in headers) {
    // A misspelt cost limit must not be ignored.
    if (name.startsWith(HEADER_PREFIX) && !KNOWN_HEADERS.has(name)) throw unknownOption(name);
  }
  const resume = headers[HEADERS.resume];
  const fallback = headers[HEADERS.fallback];
  const prefer = headers[HEADERS.prefer];
  const cost = headers[HEADERS.maxCostUsd];
  const streamTools = headers[HEADERS.streamTools];
  // The common case: no options.
  const first = resume ?? fallback ?? prefer ?? cost ?? streamTools;
  if (first === undefined) return NO_OPTIONS;
  return parseOptions(
    {
      resume: toBoolean(resume),
      fallback,
      prefer,
      maxCostUsd: toAmount(cost),
      streamTools: toBoolean(streamTools),
    },
    HEADERS,
  );
}

function unknownOption(name: string): CallError {
  const field = oneLine(name, MAX_NAME_CHARS);
  const suggestion = nearest(name, KNOWN_HEADERS);
  const fix =
    suggestion === undefined
      ? `There are ${[...KNOWN_HEADERS].join(', ')}.`
      : `Did you mean ${suggestion}?`;
  return fieldError(field, `There is no header field ${field}.`, fix);
}

/** Converts a header to a boolean; other texts stay, and are rejected by the parser. */
function toBoolean(value: unknown): unknown {
  if (value === 'true') return true;
  return value === 'false' ? false : value;
}

/** Converts a header to a number; only plain decimals, as `Number` accepts more. */
function toAmount(value: unknown): unknown {
  return typeof value === 'string' && /^\d{1,12}(?:\.\d{1,12})?$/.test(value)
    ? Number(value)
    : value;
}

const BODY_FIELDS: PerOption<string> = {
  resume: 'exai.continue',
  fallback: 'exai.fallback',
  prefer: 'exai.prefer',
  maxCostUsd: 'exai.max_cost_usd',
  streamTools: 'exai.stream_tools',
};
const BODY_MEMBERS: readonly string[] = [
  'continue',
  'fallback',
  'prefer',
  'max_cost_usd',
  'stream_tools',
];

/** Reads the `exai` object of a body: the same options for clients that cannot set headers. */
export function readBodyOptions(value: unknown): GatewayRequestOptions {
  if (isAbsent(value)) return NO_OPTIONS;
  const own = readObject(value, 'exai');
  for (const name of Object.keys(own)) {
    if (BODY_MEMBERS.includes(name)) continue;
    // A misspelt cost limit must not be ignored.
    const fix = `Send ${BODY_MEMBERS.join(', ')} alone.`;
    throw fieldError(`exai.${oneLine(name, 40)}`, 'Unknown option.', fix);
  }
  const { continue: resume, fallback, prefer } = own;
  const { max_cost_usd: maxCostUsd, stream_tools: streamTools } = own;
  return parseOptions({ resume, fallback, prefer, maxCostUsd, streamTools }, BODY_FIELDS);
}
