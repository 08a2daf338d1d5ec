import { isObject, type Dictionary } from '../is-object.ts';

/**
 * What of a message can become values: quoted texts and numbers, each used once, in their order.
 */
export interface Clues {
  readonly text: string;
  readonly quoted: string[];
  readonly numbers: number[];
  /** Values that may still be built, so that a schema that contains itself many times ends. */
  left: number;
}

export function readClues(text: string): Clues {
  const quoted: string[] = [];
  const rest = text.replace(
    /"([^"\n]{1,500})"|“([^”\n]{1,500})”|`([^`\n]{1,500})`|(?<![\p{L}\p{N}])'([^'\n]{1,500})'/gu,
    (_, a?: string, b?: string, c?: string, d?: string) => {
      quoted.push(a ?? b ?? c ?? d ?? '');
      return ' ';
    },
  );
  const numbers = [
    ...rest.matchAll(/(?<![\p{L}\p{N}.])-?\d{1,15}(?:\.\d{1,10})?(?![\p{L}\p{N}])/gu),
  ];
  return { text, quoted, numbers: numbers.map((match) => Number(match[0])), left: MAX_VALUES };
}

const MAX_DEPTH = 12;
const MAX_VALUES = 10_000;
/** Below this, a value has only what its schema requires, so that one that contains itself ends. */
const MAX_OPTIONAL_DEPTH = 4;

/**
 * A value that satisfies the schema, taken from the message where it can be. `breadth` says whether
 * optional members come, too.
 */
export function fromSchema(
  schema: Dictionary,
  clues: Clues,
  breadth: 'all' | 'needed',
  name = '',
  root: Dictionary = schema,
  depth = 0,
): unknown {
  const here = resolve(schema, root);
  clues.left -= 1;
  if ('const' in here) return here['const'];
  if (Array.isArray(here['enum']) && here['enum'].length > 0) return pickEnum(here, clues);
  const isShort = depth >= MAX_OPTIONAL_DEPTH || clues.left < MAX_VALUES / 2;
  const branch = [here['anyOf'], here['oneOf'], here['allOf']].find(
    (list) => Array.isArray(list) && list.length > 0,
  ) as unknown[] | undefined;
  const deeper = (inner: unknown, innerName: string): unknown =>
    isObject(inner) && depth < MAX_DEPTH && clues.left > 0
      ? fromSchema(inner, clues, breadth, innerName, root, depth + 1)
      : null;
  if (branch !== undefined && here['properties'] === undefined) {
    const isChoice = !Array.isArray(here['allOf']);
    const end = isShort && isChoice ? branch.find(isNull) : undefined;
    return deeper(end ?? branch[0], name);
  }
  switch (typeOf(here)) {
    case 'object':
      return buildObject(here, clues, isShort ? 'required' : breadth, deeper);
    case 'array':
      return buildArray(here, clues, isShort ? 'required' : 'all', name, deeper);
    case 'integer':
      return buildNumber(here, clues, 'integer');
    case 'number':
      return buildNumber(here, clues, 'number');
    case 'boolean':
      if (typeof here['default'] === 'boolean') return here['default'];
      return /\b(true|yes|on)\b/i.test(clues.text);
    case 'null':
      return null;
    default:
      return buildString(here, clues, name);
  }
}

function resolve(schema: Dictionary, root: Dictionary): Dictionary {
  let here = schema;
  for (let hops = 0; hops < MAX_DEPTH && typeof here['$ref'] === 'string'; hops += 1) {
    let target: unknown = root;
    for (const step of here['$ref'].split('/').slice(1))
      target = isObject(target) && Object.hasOwn(target, step) ? target[step] : undefined;
    if (!isObject(target)) return {};
    here = target;
  }
  return here;
}

function isNull(schema: unknown): boolean {
  return isObject(schema) && schema['type'] === 'null';
}

function typeOf(schema: Dictionary): string {
  const { type } = schema;
  if (typeof type === 'string') return type;
  if (Array.isArray(type))
    return (type.find((one) => one !== 'null') as string | undefined) ?? 'null';
  if (isObject(schema['properties'])) return 'object';
  if (schema['items'] !== undefined) return 'array';
  return 'string';
}

function pickEnum(schema: Dictionary, { text }: Clues): unknown {
  const values = schema['enum'] as readonly unknown[];
  const lower = text.toLowerCase();
  const named = values.find(
    (value) => typeof value === 'string' && value !== '' && lower.includes(value.toLowerCase()),
  );
  return named ?? schema['default'] ?? values[0];
}

