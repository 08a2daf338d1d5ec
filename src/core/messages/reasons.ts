import { ACCESS_REASON_SENTENCES, type AccessReasonParams } from './access-reasons.ts';
import { BREAKER_REASON_SENTENCES, type BreakerReasonParams } from './breaker-reasons.ts';
import { BUDGET_REASON_SENTENCES, type BudgetReasonParams } from './budget-reasons.ts';
import type { Coded, SentenceTable } from './coded-message.ts';
import { CONTEXT_REASON_SENTENCES, type ContextReasonParams } from './context-reasons.ts';
import { ERROR_REASON_SENTENCES, type ErrorReasonParams } from './error-reasons.ts';
import { HUB_REASON_SENTENCES, type HubReasonParams } from './hub-reasons.ts';
import { LOOP_REASON_SENTENCES, type LoopReasonParams } from './loop-reasons.ts';
import { LOOKUP_REASON_SENTENCES, type LookupReasonParams } from './lookup-reasons.ts';
import { MODEL_REASON_SENTENCES, type ModelReasonParams } from './model-reasons.ts';
import {
  ROUTING_REASON_SENTENCES,
  RULE_REASON_SENTENCES,
  type RoutingReasonParams,
  type RuleReasonParams,
} from './routing-reasons.ts';
import { RUN_REASON_SENTENCES, type RunReasonParams } from './run-reasons.ts';
import { SCAN_REASON_SENTENCES, type ScanReasonParams } from './scan-reasons.ts';
import { WEB_REASON_SENTENCES, type WebReasonParams } from './web-reasons.ts';

/** Why something was decided or failed: the codes of routing, access and errors. */
export interface ReasonParams
  extends
    AccessReasonParams,
    BreakerReasonParams,
    BudgetReasonParams,
    ContextReasonParams,
    ErrorReasonParams,
    HubReasonParams,
    LookupReasonParams,
    LoopReasonParams,
    ModelReasonParams,
    RoutingReasonParams,
    RuleReasonParams,
    RunReasonParams,
    ScanReasonParams,
    WebReasonParams {
  /** Text from outside (a vendor, a program, the operating system), or used in one place only. */
  text: { readonly text: string };
}

export type ReasonCode = keyof ReasonParams;
export type Reason = Coded<ReasonParams>;

/** The parameters of a code that has none. */
export type NoParams = Readonly<Record<string, never>>;

export function reason<Code extends ReasonCode>(
  code: Code,
  ...[params]: ReasonParams[Code] extends NoParams ? [] : [ReasonParams[Code]]
): Reason {
  return { code, params: params ?? {} } as Reason;
}

export const REASON_SENTENCES: SentenceTable<ReasonParams> = {
  text: ({ text }) => text,
  ...ACCESS_REASON_SENTENCES,
  ...BREAKER_REASON_SENTENCES,
  ...BUDGET_REASON_SENTENCES,
  ...CONTEXT_REASON_SENTENCES,
  ...ERROR_REASON_SENTENCES,
  ...HUB_REASON_SENTENCES,
  ...LOOKUP_REASON_SENTENCES,
  ...LOOP_REASON_SENTENCES,
  ...MODEL_REASON_SENTENCES,
  ...ROUTING_REASON_SENTENCES,
  ...RULE_REASON_SENTENCES,
  ...RUN_REASON_SENTENCES,
  ...SCAN_REASON_SENTENCES,
  ...WEB_REASON_SENTENCES,
};

/** Whether data from another process has only known codes, also within its parameters. */
export function isReason(value: unknown): value is Reason {
  const { code, params } = (value ?? {}) as { readonly code?: unknown; readonly params?: unknown };
  const isKnown = typeof code === 'string' && Object.hasOwn(REASON_SENTENCES, code);
  return isKnown && typeof params === 'object' && params !== null && areKnown(params);
}

/** Whether all reasons within parameters have known codes. */
export function areKnown(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  const isMessage = 'code' in value && 'params' in value;
  return isMessage ? isReason(value) : Object.values(value).every(areKnown);
}
