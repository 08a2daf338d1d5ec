import type { BoundedMap } from '#core/bounded-map.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { ProviderContext } from '#core/llm/provider.ts';
import { asObject, type Unknown } from '../openai-compatible/response/json.ts';
import { toVendorCallError, vendorErrorOf } from '../openai-compatible/errors/vendor-error.ts';
import type { OpenAiClient, EndpointCall } from '../openai-compatible/openai-client.ts';
import type { OpenAiClientOptions } from '../openai-compatible/client-options.ts';
import { standardUrl, type Site } from './site.ts';

/** What the endpoints of GLM besides chat need. */
export interface Glm {
  readonly client: OpenAiClient;
  readonly options: OpenAiClientOptions;
  readonly site: Site;
  /** Estimated prompt tokens of async chats, by their ids. */
  readonly leftInputs: BoundedMap<string, number>;
}

/**
 * Calls an endpoint and returns the JSON object of the response. An error inside a successful
 * response is thrown.
 */
export async function callGlm(
  { client, options }: Glm,
  call: EndpointCall,
  context: ProviderContext,
): Promise<Unknown> {
  const path = `${standardUrl(options.baseUrl)}${call.path}`;
  const answer = await client.call({ ...call, path }, context);
  const body = asObject(answer.json);
  if (body?.['error'] !== undefined && body['error'] !== null)
    throw toVendorCallError(vendorErrorOf(200, body), answer.headers, call.model, options);
  if (!body) throw glmBadResponse('something that is not a JSON object');
  return body;
}

export function glmBadResponse(what: string): CallError {
  return new CallError('bad_response', `GLM answered ${what}.`, { provider: 'glm' });
}

export function refuseInput(field: string, message: string, fix: string): CallError {
  return new CallError('validation', message, { provider: 'glm', field, fix });
}

/** Encodes a vendor's id for a path. Anything that could lead to another path is refused. */
export function encodeGlmId(id: string, field: string): string {
  if (!/^[\w.:-]{1,200}$/.test(id) || /^\.+$/.test(id))
    throw refuseInput(field, 'This is not a GLM id.', 'Give it as GLM gave it.');
  return encodeURIComponent(id);
}
