import type { BoundedMap } from '#core/bounded-map.ts';
import { CallError } from '#core/call-error.ts';
import type { ProviderContext } from '#core/provider.ts';
import { asObject, type Unknown } from '../wire/json-read.ts';
import { toCallError, vendorErrorOf } from '../wire/read-error.ts';
import type { Wire, WireCall } from '../wire/wire.ts';
import type { WireOptions } from '../wire/wire-options.ts';
import { standardUrl, type Site } from './site.ts';

/** GLM as its endpoints beside chat see it. */
export interface Glm {
  readonly wire: Wire;
  readonly options: WireOptions;
  readonly site: Site;
  /** How long the prompts of calls that were left with the vendor are, about, by the ids of the calls. */
  readonly leftInputs: BoundedMap<string, number>;
}

/** Asks an endpoint and gives the object that it answered; an error inside an answer is an error. */
export async function askGlm(
  { wire, options }: Glm,
  call: WireCall,
  context: ProviderContext,
): Promise<Unknown> {
  const path = `${standardUrl(options.baseUrl)}${call.path}`;
  const answer = await wire.call({ ...call, path }, context);
  const body = asObject(answer.json);
  if (body?.['error'] !== undefined && body['error'] !== null)
    throw toCallError(vendorErrorOf(200, body), answer.headers, call.model, options);
  if (!body) throw unusable('something that is no JSON object');
  return body;
}

export function unusable(what: string): CallError {
  return new CallError('bad_response', `GLM answered ${what}.`, { provider: 'glm' });
}

export function refuseInput(field: string, message: string, fix: string): CallError {
  return new CallError('validation', message, { provider: 'glm', field, fix });
}

/** An id of the vendor's within a path. What could lead elsewhere is no id. */
export function idInPath(id: string, field: string): string {
  if (!/^[\w.:-]{1,200}$/.test(id) || /^\.+$/.test(id))
    throw refuseInput(field, 'This is no id of GLM.', 'Give it as GLM gave it.');
  return encodeURIComponent(id);
}
