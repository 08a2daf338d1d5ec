import { expect, test } from 'vitest';
import * as z from 'zod';
import { verifies } from '../../../test/verifies.ts';
import { argumentError } from './argument-error.schema.ts';

const Input = z.strictObject({
  tail_lines: z.int().min(0).max(500).default(30),
  ratio: z.number().gt(0).lt(1).optional(),
  step: z.number().multipleOf(5).optional(),
  source: z.enum(['auto', 'activity', 'server']).default('auto'),
  probe: z.boolean().default(false),
  filter: z.string().min(2).max(5).optional(),
  note: z.string().min(1).optional(),
  url: z.url().optional(),
  at: z.iso.datetime().optional(),
  code: z
    .string()
    .regex(/^[a-z]+$/)
    .optional(),
  path: z.string().startsWith('/').optional(),
  pair: z.array(z.string()).length(2).optional(),
  few: z.array(z.int()).max(1).optional(),
  five: z.literal(5).optional(),
  options: z
    .strictObject({ depth: z.int(), names: z.array(z.string()).min(1).optional() })
    .optional(),
  either: z.union([z.string(), z.number()]).optional(),
  wish: z.union([z.enum(['low', 'high']), z.int().min(1)]).optional(),
  shape: z
    .union([z.string(), z.strictObject({ kind: z.literal('box'), size: z.int() })])
    .optional(),
  what: z
    .discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('file'), path: z.string() }),
      z.strictObject({ kind: z.literal('text') }),
    ])
    .optional(),
  counts: z.record(z.string().regex(/^[a-z]+$/), z.int()).optional(),
  odd: z
    .string()
    .refine((text) => text === 'odd', 'It is even.')
    .optional(),
  api_key: z.enum(['one', 'two']).optional(),
  auth: z.strictObject({ pin: z.int() }).optional(),
});

function refusalOf(args: Record<string, unknown>, schema: z.ZodObject = Input) {
  const { error } = schema.safeParse(args);
  if (!error) throw new Error('nothing is wrong');
  return argumentError('probe', error, args, schema);
}

test.each<[Record<string, unknown>, string]>([
  [{ tail_lines: -5 }, '"tail_lines" must be 0 or more, but is -5.'],
  [{ tail_lines: 501 }, '"tail_lines" must be 500 or less, but is 501.'],
  [{ tail_lines: 'five' }, '"tail_lines" must be a whole number, but is "five".'],
  [{ tail_lines: 1.5 }, '"tail_lines" must be a whole number, but is 1.5.'],
  [{ tail_lines: null }, '"tail_lines" must be a whole number, but is null.'],
  [{ ratio: 0 }, '"ratio" must be more than 0, but is 0.'],
  [{ ratio: 1 }, '"ratio" must be less than 1, but is 1.'],
  [{ ratio: [1] }, '"ratio" must be a number, but is a list.'],
  [{ step: 3 }, '"step" must be a multiple of 5, but is 3.'],
  [
    { source: 'aut' },
    '"source" must be one of auto, activity, server, but is "aut", did you mean "auto"?',
  ],
  [{ source: 7 }, '"source" must be one of auto, activity, server, but is 7.'],
  [{ source: { a: 1 } }, '"source" must be one of auto, activity, server, but is an object.'],
  [{ probe: 'yes' }, '"probe" must be true or false, but is "yes".'],
  [{ filter: 5 }, '"filter" must be a text, but is 5.'],
  [{ filter: 'x' }, '"filter" must have at least 2 characters, but has 1.'],
  [{ filter: 'x'.repeat(6) }, '"filter" must have at most 5 characters, but has 6.'],
  [{ note: '' }, '"note" must not be empty.'],
  [{ url: 'my own words' }, '"url" must be a URL.'],
  [{ at: 'noon' }, '"at" must be a moment such as 2026-01-31T08:00:00Z.'],
  [{ code: 'A1' }, '"code" must match /^[a-z]+$/.'],
  [{ path: 'a' }, '"path" must begin with "/".'],
  [{ pair: ['a'] }, '"pair" must have exactly 2 entries, but has 1.'],
  [{ few: [1, 2] }, '"few" must have at most 1 entry, but has 2.'],
  [{ few: ['x'] }, '"few.0" must be a whole number, but is "x".'],
  [{ five: 6 }, '"five" must be 5, but is 6.'],
  [{ options: 'deep' }, '"options" must be an object, but is a text.'],
  [{ options: { depth: 'deep' } }, '"options.depth" must be a whole number, but is "deep".'],
  [{ options: { depth: 1, names: [] } }, '"options.names" must not be empty.'],
  [{ options: {} }, '"options.depth" is missing.'],
  [{ options: { depth: 1, nams: [] } }, '"options" has no member "nams", did you mean "names"?'],
  [{ either: true }, '"either" must be a text or a number, but is true.'],
  [{ wish: 'hihg' }, '"wish" must be one of low, high or a number, but is "hihg".'],
  [{ shape: { kind: 'box', size: 'big' } }, '"shape.size" must be a number, but is "big".'],
  [
    { what: { kind: 'flie' } },
    '"what.kind" must be one of file, text, but is "flie", did you mean "file"?',
  ],
  [{ counts: { A1: 1 } }, '"counts.A1" is a name that is not allowed here.'],
  [{ counts: { a: 'x' } }, '"counts.a" must be a whole number, but is "x".'],
  [{ odd: 'two' }, '"odd" is not right: it is even.'],
  [{ prob: true }, 'probe has no argument "prob", did you mean "probe"?'],
  [{ tail_lines: -1, probe: 1 }, '"tail_lines" must be 0 or more, but is -1 (and 1 more).'],
])('%j: %s', (args, message) => {
  expect(refusalOf(args)).toMatchObject({ class: 'validation', message });
});

