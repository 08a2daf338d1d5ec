import type { ClientAbility } from '#core/question.ts';
import { capabilitiesFor } from './askable.ts';
import type { RpcError } from './json-rpc.ts';

const MISSING_CAPABILITY = -32021;

/** What a client would have to say of itself, so that it can be served. */
export function missingCapability(
  lacks: readonly ClientAbility[],
  message: string,
  more: object = {},
): RpcError {
  const data = { requiredCapabilities: capabilitiesFor(lacks), ...more };
  return { code: MISSING_CAPABILITY, message, data, status: 400 };
}
