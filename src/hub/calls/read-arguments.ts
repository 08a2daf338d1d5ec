import { codedError } from '#core/errors/coded-error.ts';
import { createExaminer } from '#core/json-schema/json-schema.ts';
import { asList, type JsonObject } from '#core/json/json.ts';
import { reason } from '#core/messages/reasons.ts';

/**
 * Checks arguments by the schema of an upstream's tool. The server checks them itself; this tells
 * the caller earlier, and what our check does not know it allows. So it does with `null` for an
 * optional argument, which many models write where they mean none.
 */
export function checkArguments(
  schema: JsonObject,
  args: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const violation = violationOf(schema, args);
  if (!violation || !violationOf(schema, withoutOptionalNulls(schema, args))) return args;
  const [first = '', ...rest] = violation.path.slice(1).split('/');
  const argument = first === '' ? 'arguments' : [first, ...rest].join('.');
  throw codedError(
    'validation',
    reason('invalid_argument', { argument, problem: violation.problem }),
    { field: argument },
  );
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
