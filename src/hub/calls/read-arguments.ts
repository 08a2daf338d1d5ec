import { codedError } from '#core/errors/coded-error.ts';
import { createExaminer } from '#core/json-schema/json-schema.ts';
import { asList, asObject, type JsonObject } from '#core/json/json.ts';
import { reason } from '#core/messages/reasons.ts';
import { nearestNames, oneLine } from '#core/text/text.ts';

const MAX_SHOWN_CHARS = 64;

/**
 * Checks arguments by the schema of an upstream's tool. The server checks them itself; this tells
 * the caller earlier, with the field that was probably meant, and what our check does not know it
 * allows. So it does with `null` for an optional argument, which many models write where they mean
 * none.
 */
export function checkArguments(
  schema: JsonObject,
  args: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const violation = violationOf(schema, args);
  if (!violation || !violationOf(schema, withoutOptionalNulls(schema, args))) return args;
  const [first = '', ...rest] = violation.path.slice(1).split('/');
  const misnamed = rest.length === 0 ? findMisnamed(schema, args, first) : undefined;
  const { argument, problem } = misnamed ?? {
    argument: first === '' ? 'arguments' : [first, ...rest].join('.'),
    problem: violation.problem,
  };
  throw codedError('validation', reason('invalid_argument', { argument, problem }), {
    field: argument,
  });
}

/** A required argument that is missing while another one is not known, or one with a wrong name. */
function findMisnamed(
  schema: JsonObject,
  args: Readonly<Record<string, unknown>>,
  path: string,
): { readonly argument: string; readonly problem: string } | undefined {
  const properties = asObject(schema['properties']);
  // A name that the schema does not have is not shown in the path.
  if (!properties || (path !== '' && Object.hasOwn(properties, path))) return undefined;
  const names = Object.keys(properties);
  const missing = asList(schema['required']).filter(
    (name) => typeof name === 'string' && !Object.hasOwn(args, name),
  ) as readonly string[];
  const unknown = Object.keys(args).filter((name) => !Object.hasOwn(properties, name));
  const free = names.filter((name) => !Object.hasOwn(args, name));
  for (const name of unknown) {
    const [near = missing.length === 1 ? missing[0] : undefined] = nearestNames(
      name.slice(0, MAX_SHOWN_CHARS),
      missing.length > 0 ? missing : free,
      1,
    );
    if (near === undefined) continue;
    const argument = oneLine(name, MAX_SHOWN_CHARS);
    return { argument, problem: `is not an argument of the tool, did you mean "${near}"?` };
  }
  const [needed] = missing;
  return needed === undefined
    ? undefined
    : { argument: oneLine(needed, MAX_SHOWN_CHARS), problem: 'is required' };
}

function violationOf(schema: JsonObject, args: Readonly<Record<string, unknown>>) {
  return createExaminer(schema)(args).violation;
}

function withoutOptionalNulls(
  { required }: JsonObject,
  args: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const needed = asList(required);
  return Object.fromEntries(
    Object.entries(args).filter(([name, value]) => value !== null || needed.includes(name)),
  );
}
