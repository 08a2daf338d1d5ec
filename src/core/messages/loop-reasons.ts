import { formatDuration } from '../text/format.ts';
import type { SentenceTable } from './coded-message.ts';
import type { NoParams } from './reasons.ts';
import { listed } from './sentence.ts';

type Tool = { readonly tool: string };

/** Why a call of a tool loop was not run or failed, and why a loop ended before its answer. */
export interface LoopReasonParams {
  loop_tool_unknown: Tool & { readonly tools: readonly string[]; readonly more: number };
  loop_arguments_unreadable: Tool & { readonly problem: 'cut_off' | 'malformed' };
  /** The daemon stopped while a tool that writes ran. */
  loop_call_unfinished: Tool;
  loop_tool_slow: Tool & { readonly timeoutMs: number };
  /** It needs the client's user. A call within another call has no way to ask. */
  loop_tool_needs_input: Tool;
  /** A tool that is announced as reading calls no tool that writes. */
  loop_tool_not_reading: Tool;
  loop_round_full: { readonly max: number };
  /** A call was made again and had the same result. */
  loop_call_repeated: Tool & { readonly times: number };

  loop_calls_returned: { readonly tools: readonly string[] };
  loop_rounds_used: { readonly max: number };
  loop_calls_used: { readonly max: number };
  loop_calls_repeated: Tool & { readonly times: number };
  loop_time_used: NoParams;
  loop_budget_used: { readonly spentMicroUsd: number };
  loop_model_failed: { readonly rounds: number };

  /** Calls within calls are nested too deeply. */
  calls_nested: { readonly max: number };
}

export const LOOP_REASON_SENTENCES: SentenceTable<LoopReasonParams> = {
  loop_tool_unknown: ({ tool, tools, more }) =>
    `There is no tool "${tool}" in this conversation. The tools are: ${tools.join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
  loop_arguments_unreadable: ({ tool, problem }) =>
    problem === 'cut_off'
      ? `The arguments of ${tool} were cut off, so the call was not run`
      : `The arguments of ${tool} are not a JSON object, so the call was not run`,
  loop_call_unfinished: ({ tool }) =>
    `EX-AI stopped while ${tool} ran, so it is not known whether the call had an effect`,
  loop_tool_slow: ({ tool, timeoutMs }) =>
    `${tool} did not answer within ${formatDuration(timeoutMs / 1000)}`,
  loop_tool_needs_input: ({ tool }) =>
    `${tool} needs input from the user, which a call by a model cannot get`,
  loop_tool_not_reading: ({ tool }) =>
    `${tool} changes something, and this tool calls only tools that read`,
  loop_round_full: ({ max }) => `One round has at most ${max} calls, so this call was not run`,
  loop_call_repeated: ({ tool, times }) =>
    `${tool} was called ${times} times with these arguments and had the same result each time`,

  loop_calls_returned: ({ tools }) => `The model called ${listed(tools)}, which the caller runs`,
  loop_rounds_used: ({ max }) =>
    `The model called tools in ${max} ${max === 1 ? 'round' : 'rounds'}, the maximum`,
  loop_calls_used: ({ max }) => `The model made ${max} tool calls, the maximum`,
  loop_calls_repeated: ({ tool, times }) =>
    `The model called ${tool} ${times} times with the same arguments and the same result`,
  loop_time_used: () => 'The time of the call was nearly over, so no further tool was called',
  loop_budget_used: () => 'The cost limit was reached before the model had answered',
  loop_model_failed: ({ rounds }) =>
    `No model answered after ${rounds} ${rounds === 1 ? 'round' : 'rounds'} of tool calls`,

  calls_nested: ({ max }) => `A call within a call has at most ${max} levels`,
};
