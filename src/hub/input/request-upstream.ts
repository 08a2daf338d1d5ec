import type { UpstreamConfig } from '#core/hub/upstream-config.ts';
import type { Upstream, UpstreamContext, UpstreamRequest } from '#core/hub/upstream.ts';
import type { JsonObject } from '#core/json/json.ts';
import type { Tracer } from '#core/telemetry/telemetry.ts';
import type { ToolContext } from '#core/tools/tool.ts';
import type { CallLogins } from '../login/call-logins.ts';
import { requestInRounds } from './modern-input.ts';
import type { OngoingWork } from './ongoing-call.ts';
import type { OngoingCalls, UpstreamOutcome } from './ongoing-calls.ts';
import { requestPolicy } from './request-policy.ts';
import { callCapabilities } from './server-request.ts';

export interface PassThroughOptions {
  readonly upstream: Upstream;
  readonly config: Pick<UpstreamConfig, 'callTimeoutMs' | 'sampling' | 'scan' | 'shared'>;
  readonly tracer: Tracer;
  readonly ongoing: OngoingCalls;
  /** Absent: a call to a server that wants a login fails. */
  readonly logins?: CallLogins;
}

/** How many logins one call may ask its user for: one, and one for more scopes. */
const MAX_LOGINS = 2;
/** The end of a parked call that was only a login, with how many there were. */
const LOGGED_IN = 'exai/logged-in';

type AboutRequest = UpstreamRequest & Pick<UpstreamContext, 'headers' | 'traceparent'>;

/**
 * Sends a request of a call to an upstream. What the server asks meanwhile goes to the client of
 * the call, in whichever era each of them is: it comes back as input that is required. So does the
 * login that a server wants, after which the request is sent again.
 */
export async function requestUpstream(
  options: PassThroughOptions,
  request: AboutRequest,
  context: ToolContext,
): Promise<UpstreamOutcome> {
  const { upstream, ongoing, logins } = options;
  const { name: server } = upstream;
  const { inputHandle } = context;
  let count = 0;
  if (inputHandle !== undefined && ongoing.isParked(inputHandle)) {
    const outcome = await ongoing.resume(inputHandle, server, context);
    const loggedIn = outcome.is === 'result' ? outcome.result[LOGGED_IN] : undefined;
    if (typeof loggedIn !== 'number') return outcome;
    count = loggedIn;
  }
  for (;;) {
    try {
      return await send(options, request, context);
    } catch (thrown) {
      if (!logins?.helps(thrown, server, context) || count >= MAX_LOGINS) throw thrown;
    }
    count += 1;
    const outcome = await ongoing.run(loginOf(server, logins, context, count), context);
    if (outcome.is === 'input') return outcome;
  }
}

/** A login as work that asks the client. */
function loginOf(
  server: string,
  logins: CallLogins,
  { caller }: ToolContext,
  count: number,
): OngoingWork {
  return {
    server,
    decide: () => 'client',
    async send({ onServerRequest, signal }) {
      if (onServerRequest) await logins.logIn(server, caller, onServerRequest, signal);
      return { [LOGGED_IN]: count };
    },
  };
}

async function send(
  { upstream, config, ongoing }: PassThroughOptions,
  { method, params, ...more }: AboutRequest,
  context: ToolContext,
): Promise<UpstreamOutcome> {
  const { name: server } = upstream;
  const { caller } = context;
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
    const repeat = (repeated: JsonObject) =>
      upstream.request({ method, params: { ...params, ...repeated } }, about);
    return requestInRounds({ server, decide, send: repeat }, context);
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
