import * as z from 'zod';
import { ERROR_CLASSES } from '../errors/error-class.ts';
import { REQUEST_CLASSES } from '../llm/route.ts';

const count = z.number().int().nonnegative();

export const Usage = z.strictObject({
  input: count.describe('Prompt tokens.'),
  output: count.describe('Completion tokens.'),
  cached: count.describe('Prompt tokens read from a cache.'),
  reasoning: count.describe('Completion tokens spent on thinking.'),
  cost_usd: z.number().nonnegative(),
  unpriced: z
    .literal(true)
    .optional()
    .describe('Present when the price of some of it is unknown; cost_usd is the rest.'),
  estimated: z.boolean().describe('True when the provider reported no usage.'),
});

/** A message as data; `src/core/messages` renders it. */
const Coded = z.strictObject({ code: z.string(), params: z.record(z.string(), z.unknown()) });
const Fix = z.strictObject({ kind: z.string(), params: z.record(z.string(), z.unknown()) });

export const Attempt = z.strictObject({
  attempt: z.number().int().positive(),
  provider: z.string(),
  model: z.string(),
  elapsed_ms: z.number().nonnegative(),
  outcome: z.enum(['ok', ...ERROR_CLASSES]),
  because: z.string().optional().describe('Why it failed.'),
  next: z.string().optional().describe('The model that the fallback used.'),
  hedge: z
    .literal(true)
    .optional()
    .describe('Present when it was asked beside an earlier attempt, which was silent.'),
});

/** A call of another tool within a call, which has its own audit row. */
export const InnerCallSummary = z.strictObject({
  tool: z.string(),
  req_id: z.string(),
  outcome: z.enum(['ok', ...ERROR_CLASSES]),
  elapsed_ms: z.number().nonnegative(),
  round: z.number().int().positive().optional().describe('The round of a tool loop.'),
});

/** The common structure of every result, success or failure. */
export const Envelope = z.strictObject({
  status: z
    .string()
    .describe('`success`, `error`, `degraded`, `running`, or the status of a workflow step.'),
  error_class: z.enum(ERROR_CLASSES).optional(),
  provider: z.string().optional(),
  model: z.string().optional(),
  tool: z.string(),
  attempt: count.describe('How many attempts it took; 0 when no model was asked.'),
  req_id: z.string(),
  detail: z.string().optional().describe('What went wrong and what to do, or a notice.'),
  notice_data: z.array(Coded).optional().describe('Notices beside the answer, as data.'),
  error: z
    .strictObject({
      message: z.string(),
      reason: Coded.optional(),
      field: z.string().optional(),
      fixes: z.array(Fix).optional(),
    })
    .optional()
    .describe('A failure in parts; detail is the same as a text.'),
  content: z.unknown(),
  continuation: z
    .strictObject({ id: z.string(), remaining_turns: count, note: z.string() })
    .optional(),
  usage: Usage.optional(),
  route: z
    .strictObject({
      class: z.enum(REQUEST_CLASSES).optional(),
      rule: z.string().optional(),
      because: z.array(z.string()),
      reasons: z.array(Coded).optional().describe('The same as because, as data, in its order.'),
      attempts: z.array(Attempt),
      calls: z
        .array(InnerCallSummary)
        .optional()
        .describe('Tools that were called on the way; their usage is included.'),
      notices: z.array(z.string()).optional().describe('What was summarised, left out or changed.'),
      notice_data: z
        .array(Coded)
        .optional()
        .describe('The same as notices, as data, in its order.'),
      seams: z
        .array(z.strictObject({ at: count, provider: z.string(), model: z.string() }))
        .optional()
        .describe('After how many characters another model continued the answer.'),
    })
    .optional(),
  job: z.looseObject({ id: z.string() }).optional(),
  page: z.strictObject({ id: z.string(), next: count.optional() }).optional(),
});

export type Usage = z.infer<typeof Usage>;
export type Attempt = z.infer<typeof Attempt>;
export type InnerCallSummary = z.infer<typeof InnerCallSummary>;
export type Envelope = z.infer<typeof Envelope>;
