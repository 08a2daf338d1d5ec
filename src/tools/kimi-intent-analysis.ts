import * as z from 'zod';
import type { AskContext, AskReport, Intent, Manager } from '#core/llm/ask.ts';
import type { Call } from '#core/calls/call.ts';
import { defineTool } from '#core/tools/define-tool.schema.ts';
import { reason } from '#core/messages/reasons.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { asSentence } from '#core/messages/sentence.ts';
import {
  REQUEST_CLASSES,
  type Candidate,
  type RequestClass,
  type RoutePlan,
} from '#core/llm/route.ts';
import type { Tool } from '#core/tools/tool.ts';
import * as fields from './shared/fields.ts';
import { readAskRequest } from './shared/read-ask-request.ts';
import { describePlacement, ReasonShape } from './reporting/reasons.ts';

/** Classifies a request and names the model that would answer it, without answering it. */
export function kimiIntentAnalysis(manager: Pick<Manager, 'classify' | 'explain'>): Tool {
  return defineTool({
    name: 'kimi_intent_analysis',
    title: 'Intent analysis',
    description:
      'What a request is about, without answering it: its class, how hard it is, whether it needs the web, and the model that would be asked.',
    input: z.strictObject({
      prompt: fields.promptField,
      context: z.string().optional().describe('What one should know to understand it.'),
    }),
    output: z.strictObject({
      needs_websearch: z.boolean(),
      complexity: z.enum(['simple', 'moderate', 'deep']),
      domains: z.array(z.string()),
      class: z.enum(REQUEST_CLASSES),
      confidence: z.number(),
      because: z.string(),
      reason: ReasonShape,
      by: z.enum(['rules', 'model']),
      recommended_provider: z.string().optional(),
      recommended_model: z.string().optional(),
    }),
    effect: 'reads',
    openWorld: true,
    category: 'fast_response',
    tier: 'manager',
    profile: 'full',
    pool: 'provider',
    async run({ prompt, context: background = '' }, context) {
      const text = background.trim() === '' ? prompt : `${prompt}\n\nContext:\n${background}`;
      const request = readAskRequest({ prompt: text });
      const by = askedBy(context);
      const asked: AskReport[] = [];
      const classified = await manager.classify(request, by, {
        onReport: (report) => asked.push(report),
      });
      const search = classified.needsWebSearch ? 'on' : 'off';
      const { plan } = await manager.explain(
        { ...request, search },
        { ...by, tool: 'chat' },
        'plan_only',
      );
      const intent = possible(classified, plan);
      const first = recommended(plan);
      return {
        text: renderIntent(intent, first),
        askReports: asked,
        content: {
          needs_websearch: intent.needsWebSearch,
          complexity: intent.complexity,
          domains: intent.domains,
          class: intent.class,
          confidence: intent.confidence,
          because: asSentence(baseRenderer.reason(intent.reason)),
          reason: intent.reason,
          by: intent.by,
          ...(first && { recommended_provider: first.provider, recommended_model: first.model }),
        },
      };
    },
  });
}

/**
 * The context of the classification. The request is judged as chat would get it, because the rules
 * for this tool's name concern this tool.
 */
function askedBy({ reqId, caller, deadline, signal }: Call): AskContext {
  let attempts = 0;
  return {
    reqId,
    caller,
    deadline,
    signal,
    tool: 'kimi_intent_analysis',
    category: 'fast_response',
    nextAttempt: () => ++attempts,
  };
}

/** Classes that follow from attachments and tools, not from the text. */
const BY_CONTENT: ReadonlySet<RequestClass> = new Set<RequestClass>([
  'file_qa',
  'vision',
  'agentic',
  'long_context',
]);

/**
 * Corrects a class that the content rules out: the rules know what the request contains, a model
 * only guesses.
 */
function possible(intent: Intent, plan: RoutePlan | undefined): Intent {
  const { class: classified } = intent;
  if (intent.by === 'rules' || !BY_CONTENT.has(classified) || plan?.class === classified)
    return intent;
  const { class: kind, confidence } = plan ?? UNKNOWN;
  const { model: _, ...rest } = intent;
  const why = reason('class_without_content', { class: classified });
  return { ...rest, class: kind, confidence, reason: why, by: 'rules' };
}

/** For a request that no model can answer. */
const UNKNOWN = { class: 'chat', confidence: 0.5 } as const;

/** The first candidate; undefined if only the extractive fallback is left. */
function recommended(plan: RoutePlan | undefined): Candidate | undefined {
  const first = plan?.candidates[0];
  return first?.isLastResort ? undefined : first;
}

function renderIntent(intent: Intent, first: Candidate | undefined): string {
  const { class: kind, confidence, by, complexity, domains, needsWebSearch } = intent;
  const about = domains.length === 0 ? '' : `, about ${domains.join(', ')}`;
  const judge = by === 'model' ? (intent.model ?? 'the manager’s model') : 'the rules';
  return [
    `A ${complexity} request of the class ${kind}${about}; ${needsWebSearch ? 'it needs the web' : 'it needs no web search'}.`,
    `Said by ${judge}, ${Math.round(confidence * 100)} % sure: ${asSentence(baseRenderer.reason(intent.reason))}`,
    first
      ? `It would go to ${first.model} (${first.provider}): ${describePlacement(first)}`
      : 'No model could be asked now.',
  ].join('\n');
}