verifies('calls:validate', 'no message of the schema library reaches a caller', () => {
  const wrong = [1, 'x', true, null, [], {}, -1e300];
  for (const field of [...Object.keys(Input.shape), 'stranger']) {
    for (const value of wrong) {
      if (Input.safeParse({ [field]: value }).success) continue;
      const { message } = refusalOf({ [field]: value });
      expect(message).not.toMatch(/invalid|expected|received|too (?:small|big)|undefined/i);
      expect(message).toMatch(/[.?)]$/);
    }
  }
});

verifies('calls:validate', 'a value under a name of a secret is never shown', () => {
  expect(refusalOf({ api_key: 'sk-mine' }).message).toBe(
    '"api_key" must be one of one, two, but is a text.',
  );
  expect(refusalOf({ auth: { pin: 'sk-mine' } }).message).toBe(
    '"auth.pin" must be a whole number, but is a text.',
  );
  expect(refusalOf({ auth: { pin: 12.5 } }).message).toBe(
    '"auth.pin" must be a whole number, but is a number.',
  );
});

test('a missing argument is reported with what it must be', () => {
  const schema = z.strictObject({ tool: z.string(), how: z.enum(['a', 'b']) });
  expect(refusalOf({}, schema)).toMatchObject({
    message: '"tool" and "how" are missing.',
    field: 'tool',
    fix: 'See what they must be with search_tools {"query": "probe"}.',
    fixes: [{ kind: 'tool_help', params: { tool: 'probe' } }],
  });
  expect(refusalOf({ how: 'a' }, schema)).toMatchObject({
    message: '"tool" is missing.',
    fix: 'It must be a text.',
  });
  expect(refusalOf({ how: 'c' }, schema)).toMatchObject({
    message: '"tool" is missing (and 1 more wrong).',
    fix: 'It must be a text.',
  });
  expect(refusalOf({ tool: 'x' }, schema).fix).toBe('It must be one of a, b.');
});

test('all that is missing is named in one line, as far as it is no endless list', () => {
  const step = { step: z.string(), inside: z.strictObject({ depth: z.int(), name: z.string() }) };
  const args = { inside: {} };
  expect(refusalOf(args, z.strictObject(step))).toMatchObject({
    message: '"step", "inside.depth" and "inside.name" are missing.',
    field: 'step',
  });
  const names = Array.from({ length: 40 }, (_, n) => `field_${n}`);
  const wide = z.strictObject(Object.fromEntries(names.map((name) => [name, z.int()])));
  const { message } = refusalOf({}, wide);
  expect(message).toMatch(/^"field_0", .*"field_11" and 28 more are missing\.$/);
});

test.each<[Record<string, unknown>, string, string]>([
  [{ promt: 'x' }, '"promt" is not known; did you mean "prompt"?', 'promt'],
  [{ Prompt: 'x' }, '"Prompt" is not known; did you mean "prompt"?', 'Prompt'],
  [
    { promt: 'x', stranger: 1, count: 'y' },
    '"promt" is not known; did you mean "prompt"? (and 2 more).',
    'promt',
  ],
  [
    { prompt: 'x', inside: { dept: 1 } },
    '"inside.dept" is not known; did you mean "depth"?',
    'inside.dept',
  ],
  [{ stranger: 1 }, '"prompt" is missing (and 1 more wrong).', 'prompt'],
  [{ prompt: 'x', cuont: 1 }, 'probe has no argument "cuont", did you mean "count"?', 'cuont'],
])('a slip in a name that is missing is said first: %j: %s', (args, message, field) => {
  const schema = z.strictObject({
    prompt: z.string(),
    count: z.int().optional(),
    inside: z.strictObject({ depth: z.int() }).optional(),
  });
  expect(refusalOf(args, schema)).toMatchObject({ class: 'validation', message, field });
});

test('hostile names and values come back short and on one line', () => {
  const hostile = `\n\u001B[31m${'x'.repeat(100_000)}`;
  for (const args of [{ [hostile]: 1 }, { source: hostile }, { tail_lines: hostile }]) {
    const { message, field = '' } = refusalOf(args);
    expect(message.length + field.length).toBeLessThan(300);
    expect(message + field).not.toMatch(/\p{Cc}/u);
  }
  const proto = JSON.parse('{"__proto__": 1}') as Record<string, unknown>;
  expect(refusalOf(proto)).toMatchObject({ field: '__proto__' });
});
