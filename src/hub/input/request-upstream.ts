import type { UpstreamConfig } from '#core/hub/upstream-config.ts';
import type { Upstream, UpstreamContext, UpstreamRequest } from '#core/hub/upstream.ts';
import type { JsonObject } from '#core/json/json.ts';
import type { Tracer } from '#core/telemetry/telemetry.ts';
import type { ToolContext } from '#core/tools/tool.ts';
import { requestInRounds } from './modern-input.ts';
import type { OngoingCalls, UpstreamOutcome } from './ongoing-calls.ts';
import { requestPolicy } from './request-policy.ts';
import { callCapabilities } from './server-request.ts';

export interface PassThroughOptions {
  readonly upstream: Upstream;
  readonly config: Pick<UpstreamConfig, 'callTimeoutMs' | 'sampling' | 'scan' | 'shared'>;
  readonly tracer: Tracer;
  readonly ongoing: OngoingCalls;
}

type AboutRequest = UpstreamRequest & Pick<UpstreamContext, 'headers' | 'traceparent'>;

/**
 * Sends a request of a call to an upstream. What the server asks meanwhile goes to the client of
 * the call, in whichever era each of them is: it comes back as input that is required.
 */
export async function requestUpstream(
  { upstream, config, ongoing }: PassThroughOptions,
  { method, params, ...more }: AboutRequest,
  context: ToolContext,
): Promise<UpstreamOutcome> {
  const { name: server } = upstream;
  const { caller, inputHandle } = context;
  if (inputHandle !== undefined && ongoing.isParked(inputHandle)) {
    return ongoing.resume(inputHandle, server, context);
  }
  const decide = requestPolicy(server, config);
  const common = { ...more, caller, timeoutMs: config.callTimeoutMs };
  if (upstream.info()?.era === 'modern') {
    const about: UpstreamContext = {
      ...common,
      signal: context.signal,
      clientCapabilities: callCapabilities(context.clientCapabilities, config, caller),
      ...(context.clientLogLevel !== undefined && { logLevel: context.clientLogLevel }),
      onProgress: (step) => context.progress(step),
      onLog: (level, data) => context.logToClient(level, data),
    };
    const send = (repeated: JsonObject) =>
      upstream.request({ method, params: { ...params, ...repeated } }, about);
    return requestInRounds({ server, decide, send }, context);
  }
  return ongoing.run(
    {
      server,
      decide,
      send: (handlers) => upstream.request({ method, params }, { ...common, ...handlers }),
    },
    context,
  );
}
