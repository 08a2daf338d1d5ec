import type { SeededRandom } from '../sim/random.ts';

export type Era = 'legacy' | 'modern';

/** The body of a request that may be anything, and what is known of it. */
export interface AnyBody {
  readonly bytes: Buffer;
  readonly method: string;
  /** What it is about, for the header that repeats it. */
  readonly name: string | undefined;
  /** The id it has, where it can be relied on. */
  readonly id: number | undefined;
}

type Json = Record<string, unknown>;

export const MODERN = '2026-07-28';
export const LEGACY = '2025-11-25';
const VERSIONS = [LEGACY, '2025-06-18', '2025-03-26', '2024-11-05', MODERN, '1999-01-01', ''];
const TOOLS = [
  'x'.repeat(300),
  'ünïcode',
  '',
  ...splitWords(`version health status activity test_simple_text test_image_content nonsense __proto__
    test_tool_with_progress test_tool_with_logging test_error_handling json_schema_2020_12_tool
    test_x_mcp_header test_input_required_result_multi_round test_missing_capability constructor`),
];
const PROMPTS = ['test_simple_prompt', 'test_prompt_with_arguments', 'toString', 'no'];
const URIS = [
  'test://static-text',
  'test://template/%ff/data',
  'test://template/7/data',
  'a:b',
  '',
];
const NAMES = splitWords('name arguments _meta id method params uri level __proto__ constructor x');
const LARGE_CHARS = 5_000_000;

/** Every request of both eras, as its client would send it. */
const METHODS: Readonly<Record<string, (random: SeededRandom) => Json>> = {
  'tools/call': (random) => ({ name: random.pick(TOOLS), arguments: argumentsOf(random) }),
  'tools/list': (random) => cursor(random),
  'prompts/list': (random) => cursor(random),
  'prompts/get': (random) => ({ name: random.pick(PROMPTS), arguments: { arg1: 'a', arg2: 'b' } }),
  'resources/list': (random) => cursor(random),
  'resources/templates/list': (random) => cursor(random),
  'resources/read': (random) => ({ uri: random.pick(URIS) }),
  'resources/subscribe': (random) => ({ uri: random.pick(URIS) }),
  'resources/unsubscribe': (random) => ({ uri: random.pick(URIS) }),
  'completion/complete': (random) => ({
    ref: { type: 'ref/prompt', name: random.pick(PROMPTS) },
    argument: { name: 'arg1', value: 't' },
  }),
  'logging/setLevel': (random) => ({ level: random.pick(['debug', 'emergency', 'loud']) }),
  'server/discover': () => ({}),
  ping: () => ({}),
  initialize: (random) => opening(random.pick(VERSIONS)),
  'subscriptions/listen': (random) => ({
    notifications: { toolsListChanged: true, resourceSubscriptions: [random.pick(URIS)] },
  }),
  'notifications/cancelled': (random) => ({ requestId: random.between(1, 50) }),
  'notifications/initialized': () => ({}),
  'notifications/progress': () => ({ progressToken: 1, progress: 2 }),
  nonsense: () => ({}),
};

const NAMED: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

export function opening(version: string): Json {
  return {
    protocolVersion: version,
    capabilities: {},
    clientInfo: { name: 'fuzz', version: '1' },
  };
}

export function claim(): Json {
  return {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
}

/** A message of this era; two in three as they should be. */
export function anyBody(random: SeededRandom, era: Era, method = anyMethod(random)): AnyBody {
  const params: Json = METHODS[method]?.(random) ?? {};
  if (random.chance(0.3)) params['_meta'] = { progressToken: random.between(1, 9) };
  if (era === 'modern') params['_meta'] = { ...(params['_meta'] as Json | undefined), ...claim() };
  const isTold = method.startsWith('notifications/') && random.chance(0.9);
  const id = random.between(1, 1_000_000);
  const message = { jsonrpc: '2.0', ...(!isTold && { id }), method, params };
  const name = params[NAMED[method] ?? ''];
  const known = { method, name: typeof name === 'string' ? name : undefined };
  if (random.chance(0.65)) {
    return { bytes: Buffer.from(JSON.stringify(message)), ...known, id: isTold ? undefined : id };
  }
  return { bytes: spoilt(random, message), ...known, id: undefined };
}

export function anyMethod(random: SeededRandom): string {
  return random.chance(0.4) ? 'tools/call' : random.pick(Object.keys(METHODS));
}

function cursor(random: SeededRandom): Json {
  return random.chance(0.3) ? { cursor: random.pick(['', 'x', 'MTA=', 7]) } : {};
}

function argumentsOf(random: SeededRandom): Json {
  const given: Json = {};
  if (random.chance(0.3)) given[random.pick(NAMES)] = anyJson(random, 3);
  if (random.chance(0.2)) given['lines'] = random.pick([10, 200, -1, 1e9, '10']);
  if (random.chance(0.1)) given['filter'] = random.pick(['(a+)+$', '[', 'x'.repeat(300)]);
  return given;
}

/** Something is wrong with it, in the message or in its bytes. */
function spoilt(random: SeededRandom, message: Json): Buffer {
  const kind = random.between(0, 9);
  const text = JSON.stringify(message);
  switch (kind) {
    case 0:
      return Buffer.from(text.slice(0, random.between(0, text.length - 1)));
    case 1:
      return withBytes(random, text, [0xff, 0xc0, 0x80, 0xed, 0xa0, 0x80]);
    case 2:
      return withBytes(random, text, [random.between(0, 255)]);
    case 3:
      return Buffer.from(JSON.stringify(random.chance(0.5) ? [message, message] : []));
    case 4:
      return Buffer.from(nested(random.between(100, 100_000)));
    case 5:
      return Buffer.from(`\uFEFF${text}${' '.repeat(random.between(0, 1000))}`);
    case 6:
      return Buffer.from(random.chance(0.05) ? large(message) : '');
    default:
      return Buffer.from(JSON.stringify(mutated(random, message)));
  }
}

/** One place of it, at any depth, is something else, gone, or there under another name. */
function mutated(random: SeededRandom, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || random.chance(0.2)) return anyJson(random, 3);
  const entries = Object.entries(value as Json);
  const at = random.between(0, Math.max(0, entries.length - 1));
  const [key, inner] = entries[at] ?? ['x', 1];
  if (random.chance(0.15)) entries.splice(at, 1);
  else if (random.chance(0.1)) entries[at] = [random.pick(NAMES), inner];
  else entries[at] = [key, mutated(random, inner)];
  return Object.fromEntries(entries);
}

function anyJson(random: SeededRandom, depth: number): unknown {
  const kind = random.between(0, depth > 0 ? 11 : 9);
  if (kind === 10) return [anyJson(random, depth - 1), anyJson(random, depth - 1)];
  if (kind === 11) return Object.fromEntries([[random.pick(NAMES), anyJson(random, depth - 1)]]);
  const plain = [null, true, -1, 0.5, 1e21, '', 'status', '\ud800\0\n', 'x'.repeat(2000), 9e15];
  return plain[kind];
}

function withBytes(random: SeededRandom, text: string, bytes: readonly number[]): Buffer {
  const at = random.between(0, text.length);
  return Buffer.concat([
    Buffer.from(text.slice(0, at)),
    Buffer.from(bytes),
    Buffer.from(text.slice(at)),
  ]);
}

function nested(depth: number): string {
  return `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}`;
}

function large(message: Json): string {
  return JSON.stringify({ ...message, pad: 'x'.repeat(LARGE_CHARS) });
}

export function splitWords(text: string): string[] {
  return text.split(/\s+/);
}
