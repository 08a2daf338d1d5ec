import { CallError } from '#core/call-error.ts';
import type { ToolChoice } from '#core/chat.ts';
import type { Json } from '#core/json.ts';
import { fix } from '#core/messages/fixes.ts';
import { notice } from '#core/messages/notices.ts';
import type { AnswerOf } from './schema-answer.ts';
import type { Ended, Round } from './round.ts';

/** A tool call that was demanded of a vendor that takes the demand and forgets it: looked for in the answer, and asked for once more. */
export interface DemandedCall {
  /** For a system message. */
  readonly instruction: string;
  /** For `ChatPlan.next`, whose rounds must hold their text. Throws `bad_response` when no call comes. */
  next(ended: Ended): Round | undefined;
}

export type Demand = Exclude<ToolChoice, 'auto' | 'none'>;

/** Of one chat: it knows whether the model was asked again. */
export function createDemandedCall(demand: Demand, about: AnswerOf): DemandedCall {
  const { title, provider, model } = about;
  const wanted = demand === 'required' ? 'one of the tools' : `the tool ${demand.name}`;
  const instruction = `Answer this by calling ${wanted}, not in words.`;
  let asked = 1;

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
      // A call of another tool has been told already and cannot be taken back.
      if (asked > 1 || toolCalls.length > 0) {
        const did = toolCalls.length > 0 ? 'called another' : `answered in words, ${asked} times`;
        throw new CallError('bad_response', `${title} was to call ${wanted} and ${did}.`, {
          provider,
          model,
          fixes: [fix('use_other_model'), 'Or say in the prompt what to call.'],
          dueTo: 'request',
        });
      }
      asked += 1;
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
