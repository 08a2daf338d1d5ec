import type { GatewayChoice } from '#core/gateway.ts';
import type { JsonObject } from '#core/json.ts';
import { isTooDeep } from '../gateway/nesting.ts';

/** For the client to hand back; nothing where there is nothing, or where it would not be taken back. */
export function detailsOf({
  reasoningDetails: details,
}: GatewayChoice): readonly JsonObject[] | undefined {
  return details.length === 0 || isTooDeep(details) ? undefined : details;
}
