import { asObject, type JsonObject, type Unknown } from '#core/json/json.ts';
import { checkArguments } from '../calls/read-arguments.ts';
import { renameBatch } from './read-batch-items.ts';
import { NUM_RESULTS, renameArguments } from './rename-arguments.ts';

/** Gives arguments the names of the schema, and checks them by it. */
export function readComposioArguments(schema: JsonObject, args: Unknown): Record<string, unknown> {
  const renamed = renameArguments(schema, renameBatch(schema, args));
  const { [NUM_RESULTS]: count, ...rest } = renamed;
  const isKnown = Object.hasOwn(asObject(schema['properties']) ?? {}, NUM_RESULTS);
  checkArguments(schema, isKnown || count === undefined ? renamed : rest);
  return renamed;
}
