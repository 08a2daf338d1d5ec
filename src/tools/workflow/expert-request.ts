import type { AskRequest, AskText } from '#core/llm/ask.ts';
import { readAskRequest } from '../shared/read-ask-request.ts';
import { systemPrompt } from '../shared/system-prompt.ts';
import { findingsText } from './consolidate.ts';
import type { WorkflowDefinition } from './definition.ts';
import { EXPERT_FRAME } from './expert-frame.prompt.ts';
import type { WorkflowArgs } from './step-fields.ts';
import type { WorkflowState } from './state.ts';

/**
 * The request to the expert, without the history. Everything from callers and files is material.
 */
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
    // Of two files with one name the last counts, so no file can replace these.
    files: [
      ...material,
      { name: '[request]', text: state.steps[0]?.step ?? args.step, as: 'material' },
      { name: '[findings]', text: findingsText(state), as: 'material' },
    ],
    step: { number: args.step_number, more: 'no', ...(depth && { depth }) },
    // An extractive fallback would only quote the findings.
    lastResort: 'none',
  };
}

function question(definition: WorkflowDefinition, args: WorkflowArgs): string {
  const brief = definition.brief?.(args) ?? [];
  return ['Judge the work that [request] and [findings] tell of.', ...brief].join('\n');
}
