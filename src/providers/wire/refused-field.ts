import type { JsonObject } from '#core/json.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { asObject, asText } from './json-read.ts';
import type { VendorError } from './read-error.ts';
import { withInstruction } from './instruction.ts';

/**
 * What was learned from a refusal: the name of a field that this server does not take, or `response_format.json_schema` and
 * `response_format.json_object` for the kind of format.
 */
export type Lesson = string;

/** Words by which servers name what they refuse. Short names must stand in quotes or before a colon, or prose would match. */
const NAMES: readonly (readonly [field: string, words: RegExp])[] = [
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

/** What servers say of a value that they do not take in a field that they know. */
const VALUE_WORDS =
  /too (?:large|small|big|high|low|long|short|many|few)|at (?:most|least)|(?:less|greater|more|smaller|larger|higher|lower|fewer)[ _]than|between|exceed|range|(?:in|un)valid[ _]value|unsupported[ _]value|not a valid|only the default|must be|should be|expected (?:a|an|one)\b|(?:maxim|minim)um|supported values|allowed values|[<>≤≥]=?/i;

export interface Refused {
  readonly lesson: Lesson;
  /** A value that is refused says nothing about other values: only a field that is not known is left out from now on. */
  readonly is: 'unknown_field' | 'bad_value';
}

/** Which field of the request a refusal is about; nothing when it names none that could be left out. */
export function refusedOf(error: VendorError, body: JsonObject): Refused | undefined {
  if (error.status !== 400 && error.status !== 422) return undefined;
  const words = wordsOf(error);
  const field = namedField(error, words, body);
  if (field === undefined) return undefined;
  const said = `${error.code} ${error.type} ${words}`;
  const is = VALUE_WORDS.test(said) ? 'bad_value' : 'unknown_field';
  if (field !== 'response_format') return { lesson: field, is };
  const type = asText(asObject(body['response_format'])?.['type']);
  return type === undefined ? undefined : { lesson: `response_format.${type}`, is };
}

/** The lesson of a refusal, where there is one for later requests, too. */
export function lessonOf(error: VendorError, body: JsonObject): Lesson | undefined {
  const refused = refusedOf(error, body);
  return refused?.is === 'unknown_field' ? refused.lesson : undefined;
}

const MAX_CHARS = 2_000;

function wordsOf({ body: said, message }: VendorError): string {
  if (message !== '') return message.slice(0, MAX_CHARS);
  try {
    return JSON.stringify(said).slice(0, MAX_CHARS);
  } catch {
    // Nested so deeply that the engine gives up.
    return '';
  }
}

function namedField(
  { body: said }: VendorError,
  words: string,
  body: JsonObject,
): string | undefined {
  const [param = ''] = (asText(said['param']) ?? '').split('.', 1);
  if (NAMES.some(([field]) => field === param) && param in body) return param;
  let found: { readonly field: string; readonly at: number } | undefined;
  for (const [field, pattern] of NAMES) {
    if (!(field in body)) continue;
    const at = words.search(pattern);
    if (at !== -1 && (!found || at < found.at)) found = { field, at };
  }
  return found?.field;
}

/** The body without a value that was refused; of a format its weaker kind. */
export function withoutValue(body: JsonObject, lesson: Lesson, context: LessonContext): JsonObject {
  if (lesson.startsWith('response_format.')) return applyLesson(body, lesson, context);
  const { [lesson]: _, ...rest } = body;
  return rest;
}

export interface LessonContext {
  /** Everything known so far: a swap is not swapped back. */
  readonly known: readonly Lesson[];
  /** Said in words when the format is no longer enforced. */
  readonly formatInstruction: string | undefined;
}

/** The body as it is sent to a server of which this was learned. */
export function applyLesson(
  body: JsonObject,
  lesson: Lesson,
  { known, formatInstruction }: LessonContext,
): JsonObject {
  if (lesson.startsWith('response_format.')) {
    const type = asText(asObject(body['response_format'])?.['type']);
    if (lesson !== `response_format.${type}`) return body;
    const { response_format: _, ...rest } = body;
    const weaker =
      type === 'json_schema' && !known.includes('response_format.json_object')
        ? { ...rest, response_format: { type: 'json_object' } }
        : rest;
    return formatInstruction === undefined ? weaker : withInstruction(weaker, formatInstruction);
  }
  if (!(lesson in body)) return body;
  const { [lesson]: value, ...rest } = body;
  const other = SWAPS.get(lesson);
  if (other === undefined || known.includes(other) || value === undefined) return rest;
  return { ...rest, [other]: value };
}

/** What the caller is told of a value that was left out. */
export function valueNotice(lesson: Lesson, title: string): Notice {
  return formatOf(lesson) === undefined
    ? notice('parameter_refused', { model: title, parameter: lesson, refused: 'value' })
    : lessonNotice(lesson, title, 'now');
}

/** What the caller is told: the first time that it was asked again, later what is missing. */
export function lessonNotice(lesson: Lesson, title: string, when: 'now' | 'later'): Notice {
  const about = { model: title, sent: when === 'now' ? 'again' : 'first' } as const;
  const format = formatOf(lesson);
  if (format !== undefined) return notice('format_in_prompt', { ...about, format });
  const replacement = SWAPS.get(lesson);
  if (replacement !== undefined)
    return notice('parameter_replaced', { ...about, parameter: lesson, replacement });
  return when === 'now'
    ? notice('parameter_refused', { model: title, parameter: lesson, refused: 'parameter' })
    : notice('parameter_dropped', { model: title, parameters: [lesson], reason: 'unsupported' });
}

/** The kind of format that a lesson is about. */
function formatOf(lesson: Lesson): 'json_schema' | 'json_object' | undefined {
  const [, type] = lesson.split('.');
  if (type === undefined) return undefined;
  return type === 'json_schema' ? 'json_schema' : 'json_object';
}

/** Of whose absence the caller need not hear every time: nothing that was wished for is missing. */
export function isTechnical(lesson: Lesson): boolean {
  return SWAPS.has(lesson) || lesson === 'stream_options' || lesson === 'session_id';
}
