import * as z from 'zod';
import { ERROR_CLASSES } from '#core/errors/error-class.ts';
import type { ErrorJson } from '#core/errors/call-error.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import type { Reason } from '#core/messages/reasons.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { asSentence } from '#core/messages/sentence.ts';
import { toUsd } from '#core/text/money.ts';
import {
  REQUEST_CLASSES,
  THINKING_MODES,
  type Candidate,
  type RouteExplanation,
  type RouteFacts,
} from '#core/llm/route.ts';
import { describePlacement, ReasonShape } from './reasons.ts';

const count = z.number().int().nonnegative();

const FactsShape = z.strictObject({
  tool: z.string(),
  category: z.string(),
  affinity: z.string().optional(),
  model: z.string().optional(),
  named_as: z
    .string()
    .optional()
    .describe('What the client wrote; gateway.aliases says what it means.'),
  locked_model: z.string().optional(),
  step: z
    .strictObject({
      number: count.optional(),
      more: z.enum(['yes', 'no', 'unknown']),
      depth: z.string().optional(),
    })
    .optional(),
  tokens: count,
  question_tokens: count.optional(),
  max_output_tokens: count.optional(),
  files: z.strictObject({
    count,
    tokens: count,
    documents: count,
    scans: count,
    attached: count.optional(),
    unread: count.optional().describe('Of these, those that were not read.'),
  }),
  images: count,
  videos: count,
  search: z.enum(['on', 'off', 'auto']),
  fresh: z.strictObject({ words: z.string(), strength: z.enum(['strong', 'weak']) }).optional(),
  tools: count,
  format: z.enum(['text', 'json', 'json_schema']),
  cjk_share: z.number(),
  locale: z.string(),
  has_code: z.boolean(),
  prefer: z.string().optional(),
  thinking: z.enum(THINKING_MODES).optional(),
  fallback: z.enum(['chain', 'none']),
  last_resort: z.enum(['local', 'none']),
  context: z.literal('whole').optional().describe('It is never summarised or cut.'),
  max_cost_usd: z.number().optional(),
});

const LeftOutShape = z.strictObject({
  provider: z.string(),
  model: z.string(),
  because: z.string(),
  reason: ReasonShape,
});

/** An explanation by its names on the wire. */
export const ExplanationShape = z.strictObject({
  facts: FactsShape,
  panel: z
    .array(z.string())
    .optional()
    .describe('All who are asked the same at once; the rest is about the first.'),
  notices: z.array(z.string()).optional().describe('What this explanation cannot know.'),
  tried: z.array(
    z.strictObject({
      number: count,
      rule: z.string(),
      when: z.string(),
      verdict: z.enum(['wins', 'does_not_apply', 'nobody_left']),
      because: z.string(),
      reason: ReasonShape,
    }),
  ),
  plan: z
    .strictObject({
      class: z.enum(REQUEST_CLASSES),
      confidence: z.number(),
      rule: z.string(),
      because: z.array(z.string()),
      reasons: z.array(ReasonShape).describe('The same as because, as data, in its order.'),
      candidates: z.array(
        LeftOutShape.extend({
          remarks: z.array(ReasonShape).optional(),
          thinking: z
            .strictObject({ mode: z.enum(['on', 'off']), effort: z.string().optional() })
            .optional(),
          search: z.enum(['provider', 'none']),
          room_tokens: count,
          max_cost_usd: z.number().optional(),
          last_resort: z.boolean(),
        }),
      ),
      notices: z.array(z.string()),
      notice_data: z.array(ReasonShape).optional(),
    })
    .optional(),
  error: z
    .looseObject({ class: z.enum(ERROR_CLASSES), message: z.string() })
    .optional()
    .describe('Why no model is available.'),
  left_out: z.array(LeftOutShape),
  context: z.array(z.string()).describe('What would be summarised or left out.'),
  context_data: z.array(ReasonShape).optional(),
  payload: z
    .strictObject({ url: z.string().optional(), body: z.record(z.string(), z.unknown()) })
    .optional(),
  no_payload: z.string().optional(),
});
export type ExplanationContent = z.output<typeof ExplanationShape>;

