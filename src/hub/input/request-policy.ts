import { codedError } from '#core/errors/coded-error.ts';
import type { UpstreamConfig } from '#core/hub/upstream-config.ts';
import type { JsonObject } from '#core/json/json.ts';
import { reason } from '#core/messages/reasons.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import type { InputRequest } from '#core/tools/input-request.ts';
import type { OngoingContext } from './ongoing-calls.ts';
import { sampleFromModels } from './sample-from-models.ts';
import { rootsOf } from './server-request.ts';

/** Who answers what a server asks: its client, no one, or we ourselves. */
export type DecideRequest = (
  request: InputRequest,
  context: OngoingContext,
  signal: AbortSignalLike,
) => 'client' | 'refuse' | Promise<JsonObject>;

/** The tool that a caller must be allowed to use so that a server may ask our models for it. */
const MODEL_TOOL = 'chat';

/** By the settings of the server and the rights of the caller. */
export function requestPolicy(
  server: string,
  { sampling }: Pick<UpstreamConfig, 'sampling'>,
): DecideRequest {
  return (request, context, signal) => {
    if (request.is === 'roots') {
      const roots = rootsOf(context.caller);
      if (roots) return Promise.resolve(roots);
      return context.clientCapabilities.includes('roots') ? 'client' : Promise.resolve(NO_ROOTS);
    }
    if (request.is === 'sample') {
      if (sampling === 'deny') return 'refuse';
      if (sampling === 'models') {
        return context.calls.find(MODEL_TOOL)
          ? sampleFromModels(server, request.request, context, signal)
          : Promise.reject(notAllowed(server));
      }
    }
    return context.clientCapabilities.includes(request.is) ? 'client' : 'refuse';
  };
}

const NO_ROOTS: JsonObject = { roots: [] };

function notAllowed(server: string) {
  return codedError('permission', reason('sampling_not_allowed', { server, tool: MODEL_TOOL }));
}
