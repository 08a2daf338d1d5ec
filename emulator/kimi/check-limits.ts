import { isObject, type Dictionary } from '../is-object.ts';
import { invalid } from './errors.ts';
import type { KimiModel } from './models.ts';
import type { KimiSwitches } from './switches.ts';

const MAX_STOPS = 5;
const MAX_STOP_BYTES = 32;

export function readStops(stop: unknown): readonly string[] {
  if (stop === undefined || stop === null) return [];
  const stops: readonly unknown[] = Array.isArray(stop) ? stop : [stop];
  if (stops.length > MAX_STOPS)
    throw invalid(
      `stop array too long. Expected an array with maximum length ${MAX_STOPS}, but got ${stops.length}`,
    );
  for (const one of stops) {
    if (typeof one !== 'string')
      throw invalid('Invalid request: stop must be a string or an array of strings');
    if (Buffer.byteLength(one) > MAX_STOP_BYTES)
      throw invalid(`stop sequence too long. Expected a maximum of ${MAX_STOP_BYTES} bytes`);
  }
  return stops as readonly string[];
}

/** The tokens that an answer may have: what was asked for, or what is usual for the model. */
export function readCap(
  body: Dictionary,
  model: KimiModel,
  promptTokens: number,
  switches: KimiSwitches,
): number {
  const asked = body['max_completion_tokens'] ?? body['max_tokens'];
  const left = model.contextLength - promptTokens;
  if (left <= 0) throw invalid('Input token length too long');
  if (asked === undefined || asked === null)
    return Math.min(left, switches.defaultCap === '1024' ? 1_024 : model.defaultCap);
  if (typeof asked !== 'number' || !Number.isInteger(asked) || asked < 1)
    throw invalid('Invalid request: max_completion_tokens must be a positive integer');
  const isReduced = switches.windowCap === 'reduced' && model.family !== 'v1';
  if (asked > (isReduced ? model.contextLength : left))
    throw invalid(`Your request exceeded model token limit : ${model.contextLength}`);
  return Math.min(asked, left);
}

export function checkFormat(format: unknown, { family }: KimiModel): void {
  if (format === undefined || format === null) return;
  const type = isObject(format) ? format['type'] : undefined;
  if (type === 'text') return;
  if (type !== 'json_object' && type !== 'json_schema')
    throw invalid('Invalid request: response_format.type must be text, json_object or json_schema');
  if (family === 'preview')
    throw invalid('Invalid request: response_format is not supported by this model');
  if (type === 'json_object') return;
  const schema = isObject(format) ? format['json_schema'] : undefined;
  if (!isObject(schema) || typeof schema['name'] !== 'string' || !isObject(schema['schema']))
    throw invalid('Invalid request: response_format.json_schema must have a name and a schema');
}

const CACHE_TTL_MS: Readonly<Record<string, number>> = { '5m': 300_000, '1h': 3_600_000 };

/** How long the prefix of this prompt stays in the automatic cache. */
export function readCacheTtl(options: unknown): number {
  const wanted = isObject(options) ? options['ttl'] : undefined;
  const ttlMs = CACHE_TTL_MS[typeof wanted === 'string' ? wanted : '5m'];
  if (ttlMs === undefined || (wanted !== undefined && typeof wanted !== 'string'))
    throw invalid('Invalid request: prompt_cache_options.ttl must be 5m or 1h');
  return ttlMs;
}