/** What the tool knows beyond the manager's explanation. */
export interface ExplanationDetails {
  /** Models that are asked the same question; empty if only one is asked. */
  readonly panel: readonly string[];
  /** Number of files that are named but not read. */
  readonly unread: number;
  /** What is worth knowing about the files that were read. */
  readonly fileNotices: readonly Notice[];
}

/** Converts an explanation to its content. Clients with a token do not see provider URLs. */
export function explanationContent(
  explanation: RouteExplanation,
  { panel, unread, fileNotices }: ExplanationDetails,
  viewer: 'owner' | 'client',
): ExplanationContent {
  const { facts, tried, plan, error, leftOut, context, payload, noPayload } = explanation;
  const notices = [
    ...fileNotices,
    ...(unread > 0 ? [notice('files_not_read', { files: unread })] : []),
  ];
  return {
    facts: factsContent(facts, unread),
    ...(panel.length > 0 && { panel: [...panel] }),
    ...(notices.length > 0 && { notices: notices.map((each) => baseRenderer.notice(each)) }),
    tried: tried.map(({ id, ...trial }) => ({
      ...trial,
      rule: id,
      because: baseRenderer.reason(trial.reason),
    })),
    ...(plan && {
      plan: {
        class: plan.class,
        confidence: plan.confidence,
        rule: plan.rule,
        because: plan.reasons.map(sentence),
        reasons: [...plan.reasons],
        candidates: plan.candidates.map(candidateContent),
        notices: plan.notices.map((each) => baseRenderer.notice(each)),
        ...(plan.notices.length > 0 && { notice_data: [...plan.notices] }),
      },
    }),
    ...(error && { error: errorContent(error) }),
    left_out: leftOut.map(({ provider, model, reason }) => ({
      provider,
      model,
      because: baseRenderer.reason(reason),
      reason,
    })),
    context: context.map((each) => baseRenderer.notice(each)),
    ...(context.length > 0 && { context_data: [...context] }),
    ...(payload && {
      payload: { ...(viewer === 'owner' && { url: payload.url }), body: payload.body },
    }),
    ...(noPayload !== undefined && { no_payload: noPayload }),
  };
}

function sentence(reason: Reason): string {
  return asSentence(baseRenderer.reason(reason));
}

function factsContent(facts: RouteFacts, unread: number): ExplanationContent['facts'] {
  const { namedAs, namedBy: _, lockedModel, questionTokens, maxOutputTokens, ...rest } = facts;
  const { cjkShare, hasCode, lastResort, maxCostMicroUsd, ...same } = rest;
  return {
    ...same,
    ...(unread > 0 && { files: { ...same.files, unread } }),
    ...(namedAs !== undefined && { named_as: namedAs }),
    ...(lockedModel !== undefined && { locked_model: lockedModel }),
    ...(questionTokens !== undefined && { question_tokens: questionTokens }),
    ...(maxOutputTokens !== undefined && { max_output_tokens: maxOutputTokens }),
    cjk_share: cjkShare,
    has_code: hasCode,
    last_resort: lastResort,
    ...(maxCostMicroUsd !== undefined && { max_cost_usd: toUsd(maxCostMicroUsd) }),
  };
}

type ShownCandidate = NonNullable<ExplanationContent['plan']>['candidates'][number];

function candidateContent(candidate: Candidate): ShownCandidate {
  const { provider, model, reason, remarks, thinking, search, maxCostMicroUsd } = candidate;
  return {
    provider,
    model,
    because: describePlacement(candidate),
    reason,
    ...(remarks.length > 0 && { remarks: [...remarks] }),
    ...(thinking && { thinking }),
    search,
    room_tokens: candidate.roomTokens,
    ...(maxCostMicroUsd !== undefined &&
      !isUnpriced(candidate) && { max_cost_usd: toUsd(maxCostMicroUsd) }),
    last_resort: candidate.isLastResort,
  };
}

/** Budgets count the user's own server as free, but the price of its models is unknown. */
function isUnpriced({ provider, maxCostMicroUsd }: Candidate): boolean {
  return provider === 'custom' && maxCostMicroUsd === 0;
}

function errorContent({ retryAfterMs, ...error }: ErrorJson) {
  return { ...error, ...(retryAfterMs !== undefined && { retry_after_ms: retryAfterMs }) };
}
