import type { JsonObject } from '#core/json.ts';
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
  ['user', /["'`]user["'`](?!\s*:)/],
];

const SWAPS: ReadonlyMap<string, string> = new Map([
  ['max_completion_tokens', 'max_tokens'],
  ['max_tokens', 'max_completion_tokens'],
]);

/** Which field of the request a refusal is about; nothing when it names none that could be left out. */
export function lessonOf(error: VendorError, body: JsonObject): Lesson | undefined {
  if (error.status !== 400 && error.status !== 422) return undefined;
  const field = namedField(error, body);
  if (field !== 'response_format') return field;
  const type = asText(asObject(body['response_format'])?.['type']);
  return type === undefined ? undefined : `response_format.${type}`;
}

function namedField({ body: said, message }: VendorError, body: JsonObject): string | undefined {
  const [param] = (asText(said['param']) ?? '').split('.');
  if (param !== undefined && NAMES.some(([field]) => field === param) && param in body)
    return param;
  const words = message === '' ? JSON.stringify(said).slice(0, 2_000) : message.slice(0, 2_000);
  // A limit that is too high is another matter than one that is not known.
  const isAboutValue =
    /too (?:large|small|big)|at (?:most|least)|less than|greater than|exceed|range/i.test(words);
  let found: { readonly field: string; readonly at: number } | undefined;
  for (const [field, pattern] of NAMES) {
    if (!(field in body) || (isAboutValue && SWAPS.has(field))) continue;
    const at = words.search(pattern);
    if (at !== -1 && (!found || at < found.at)) found = { field, at };
  }
  return found?.field;
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

/** What the caller is told: the first time that it was asked again, later what is missing. */
export function lessonNotice(lesson: Lesson, title: string, when: 'now' | 'later'): string {
  const [field = lesson, type] = lesson.split('.');
  const again = when === 'now' ? '; asked again' : '';
  if (type !== undefined) {
    const less = type === 'json_schema' ? 'a JSON schema' : 'a JSON format';
    return `${title} does not take ${less}${again || '; asked'} with the format said in words.`;
  }
  const other = SWAPS.get(field);
  if (other !== undefined)
    return `${title} does not take ${field}${again || '; asked'} with ${other}.`;
  return `${title} does not take ${field}${again ? `${again} without it` : '; it was left out'}.`;
}

/** Of whose absence the caller need not hear every time: nothing that was wished for is missing. */
export function isTechnical(lesson: Lesson): boolean {
  return SWAPS.has(lesson) || lesson === 'stream_options' || lesson === 'session_id';
}
