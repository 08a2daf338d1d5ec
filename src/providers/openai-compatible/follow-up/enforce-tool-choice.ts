import { CallError } from '#core/errors/call-error.ts';
import type { ToolChoice } from '#core/llm/chat.ts';
import type { Json } from '#core/json/json.ts';
import { fix } from '#core/messages/fixes.ts';
import { notice } from '#core/messages/notices.ts';
import type { AnsweringModel } from './enforce-response-format.ts';
import type { StepResult, ChatStep } from '../chat-plan.ts';

/**
 * Enforces a tool choice that the vendor accepts and may ignore: the call is looked for in the
 * answer and asked for once more.
 */
export interface ToolChoiceEnforcer {
  /** For a system message. */
  readonly instruction: string;
  /**
   * For `ChatPlan.next`; the steps must hold their text. Throws `bad_response` when no call comes.
   */
  next(ended: StepResult): ChatStep | undefined;
}

export type ForcedToolChoice = Exclude<ToolChoice, 'auto' | 'none'>;

/** For one chat: remembers whether the model was asked again. */
export function enforceToolChoice(
  demand: ForcedToolChoice,
  about: AnsweringModel,
): ToolChoiceEnforcer {
  const { title, provider, model } = about;
  const wanted = demand === 'required' ? 'one of the tools' : `the tool ${demand.name}`;
  const instruction = `Answer this by calling ${wanted}, not in words.`;
  let attempts = 1;

  return {
    instruction,
    next({ body, turn, end }) {
      if (end.is === 'failed') return undefined;
      const { toolCalls, text } = turn;
      const isThere =
        demand === 'required'
          ? toolCalls.length > 0
          : toolCalls.some(({ name }) => name === demand.name);
      if (isThere) return undefined;
      // A call of another tool was already emitted and cannot be taken back.
      if (attempts > 1 || toolCalls.length > 0) {
        const did =
          toolCalls.length > 0 ? 'called another' : `answered in words, ${attempts} times`;
        throw new CallError('bad_response', `${title} was to call ${wanted} and ${did}.`, {
          provider,
          model,
          fixes: [fix('use_other_model'), 'Or say in the prompt what to call.'],
          dueTo: 'request',
        });
      }
      attempts += 1;
      const messages = Array.isArray(body['messages']) ? (body['messages'] as readonly Json[]) : [];
      return {
        body: {
          ...body,
          messages: [
            ...messages,
            { role: 'assistant', content: text.toWellFormed() },
            { role: 'user', content: `Do not answer in words: call ${wanted} now.` },
          ],
        },
        notices: [
          notice('asked_again', {
            model: title,
            reason: 'no_tool_call',
            ...(demand !== 'required' && { tool: demand.name }),
          }),
        ],
        hold: 'text',
      };
    },
  };
}
