import { computeAnswer } from '../answer.ts';
import { fitBudget } from '../budget.ts';
import { isObject } from '../is-object.ts';
import type { Ask } from '../vendor.ts';
import { invalid, noModel } from './errors.ts';
import { findModel } from './models.ts';
import type { KimiState } from './state.ts';

/**
 * The Responses face, for its trap alone: `thinking` is accepted there and ignored, and unknown
 * members are, too.
 */
export function serveResponses(ask: Ask, state: KimiState): object {
  const requested = isObject(ask.json) ? ask.json : {};
  const model = findModel(requested['model'], state.switches);
  if (model.family !== 'k3') throw noModel(model.id);
  const effort = isObject(requested['reasoning']) ? requested['reasoning']['effort'] : undefined;
  if (effort === 'none') throw invalid('reasoning.effort value "none" is not supported');
  const input =
    typeof requested['input'] === 'string'
      ? requested['input']
      : JSON.stringify(requested['input'] ?? '');
  const cap =
    typeof requested['max_output_tokens'] === 'number'
      ? requested['max_output_tokens']
      : model.defaultCap;
  const answer = computeAnswer({
    messages: [
      { role: 'user', text: input, media: [], name: undefined, calls: [], callId: undefined },
    ],
    tools: [],
    toolChoice: 'auto',
    format: 'text',
  });
  const fitted = fitBudget(answer, 'on', cap);
  const id = state.nextId();
  const message = {
    type: 'message',
    id: `msg_${id}`,
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: fitted.text.join(''), annotations: [] }],
  };
  return {
    id: `resp_${id}`,
    object: 'response',
    created_at: Math.floor(ask.now() / 1_000),
    model: model.id,
    status: fitted.finish === 'length' ? 'incomplete' : 'completed',
    output: [
      { type: 'reasoning', id: `rs_${id}`, summary: [] },
      ...(fitted.text.length > 0 ? [message] : []),
    ],
    usage: {
      input_tokens: input.length,
      output_tokens: fitted.completionTokens,
      output_tokens_details: { reasoning_tokens: fitted.reasoningTokens },
      total_tokens: input.length + fitted.completionTokens,
    },
  };
}
