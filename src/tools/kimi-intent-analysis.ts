import * as z from 'zod';
import type { AskedBy, AskReport, Intent, Manager } from '#core/ask.ts';
import type { Call } from '#core/call.ts';
import { defineTool } from '#core/define-tool.schema.ts';
import { reason } from '#core/messages/reasons.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { asSentence } from '#core/messages/sentence.ts';
import { PROVIDER_IDS } from '#core/provider.ts';
import { REQUEST_CLASSES, type Candidate, type RequestClass, type RoutePlan } from '#core/route.ts';
import type { Tool } from '#core/tool.ts';
import * as fields from './asking/fields.ts';
import { readAskRequest } from './asking/read-request.ts';
import { placeText } from './reporting/place-text.ts';
import { ReasonShape } from './reporting/reason-shape.ts';

/** What a request is taken for, and who would answer it; nobody answers it here. */
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
      recommended_provider: z.enum(PROVIDER_IDS).optional(),
      recommended_model: z.string().optional(),
    }),
    effect: 'reads',
    openWorld: true,
    category: 'fast_response',
    profile: 'full',
    lane: 'provider',
    async run({ prompt, context: background = '' }, context) {
      const text = background.trim() === '' ? prompt : `${prompt}\n\nContext:\n${background}`;
      const request = readAskRequest({ prompt: text });
      const by = askedBy(context);
      const asked: AskReport[] = [];
      const said = await manager.classify(request, by, {
        onReport: (report) => asked.push(report),
      });
      const search = said.needsWebSearch === 'yes' ? 'on' : 'off';
      const { plan } = await manager.explain(
        { ...request, search },
        { ...by, tool: 'chat' },
        'plan_only',
      );
      const intent = possible(said, plan);
      const first = recommended(plan);
      return {
        text: inWords(intent, first),
        asked,
        content: {
          needs_websearch: intent.needsWebSearch === 'yes',
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

/** The request is judged as the general tool would get it: the rules for this one's name are about this one. */
function askedBy({ reqId, caller, deadline, signal }: Call): AskedBy {
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

/** What a request is by what it brings along, and not by what it says. */
const BY_CONTENT: ReadonlySet<RequestClass> = new Set<RequestClass>([
  'file_qa',
  'vision',
  'agentic',
  'long_context',
]);

/** A model may say what a request means, not what is in it: of that the rules know better. */
function possible(intent: Intent, plan: RoutePlan | undefined): Intent {
  const { class: said } = intent;
  if (intent.by === 'rules' || !BY_CONTENT.has(said) || plan?.class === said) return intent;
  const { class: kind, confidence } = plan ?? UNKNOWN;
  const { model: _, ...rest } = intent;
  const why = reason('class_without_content', { class: said });
  return { ...rest, class: kind, confidence, reason: why, by: 'rules' };
}

/** Of a request that nobody can be asked. */
const UNKNOWN = { class: 'chat', confidence: 0.5 } as const;

/** Nobody when nobody could be asked. */
function recommended(plan: RoutePlan | undefined): Candidate | undefined {
  const first = plan?.candidates[0];
  return first?.isLastResort ? undefined : first;
}

function inWords(intent: Intent, first: Candidate | undefined): string {
  const { class: kind, confidence, by, complexity, domains, needsWebSearch } = intent;
  const about = domains.length === 0 ? '' : `, about ${domains.join(', ')}`;
  const judge = by === 'model' ? (intent.model ?? 'the manager’s model') : 'the rules';
  return [
    `A ${complexity} request of the class ${kind}${about}; ${needsWebSearch === 'yes' ? 'it needs the web' : 'it needs no web search'}.`,
    `Said by ${judge}, ${Math.round(confidence * 100)} % sure: ${asSentence(baseRenderer.reason(intent.reason))}`,
    first
      ? `It would go to ${first.model} of ${first.provider}: ${placeText(first)}`
      : 'No model could be asked now.',
  ].join('\n');
}
