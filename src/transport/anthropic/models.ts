import type { GatewayModel, GatewayModels } from '#core/llm/gateway.ts';
import { fieldProblem, readInteger } from '../gateway/fields.ts';
import { findGatewayModel } from '../gateway/model-name.ts';

const MAX_LIMIT = 1000;

/** Writes the response to `GET /v1/models`: one page, which has all of them without `limit`. */
export function writeAnthropicModels(
  { models }: GatewayModels,
  query: URLSearchParams = new URLSearchParams(),
): string {
  const given = query.get('limit');
  const limit = readInteger(given === null ? undefined : Number(given), 'limit', 1, MAX_LIMIT);
  const after = query.get('after_id');
  const before = query.get('before_id');
  const from = after === null ? 0 : positionOf(models, after, 'after_id') + 1;
  const until = before === null ? models.length : positionOf(models, before, 'before_id');
  const most = limit ?? models.length;
  // A page before an entry ends with it.
  const start = before === null ? from : Math.max(from, until - most);
  const page = models.slice(start, Math.min(until, start + most));
  return JSON.stringify({
    data: page.map(modelObject),
    has_more: before === null ? start + page.length < until : start > from,
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
  });
}

function positionOf(models: GatewayModels['models'], id: string, field: string): number {
  const at = models.findIndex((model) => model.id === id);
  if (at !== -1) return at;
  throw fieldProblem(field, 'is not the id of a model', 'Leave it out to begin with the first.');
}

/** Writes the response to `GET /v1/models/<id>`. Throws `not_found`. */
export function writeAnthropicModel(models: GatewayModels, id: string): string {
  return JSON.stringify(modelObject(findGatewayModel(models, id)));
}

function modelObject({
  id,
  title,
  createdAtMs,
  contextTokens,
  maxOutputTokens,
}: GatewayModel): object {
  return {
    type: 'model',
    id,
    display_name: title,
    created_at: new Date(createdAtMs).toISOString(),
    lifecycle: 'active',
    deprecated_at: null,
    retires_at: null,
    line: null,
    max_input_tokens: contextTokens ?? null,
    max_tokens: maxOutputTokens ?? null,
    capabilities: null,
  };
}
