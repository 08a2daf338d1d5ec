import type { AccessDecision } from '#core/auth/decision.ts';
import type { Caller } from '#core/calls/call.ts';
import type { CallRequest, CallResult } from '#core/calls/calls.ts';
import type { RequestMetadata } from '#core/calls/request-metadata.schema.ts';
import type { CallError } from '#core/errors/call-error.ts';
import type { ErrorClass } from '#core/errors/error-class.ts';
import type { Mutable } from '#core/mutable.ts';
import type { AuditedDecision, CallRecord } from '#core/stores/calls.ts';
import { internLabels } from '#core/telemetry/intern-labels.ts';
import { markLogged } from '#core/telemetry/logged-errors.ts';
import { createRateLimitedLog } from '#core/telemetry/rate-limited-log.ts';
import type { Log, Metrics } from '#core/telemetry/telemetry.ts';
import { oneLine } from '#core/text/text.ts';
import type { Clock } from '#core/time/clock.ts';
import { isCallable } from './access.ts';
import { createCallLog } from './call-log.ts';
import type { ResolvedCall } from './resolve-call.ts';

interface CallObserver {
  /** `tool` is a metric label and must not be untrusted text. */
  ended(
    tool: string,
    status: string,
    error: CallError | undefined,
    about: {
      readonly reqId: string;
      readonly elapsedMs: number;
      /** The tool name as the caller wrote it. */
      readonly requestedName: string;
      readonly transport: string;
      readonly principal: string;
      readonly client: string | undefined;
      readonly via?: string | undefined;
    },
  ): void;
}

const FAILURES_PER_MINUTE = 60;
const MAX_NAME_CHARS = 128;

/** Errors caused by the caller, which are logged as info, not as warnings. */
const CALLERS_OWN: ReadonlySet<ErrorClass> = new Set<ErrorClass>([
  'bad_request',
  'validation',
  'permission',
  'not_found',
  'cancelled',
]);

/** Records metrics of calls and logs them. */
export function createCallObserver(metrics: Metrics, log: Log, clock: Clock): CallObserver {
  const total = metrics.counter('exai_calls_total', 'Calls answered, by tool and outcome.');
  const seconds = metrics.histogram('exai_call_seconds', 'Time from a call to its answer.');
  const ofTool = internLabels('tool');
  const ofOutcome = internLabels('tool', 'outcome');
  const ofWrapped = internLabels('tool', 'outcome', 'via');
  const warn = createRateLimitedLog(log, clock, FAILURES_PER_MINUTE);
  const tell = createRateLimitedLog(log, clock, FAILURES_PER_MINUTE, 'info');
  const logSuccess = createCallLog(log, clock);
  return {
    ended(
      tool,
      status,
      error,
      { reqId, elapsedMs, requestedName, transport, principal, client, via },
    ) {
      const outcome = error ? error.class : status;
      total.add(via === undefined ? ofOutcome(tool, outcome) : ofWrapped(tool, outcome, via));
      seconds.observe(elapsedMs / 1000, ofTool(tool));
      const name = oneLine(requestedName, MAX_NAME_CHARS);
      if (!error) {
        const elapsed = Math.round(elapsedMs);
        return logSuccess({
          tool: name,
          via,
          status,
          elapsed_ms: elapsed,
          principal,
          client,
          transport,
          req_id: reqId,
        });
      }
      markLogged(error);
      const fields = { req_id: reqId, tool: name, via, client, error: error.toJSON() };
      if (error.class === 'internal') log.error('call_failed', { ...fields, cause: error.cause });
      else if (CALLERS_OWN.has(error.class)) tell('call_failed', fields);
      else warn('call_failed', fields);
    },
  };
}

/** The audit row of a call: caller, tool, time and outcome; never its content. */
export function toAuditRow(
  request: CallRequest,
  resolved: ResolvedCall,
  { envelope, error }: CallResult,
  about: {
    readonly at: number;
    readonly elapsedMs: number;
    readonly metadata: RequestMetadata;
    readonly sharedWith: string | undefined;
  },
): CallRecord {
  const { clientMetadata } = resolved;
  const { clientInfo } = request.caller;
  const row: Mutable<CallRecord> = {
    reqId: envelope.req_id,
    at: about.at,
    principal: request.caller.principal,
    agent: request.caller.agent ?? null,
    door: request.transport,
    tool: resolved.toolName,
    status: envelope.status,
    errorClass: error?.class ?? null,
    argsSha256: resolved.argsSha256,
    elapsedMs: Math.round(about.elapsedMs * 1000) / 1000,
    metadata: about.metadata,
  };
  const access = auditedDecision(request.caller, resolved.decision);
  if (access) row.access = access;
  if (clientInfo) row.clientInfo = clientInfo;
  if (clientMetadata) row.clientMetadata = clientMetadata;
  const via = callerTool(request);
  if (via !== undefined) row.via = via;
  if (about.sharedWith !== undefined) row.sharedWith = about.sharedWith;
  return row;
}

function auditedDecision(
  { agent }: Caller,
  decision: AccessDecision | undefined,
): AuditedDecision | undefined {
  if (!decision || (agent === undefined && isCallable(decision))) return undefined;
  const because = decision.reasons.map(({ code, params }) => ({
    code,
    ...('row' in params && { row: params.row }),
    ...('scope' in params && { scope: params.scope }),
  }));
  return { verdict: decision.verdict, because };
}

/** The wrapper that named the tool, or the tool whose call made this one. */
export function callerTool({
  via,
  within,
}: Pick<CallRequest, 'via' | 'within'>): string | undefined {
  return via ?? within?.tool;
}
