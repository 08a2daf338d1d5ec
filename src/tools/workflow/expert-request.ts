import type { AskRequest, AskText } from '#core/ask.ts';
import { readAskRequest } from '../asking/read-request.ts';
import { systemPrompt } from '../asking/system-prompt.ts';
import { findingsText } from './consolidate.ts';
import type { WorkflowDefinition } from './definition.ts';
import { EXPERT_FRAME } from './expert-frame.prompt.ts';
import type { WorkflowArgs } from './step-fields.ts';
import type { WorkflowState } from './state.ts';

/** What the expert is asked, without the conversation before it. All that callers and files say goes as material. */
export function expertRequest(
  definition: WorkflowDefinition,
  args: WorkflowArgs,
  state: WorkflowState,
  material: readonly AskText[],
  locale: string,
): AskRequest {
  const { images, model, use_websearch, thinking_mode, temperature, max_cost_usd, depth } = args;
  const request = readAskRequest({
    prompt: question(definition, args),
    images,
    model,
    use_websearch,
    thinking_mode,
    temperature,
    max_cost_usd,
  });
  return {
    ...request,
    system: systemPrompt(`${definition.prompt}\n\n${EXPERT_FRAME}`, {
      locale,
      search: request.search,
    }),
    // Of two with one name the last counts, so no file can stand in for these.
    files: [
      ...material,
      { name: '[request]', text: state.steps[0]?.step ?? args.step, as: 'material' },
      { name: '[findings]', text: findingsText(state), as: 'material' },
    ],
    step: { number: args.step_number, more: 'no', ...(depth && { depth }) },
    // A quotation of the findings is no second opinion.
    lastResort: 'none',
  };
}

function question(definition: WorkflowDefinition, args: WorkflowArgs): string {
  const brief = definition.brief?.(args) ?? [];
  return ['Judge the work that [request] and [findings] tell of.', ...brief].join('\n');
}
