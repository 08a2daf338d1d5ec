import type { Caller } from '#core/call.ts';
import type { CallRequest } from '#core/calls.ts';
import type { Clock } from '#core/clock.ts';
import type { Draft } from '#core/draft.ts';
import { abilitiesOf, askableOf } from '#mcp/askable.ts';
import { capabilitiesOf, clientInfoOf, clientNameOf, logLevelOf } from '#mcp/claim.ts';
import type { RpcRequest } from '#mcp/read-message.ts';
import type { Breath } from './breath.ts';
import type { CallParams } from './call-params.ts';
import { createClientLog } from './client-log.ts';
import type { CallInFlight } from './in-flight.ts';
import type { McpLine } from './mcp-line.ts';
import type { LegacyClient } from './methods.ts';
import type { Patience } from './patience.ts';
import { createProgress } from './progress.ts';

export interface ToCallRequestOptions {
  readonly line: McpLine;
  readonly clock: Clock;
  readonly caller: Caller;
  readonly session: string;
  readonly door: string;
  /** Of a legacy client, as it said when it began. */
  readonly legacy: Readonly<LegacyClient>;
  readonly breath: Breath;
  /** Absent where nothing goes on without its caller. */
  readonly patience: Patience | undefined;
  readonly maxTokens: number | undefined;
}

/** A request of the client as the life of a call takes it. */
export function toCallRequest(
  asked: CallParams,
  call: CallInFlight,
  { params }: RpcRequest,
  options: ToCallRequestOptions,
): CallRequest {
  const { line, caller, door, session, legacy, patience, maxTokens } = options;
  const { kind, tool, args, progressToken: token, traceparent, answers, state } = asked;
  const isModern = call.era === 'modern';
  const readAbilities = patience ? abilitiesOf : askableOf;
  const askable = isModern ? readAbilities(capabilitiesOf(params)) : legacy.askable;
  const request: Draft<CallRequest> = {
    kind,
    tool,
    args,
    caller,
    door,
    session,
    askable,
    onSay: createClientLog(line, call, () => (isModern ? logLevelOf(params) : legacy.logLevel)),
  };
  if (kind === 'tool') {
    if (patience) {
      const client = isModern ? clientNameOf(clientInfoOf(params)) : legacy.name;
      request.handOff = patience.decide(asked, askable, client);
    }
    if (maxTokens !== undefined && asked.takes === 'head') request.maxTokens = maxTokens;
  }
  if (isModern && answers) request.answers = answers;
  if (isModern && state !== undefined) request.state = state;
  if (traceparent !== undefined) request.traceparent = traceparent;
  if (token !== undefined) {
    const progress = createProgress({ line, clock: options.clock, token, call, text: asked.text });
    call.progress = progress;
    request.onProgress = progress.step;
    request.onAdmitted = progress.admitted;
    options.breath.begin();
  }
  return request;
}
