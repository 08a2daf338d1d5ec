import { CallError } from '#core/errors/call-error.ts';
import type { StoredResponse } from '#core/stores/responses.ts';
import { oneLine } from '#core/text/text.ts';
import { fieldError, fieldProblem, isJsonObject, type JsonFields } from '../gateway/fields.ts';
import { inputItemId, responseOfItem } from './ids.ts';

/** An item of a conversation, with the path that errors name. */
export interface InputItem {
  readonly field: string;
  readonly item: JsonFields;
}

/** Reads `input`: a text, or a list of items. */
export function readInput(value: unknown): readonly InputItem[] {
  if (typeof value === 'string') {
    const content = [{ type: 'input_text', text: value }];
    return [{ field: 'input', item: { type: 'message', role: 'user', content } }];
  }
  if (!Array.isArray(value)) {
    const is = value === undefined || value === null ? 'is missing' : 'must be a text or a list';
    throw fieldProblem('input', is, 'Send a text, or a list of items.');
  }
  return value.map((each: unknown, at) => {
    const field = `input[${at}]`;
    if (!isJsonObject(each)) {
      const fix = 'Send {"role": "user", "content": "…"}.';
      throw fieldError(field, 'An input item must be an object.', fix);
    }
    return { field, item: each['type'] === undefined ? { type: typeOf(each), ...each } : each };
  });
}

/** A message may come without a type, and a reference with nothing but its id. */
function typeOf(item: JsonFields): string {
  const isReference = item['role'] === undefined && typeof item['id'] === 'string';
  return isReference ? 'item_reference' : 'message';
}

/** The ids of responses whose items the input refers to. */
export function referencedResponses(items: readonly InputItem[]): readonly string[] {
  const ids = new Set<string>();
  for (const { item, field } of items) {
    if (item['type'] !== 'item_reference') continue;
    ids.add(responseOfItem(String(item['id'])) ?? refuseReference(item, field));
  }
  return [...ids];
}

/** Replaces references by the items of stored responses. */
export function resolveReferences(
  items: readonly InputItem[],
  stored: readonly StoredResponse[],
): readonly InputItem[] {
  if (stored.length === 0) return items;
  const known = new Map<unknown, JsonFields>();
  for (const response of stored) {
    for (const { item } of storedItems(response)) known.set(item['id'], item);
  }
  return items.map((each) => {
    if (each.item['type'] !== 'item_reference') return each;
    const item = known.get(each.item['id']) ?? refuseReference(each.item, each.field);
    return { field: each.field, item };
  });
}

export function refuseReference({ id }: JsonFields, field: string): never {
  const shown = oneLine(String(id), 80);
  throw new CallError('not_found', `There is no item with the id "${shown}".`, {
    field: `${field}.id`,
    fix: 'Send the item itself. References work for items of stored responses only.',
  });
}

/** The items of a stored response: its input, then its output. */
export function storedItems({ id, input, response }: StoredResponse): readonly InputItem[] {
  const items = JSON.parse(input) as readonly JsonFields[];
  const { output } = JSON.parse(response) as { readonly output: readonly JsonFields[] };
  return [...items, ...output].map((item) => ({ field: `previous_response_id (${id})`, item }));
}

/** The input as it is stored: every item has an id. */
export function toStoredInput(
  items: readonly InputItem[],
  response: string,
): readonly JsonFields[] {
  return items.map(({ item }, at) =>
    typeof item['id'] === 'string'
      ? item
      : { id: inputItemId(String(item['type']), response, at), ...item },
  );
}
