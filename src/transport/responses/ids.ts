import { vendorStyleId } from '../gateway/exai-extension.ts';

/** Prefixes of item ids by the type of the item, as OpenAI has them. */
const PREFIXES = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  function_call_output: 'fco',
  custom_tool_call: 'ctc',
  custom_tool_call_output: 'ctco',
  local_shell_call: 'lsh',
  local_shell_call_output: 'lsho',
} as const;

export type KnownItemType = keyof typeof PREFIXES;

export const RESPONSE_PREFIX = 'resp_';

/** The id of the response to a request. The rest of it is that of the request, as in the log. */
export function responseId(reqId: string): string {
  return vendorStyleId(RESPONSE_PREFIX, reqId);
}

/** The id of an output item. It contains the id of its response, so that a reference finds it. */
export function outputItemId(type: KnownItemType, response: string, index: number): string {
  return `${PREFIXES[type]}_${response.slice(RESPONSE_PREFIX.length)}_${index}`;
}

/** The id of an input item that came without one. */
export function inputItemId(type: string, response: string, index: number): string {
  const prefix = Object.hasOwn(PREFIXES, type) ? PREFIXES[type as KnownItemType] : 'item';
  return `${prefix}_${response.slice(RESPONSE_PREFIX.length)}_in${index}`;
}

const ITEM = /^[a-z]+_([0-9a-z]{22})_(?:in)?\d{1,6}$/;

/** The response that an item belongs to; undefined for a foreign id. */
export function responseOfItem(id: string): string | undefined {
  const rest = ITEM.exec(id)?.[1];
  return rest === undefined ? undefined : RESPONSE_PREFIX + rest;
}
