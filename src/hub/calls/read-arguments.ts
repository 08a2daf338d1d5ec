import { codedError } from '#core/errors/coded-error.ts';
import { createExaminer } from '#core/json-schema/json-schema.ts';
import type { JsonObject } from '#core/json/json.ts';
import { reason } from '#core/messages/reasons.ts';

/**
 * Checks arguments by the schema of an upstream's tool. The server checks them itself; this tells
 * the caller earlier, and what our check does not know it allows.
 */
export function checkArguments(
  schema: JsonObject,
  args: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const { violation } = createExaminer(schema)(args);
  if (!violation) return args;
  const [first = '', ...rest] = violation.path.slice(1).split('/');
  const argument = first === '' ? 'arguments' : [first, ...rest].join('.');
  throw codedError(
    'validation',
    reason('invalid_argument', { argument, problem: violation.problem }),
    { field: argument },
  );
}
