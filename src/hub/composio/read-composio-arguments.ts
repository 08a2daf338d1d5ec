import { asList, asObject, type JsonObject, type Unknown } from '#core/json/json.ts';
import { nearestNames } from '#core/text/text.ts';
import { checkArguments } from '../calls/read-arguments.ts';
import { renameBatch } from './read-batch-items.ts';
import { NUM_RESULTS, renameArguments } from './rename-arguments.ts';

/** The sandbox that the caller used last is added where none is named. */
const SANDBOX = 'sandbox_id';

/** Gives arguments the names of the schema, and checks them by it. */
export function readComposioArguments(schema: JsonObject, args: Unknown): Record<string, unknown> {
  const renamed = renameArguments(schema, renameBatch(schema, args));
  const { [NUM_RESULTS]: count, ...rest } = renamed;
  const isKnown = Object.hasOwn(asObject(schema['properties']) ?? {}, NUM_RESULTS);
  const required = asList(schema['required']).filter((name) => name !== SANDBOX);
  const checked = isKnown || count === undefined ? renamed : rest;
  checkArguments(
    {
      ...schema,
      required: required as readonly string[],
      // The vendor ignores names that it does not know, so a mistyped one would be lost.
      ...(hasMistyped(schema, checked) && { additionalProperties: false }),
    },
    checked,
  );
  return renamed;
}

function hasMistyped({ properties }: JsonObject, args: Unknown): boolean {
  const known = Object.keys(asObject(properties) ?? {});
  const free = known.filter((name) => !Object.hasOwn(args, name));
  return Object.keys(args).some(
    (name) => !known.includes(name) && nearestNames(name.slice(0, 64), free, 1).length > 0,
  );
}
