import type { StoredResponse } from '#core/stores/responses.ts';
import { fieldProblem, readChoice, readInteger, type JsonFields } from '../gateway/fields.ts';

const ORDERS = ['asc', 'desc'] as const;
const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

/** Writes one page of the input items of a stored response. */
export function listInputItems({ input }: StoredResponse, query: URLSearchParams): string {
  const limit = readInteger(toNumber(query.get('limit')), 'limit', 1, MAX_LIMIT) ?? DEFAULT_LIMIT;
  const order = readChoice(query.get('order'), 'order', ORDERS) ?? 'desc';
  const after = query.get('after');
  const items = JSON.parse(input) as JsonFields[];
  if (order === 'desc') items.reverse();
  const from = after === null ? 0 : items.findIndex(({ id }) => id === after) + 1;
  if (after !== null && from === 0) {
    throw fieldProblem('after', 'is not the id of an input item', 'Leave it out.');
  }
  const data = items.slice(from, from + limit);
  return JSON.stringify({
    object: 'list',
    data,
    first_id: data[0]?.['id'] ?? null,
    last_id: data.at(-1)?.['id'] ?? null,
    has_more: from + limit < items.length,
  });
}

function toNumber(text: string | null): unknown {
  return text === null ? undefined : /^\d{1,9}$/.test(text) ? Number(text) : text;
}
