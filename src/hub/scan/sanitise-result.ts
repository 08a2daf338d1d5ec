import type { ForeignResult } from '#core/hub/foreign-result.ts';
import type { Json, JsonObject } from '#core/json/json.ts';

/** Controls that text has no use for, and tags, which show as nothing but are read by models. */
const UNWANTED = /(?![\t\n\r])\p{Cc}|[\u{e0001}\u{e0020}-\u{e007f}]/u;
/** Sequences for terminals: colours, cursor movements, titles, hyperlinks. */
const TERMINAL_SEQUENCES =
  // eslint-disable-next-line no-control-regex -- the escape character is what is looked for
  /(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,8}[@-~]|\x1b[\]PX^_][^\x07\x1b\x9c]{0,4096}(?:\x07|\x1b\\|\x9c)|\x1b[ -/]{0,8}[0-~]/g;
/** One of them, at a position. */
export const TERMINAL_SEQUENCE = new RegExp(TERMINAL_SEQUENCES.source, 'y');
const CONTROLS = /(?![\t\n\r])\p{Cc}/gu;
/** A flag of a region is an emoji with tags. */
const TAGS =
  /(\u{1f3f4}[\u{e0061}-\u{e007a}\u{e0030}-\u{e0039}]{1,8}\u{e007f})|[\u{e0001}\u{e0020}-\u{e007f}]/gu;
/** Members of content blocks that hold base64. */
export const BASE64_MEMBERS: ReadonlySet<string> = new Set(['data', 'blob']);

/**
 * A result without control characters, sequences for terminals and tags. Nearly all results have
 * none, and are passed on as they are.
 */
export function sanitiseResult(result: ForeignResult): ForeignResult {
  const content = sanitise(result.content);
  const { structuredContent } = result;
  const data = structuredContent && sanitise(structuredContent);
  if (content === result.content && data === structuredContent) return result;
  return {
    ...result,
    content: content as readonly JsonObject[],
    ...(data && { structuredContent: data as JsonObject }),
  };
}

/** The same value if nothing in it is unwanted. */
export function sanitise(value: Json): Json {
  if (typeof value === 'string') return sanitiseText(value);
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value)
    ? sanitiseList(value as readonly Json[])
    : sanitiseObject(value as JsonObject);
}

function sanitiseList(list: readonly Json[]): readonly Json[] {
  const clean = list.map(sanitise);
  return clean.some((each, at) => each !== list[at]) ? clean : list;
}

function sanitiseObject(object: JsonObject): JsonObject {
  let clean: Record<string, Json> | undefined;
  for (const [name, each] of Object.entries(object)) {
    if (BASE64_MEMBERS.has(name) && typeof each === 'string') continue;
    const now = sanitise(each);
    if (now !== each) (clean ??= { ...object })[name] = now;
  }
  return clean ?? object;
}

export function sanitiseText(text: string): string {
  return isUnwantedIn(text)
    ? withoutHiddenCharacters(text.replaceAll(TERMINAL_SEQUENCES, ''))
    : text;
}

export function isUnwantedIn(text: string): boolean {
  return UNWANTED.test(text);
}

/** A text without sequences for terminals, without what is left to remove. */
export function withoutHiddenCharacters(text: string): string {
  return text
    .replaceAll(CONTROLS, '')
    .replaceAll(TAGS, (_tag, flag: string | undefined) => flag ?? '');
}
