import { isObject } from '../is-object.ts';

/** The model that a request names, or nothing. */
export function modelOf(json: unknown): string {
  const model = isObject(json) ? json['model'] : undefined;
  return typeof model === 'string' ? model : '';
}