function buildObject(
  schema: Dictionary,
  clues: Clues,
  breadth: 'all' | 'needed' | 'required',
  deeper: (inner: unknown, name: string) => unknown,
): Dictionary {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
  const built: Dictionary = {};
  for (const [name, inner] of Object.entries(properties)) {
    const isOptional = !required.has(name);
    if (isOptional && breadth === 'required') continue;
    if (isOptional && breadth === 'needed' && !hasClue(inner, clues, name)) continue;
    Object.defineProperty(built, name, {
      value: deeper(inner, name),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return built;
}

/** Whether the message speaks of an optional member: by its name, or by one of its values. */
function hasClue(schema: unknown, { text }: Clues, name: string): boolean {
  if (!isObject(schema)) return false;
  const lower = text.toLowerCase();
  if (new RegExp(`\\b${escape(name.toLowerCase())}\\b`).test(lower)) return true;
  const values = schema['enum'];
  return (
    Array.isArray(values) &&
    values.some(
      (value) => typeof value === 'string' && value !== '' && lower.includes(value.toLowerCase()),
    )
  );
}

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

function buildArray(
  schema: Dictionary,
  clues: Clues,
  breadth: 'all' | 'required',
  name: string,
  deeper: (inner: unknown, name: string) => unknown,
): unknown[] {
  const prefix = schema['prefixItems'];
  if (Array.isArray(prefix)) return prefix.map((inner) => deeper(inner, name));
  const items = isObject(schema['items']) ? schema['items'] : {};
  const least = Math.min(100, Number(schema['minItems'] ?? 1) || 1);
  const most = Number(schema['maxItems'] ?? Infinity);
  if (breadth === 'required' && schema['minItems'] === undefined) return [];
  const type = typeOf(items);
  const found =
    type === 'string'
      ? clues.quoted.length
      : type === 'number' || type === 'integer'
        ? clues.numbers.length
        : 1;
  const length = Math.min(most, Math.max(least, found));
  return Array.from({ length }, () => deeper(items, name));
}

function buildNumber(schema: Dictionary, clues: Clues, kind: 'integer' | 'number'): number {
  const limit = (key: string, nothing: number): number =>
    typeof schema[key] === 'number' ? schema[key] : nothing;
  const least = Math.max(limit('minimum', -Infinity), limit('exclusiveMinimum', -Infinity) + 1);
  const most = Math.min(limit('maximum', Infinity), limit('exclusiveMaximum', Infinity) - 1);
  const wanted =
    clues.numbers.shift() ??
    (typeof schema['default'] === 'number' ? schema['default'] : Math.max(1, least));
  const value = Math.min(most, Math.max(least, wanted));
  return kind === 'integer' ? Math.trunc(value) : value;
}

const FORMATS: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  time: '12:00:00Z',
  email: 'someone@example.com',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
};

function buildString(schema: Dictionary, clues: Clues, name: string): string {
  const format = typeof schema['format'] === 'string' ? FORMATS[schema['format']] : undefined;
  const value = clues.quoted.shift() ?? format ?? afterName(clues.text, name) ?? schema['default'];
  const whole = clues.text.trim().slice(0, 200);
  // One word of a question would find something else.
  const inText = name === 'query' ? undefined : properWord(clues.text);
  const found = typeof value === 'string' ? value : (inText ?? whole);
  const least = Math.min(10_000, Number(schema['minLength'] ?? 0) || 0);
  const most = Number(schema['maxLength'] ?? Infinity);
  return found.padEnd(least, 'x').slice(0, most);
}

/** `city: Paris` or `city Paris`. */
function afterName(text: string, name: string): string | undefined {
  if (name === '') return undefined;
  const match = new RegExp(`\\b${escape(name)}\\s*[:= ]\\s*([\\p{L}\\p{N}_./@-]+)`, 'iu').exec(
    text,
  );
  return match?.[1];
}

/**
 * A name in the sentence: words with a capital that do not begin it, or what comes after `in`,
 * `for`, `of`.
 */
function properWord(text: string): string | undefined {
  return (
    /(?<=[\p{Ll},;:]\s)(\p{Lu}[\p{L}\p{N}-]*(?:\s\p{Lu}[\p{L}\p{N}-]*)*)/u.exec(text)?.[1] ??
    /\b(?:in|for|of|about|at)\s+([\p{L}\p{N}_./-]+)/iu.exec(text)?.[1]
  );
}
