import { createBoundedMap } from '#core/bounded-map.ts';
import type { JsonObject } from '#core/json/json.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import type { Clock } from '#core/time/clock.ts';
import type { VendorError } from '../errors/vendor-error.ts';
import { withInstruction } from '../request/write-messages.ts';
import { asObject, asText } from '../response/json.ts';

/**
 * A quirk of a server: a field that it refuses, `response_format.json_schema` and
 * `response_format.json_object` for a format, or `reasoning.mandatory`.
 */
type ServerQuirk = string;

/**
 * Patterns of refused fields in messages. Short names need quotes or a colon, or ordinary text
 * would match.
 */
const NAMES: readonly (readonly [field: string, pattern: RegExp])[] = [
  ['max_completion_tokens', /\bmax_completion_tokens\b/],
  ['max_tokens', /\bmax_tokens\b/],
  ['temperature', /\btemperature\b/i],
  ['top_p', /\btop_?p\b/i],
  ['presence_penalty', /\bpresence_?penalty\b/i],
  ['frequency_penalty', /\bfrequency_?penalty\b/i],
  ['stream_options', /\bstream_options\b|\binclude_usage\b/],
  ['tool_choice', /\btool_choice\b/],
  [
    'response_format',
    /\bresponse_format\b|\bjson_schema\b|\bjson_object\b|\bstructured outputs?\b/i,
  ],
  [
    'reasoning_effort',
    /\breasoning_effort\b|\breasoning value\b|does not support (?:thinking|reasoning)/i,
  ],
  ['chat_template_kwargs', /\bchat_template_kwargs\b/],
  ['reasoning', /\breasoning\b/i],
  ['session_id', /\bsession_id\b/],
  ['seed', /["'`]seed["'`]|\bseed:/],
  ['stop', /["'`]stop["'`]|\bstop:/],
  ['user', /["'`]user["'`](?!\s{0,8}:)/],
];

const SWAPS: ReadonlyMap<string, string> = new Map([
  ['max_completion_tokens', 'max_tokens'],
  ['max_tokens', 'max_completion_tokens'],
]);

/** Phrases for a refused value of a known field. */
const VALUE_PHRASES =
  /too (?:large|small|big|high|low|long|short|many|few)|at (?:most|least)|(?:less|greater|more|smaller|larger|higher|lower|fewer)[ _]than|between|exceed|range|(?:in|un)valid[ _]value|unsupported[ _]value|not a valid|only the default|must be|should be|expected (?:a|an|one)\b|(?:maxim|minim)um|supported values|allowed values|[<>≤≥]=?/i;

/** OpenRouter refuses the effort `none` for a model that always thinks, and no other effort. */
const MANDATORY = 'reasoning.mandatory';
const MANDATORY_PHRASES = /\breasoning is (?:mandatory|required)|\breasoning cannot be disabled/i;
const LOWEST_EFFORT = 'low';

interface Refused {
  readonly quirk: ServerQuirk;
  /** A refused value says nothing about other values, so only unknown fields become quirks. */
  readonly is: 'unknown_field' | 'bad_value';
}

/**
 * The field of the request that a refusal names; nothing when there is none that could be left out.
 */
export function refusedFieldOf(error: VendorError, body: JsonObject): Refused | undefined {
  if (error.status !== 400 && error.status !== 422) return undefined;
  const message = messageOf(error);
  const field = namedField(error, message, body);
  if (field === undefined) return undefined;
  if (field === 'reasoning' && isOff(body) && MANDATORY_PHRASES.test(message))
    return { quirk: MANDATORY, is: 'unknown_field' };
  const text = `${error.code} ${error.type} ${message}`;
  const is = VALUE_PHRASES.test(text) ? 'bad_value' : 'unknown_field';
  if (field !== 'response_format') return { quirk: field, is };
  const type = asText(asObject(body['response_format'])?.['type']);
  return type === undefined ? undefined : { quirk: `response_format.${type}`, is };
}

function isOff(body: JsonObject): boolean {
  return asObject(body['reasoning'])?.['effort'] === 'none';
}

/** The quirk that a refusal reveals, if any. */
export function quirkOf(error: VendorError, body: JsonObject): ServerQuirk | undefined {
  const refused = refusedFieldOf(error, body);
  return refused?.is === 'unknown_field' ? refused.quirk : undefined;
}

const MAX_CHARS = 2_000;

function messageOf({ body: errorBody, message }: VendorError): string {
  if (message !== '') return message.slice(0, MAX_CHARS);
  try {
    return JSON.stringify(errorBody).slice(0, MAX_CHARS);
  } catch {
    // Nested too deeply for `JSON.stringify`.
    return '';
  }
}

function namedField(
  { body: errorBody }: VendorError,
  message: string,
  body: JsonObject,
): string | undefined {
  const [param = ''] = (asText(errorBody['param']) ?? '').split('.', 1);
  if (NAMES.some(([field]) => field === param) && param in body) return param;
  let found: { readonly field: string; readonly at: number } | undefined;
  for (const [field, pattern] of NAMES) {
    if (!(field in body)) continue;
    const at = message.search(pattern);
    if (at !== -1 && (!found || at < found.at)) found = { field, at };
  }
  return found?.field;
}

/** The body without a refused value; a format is replaced by a weaker one. */
export function withoutRefusedValue(
  body: JsonObject,
  quirk: ServerQuirk,
  context: QuirkContext,
): JsonObject {
  if (quirk.startsWith('response_format.')) return applyQuirk(body, quirk, context);
  const { [quirk]: _, ...rest } = body;
  return rest;
}

interface QuirkContext {
  /** All known quirks, so that a replacement is not reverted. */
  readonly known: readonly ServerQuirk[];
  /** Added to the prompt when the format is no longer enforced. */
  readonly formatInstruction: string | undefined;
}

/** Adapts a body to a quirk. */
export function applyQuirk(
  body: JsonObject,
  quirk: ServerQuirk,
  { known, formatInstruction }: QuirkContext,
): JsonObject {
  if (quirk.startsWith('response_format.')) {
    const type = asText(asObject(body['response_format'])?.['type']);
    if (quirk !== `response_format.${type}`) return body;
    const { response_format: _, ...rest } = body;
    const weaker =
      type === 'json_schema' && !known.includes('response_format.json_object')
        ? { ...rest, response_format: { type: 'json_object' } }
        : rest;
    return formatInstruction === undefined ? weaker : withInstruction(weaker, formatInstruction);
  }
  if (quirk === MANDATORY)
    return isOff(body) ? { ...body, reasoning: { effort: LOWEST_EFFORT } } : body;
  if (!(quirk in body)) return body;
  const { [quirk]: value, ...rest } = body;
  const other = SWAPS.get(quirk);
  if (other === undefined || known.includes(other) || value === undefined) return rest;
  return { ...rest, [other]: value };
}

/** The notice about a dropped value. */
export function refusedValueNotice(quirk: ServerQuirk, title: string): Notice {
  return formatOf(quirk) === undefined
    ? notice('parameter_refused', { model: title, parameter: quirk, refused: 'value' })
    : quirkNotice(quirk, title, 'now');
}

/** The notice about a quirk: at first that the request was sent again, later what was left out. */
export function quirkNotice(quirk: ServerQuirk, title: string, when: 'now' | 'later'): Notice {
  if (quirk === MANDATORY)
    return notice('thinking_stays_on', { model: title, effort: LOWEST_EFFORT });
  const about = { model: title, sent: when === 'now' ? 'again' : 'first' } as const;
  const format = formatOf(quirk);
  if (format !== undefined) return notice('format_in_prompt', { ...about, format });
  const replacement = SWAPS.get(quirk);
  if (replacement !== undefined)
    return notice('parameter_replaced', { ...about, parameter: quirk, replacement });
  return when === 'now'
    ? notice('parameter_refused', { model: title, parameter: quirk, refused: 'parameter' })
    : notice('parameter_dropped', { model: title, parameters: [quirk], reason: 'unsupported' });
}

/** The format of a quirk. */
function formatOf(quirk: ServerQuirk): 'json_schema' | 'json_object' | undefined {
  const [field, type] = quirk.split('.');
  if (field !== 'response_format' || type === undefined) return undefined;
  return type === 'json_schema' ? 'json_schema' : 'json_object';
}

/** Whether a quirk needs no notice, because nothing that the caller requested is missing. */
export function isInvisibleToCaller(quirk: ServerQuirk): boolean {
  return SWAPS.has(quirk) || quirk === 'stream_options' || quirk === 'session_id';
}

/**
 * Quirks that were learned from refusals, by model. They expire, because a server may be wrong or
 * change.
 */
export interface LearnedQuirks {
  quirksOf(model: string): readonly ServerQuirk[];
  learn(model: string, quirk: ServerQuirk): void;
  /** Forgets the quirks of all models, for example after a new listing. */
  forget(): void;
  /** The context window that a refusal named. */
  window(model: string): number | undefined;
  /** Ignored unless plausible, see `isPlausible`. */
  learnWindow(model: string, refusal: RefusedPrompt): void;
}

/** A refusal of a prompt that is too long. */
interface RefusedPrompt {
  /** The context window that it named. */
  readonly tokens: number;
  /** The context window that was assumed before. */
  readonly knownTokens: number;
  /** Estimated tokens of the prompt plus the output limit. */
  readonly askedTokens: number;
}

const MAX_MODELS = 256;
const MAX_QUIRKS = 32;
const EXPIRY_MS = 600_000;

/** No usable server has a smaller context window. */
const LEAST_TOKENS = 512;
/**
 * Local servers run models of a million tokens with a context window of four thousand, but not
 * less.
 */
const LEAST_SHARE = 1 / 256;
/** Tolerance of our token estimate. */
const COUNTED_SHARE = 0.5;

interface Known {
  readonly quirks: readonly { readonly quirk: ServerQuirk; readonly at: number }[];
  readonly window?: { readonly tokens: number; readonly at: number };
}

const NOTHING: Known = { quirks: [] };

export function createLearnedQuirks(clock: Pick<Clock, 'monotonic'>): LearnedQuirks {
  const known = createBoundedMap<string, Known>({ maxEntries: MAX_MODELS });
  const isFresh = ({ at }: { readonly at: number }) => clock.monotonic() - at < EXPIRY_MS;

  function get(model: string): Known {
    const all = known.get(model);
    if (!all) return NOTHING;
    const { window } = all;
    return { quirks: all.quirks.filter(isFresh), ...(window && isFresh(window) && { window }) };
  }

  return {
    quirksOf: (model) => get(model).quirks.map(({ quirk }) => quirk),
    learn(model, quirk) {
      const before = get(model);
      if (before.quirks.some((each) => each.quirk === quirk)) return;
      if (before.quirks.length >= MAX_QUIRKS) return;
      const quirks = [...before.quirks, { quirk, at: clock.monotonic() }];
      known.set(model, { ...before, quirks });
    },
    forget: () => known.clear(),
    window: (model) => get(model).window?.tokens,
    learnWindow(model, refusal) {
      if (!isPlausible(refusal)) return;
      known.set(model, {
        ...get(model),
        window: { tokens: refusal.tokens, at: clock.monotonic() },
      });
    },
  };
}

/** Whether the window has a usable size and the refused prompt does not fit into it. */
function isPlausible({ tokens, knownTokens, askedTokens }: RefusedPrompt): boolean {
  const least = Math.max(LEAST_TOKENS, knownTokens * LEAST_SHARE);
  return tokens >= least && askedTokens >= tokens * COUNTED_SHARE;
}
