import { computeAnswer, isOrder, type Answer } from '../answer.ts';
import { cutAtStop, fitBudget, type FittedAnswer } from '../budget.ts';
import { callFaultOf, spoilCalls, type CallFault, type MadeCall } from '../call-faults.ts';
import { sayWords } from '../answer/scripts.ts';
import type { Fault } from '../vendor.ts';
import type { ChatPlan } from './plan-chat.ts';
import type { KimiState } from './state.ts';
import {
  answerFromSearch,
  callSearch,
  nextSearch,
  OWN_SEARCH,
  readSearches,
} from './web-search.ts';
import { WEB_SEARCH } from './check-tools.ts';

/** An answer in the vendor's parts, before it is written as JSON or as a stream. */
export interface KimiAnswer {
  readonly reasoning: readonly string[];
  readonly text: readonly string[];
  readonly calls: readonly MadeCall[];
  readonly finish: string;
  readonly callFault: CallFault | undefined;
  readonly reasoningTokens: number;
  readonly completionTokens: number;
}

export function answerChat(plan: ChatPlan, fault: Fault | undefined, state: KimiState): KimiAnswer {
  const callFault = callFaultOf(fault?.id);
  const answer = continuing(plan.prefix, compute(plan, fault, callFault, state));
  const shown = callFault === 'text' ? callsAsText(answer) : answer;
  const fitted =
    fault?.id === 'F13'
      ? starved(plan)
      : fitBudget(cutAtStop(shown, plan.stops), plan.thinking, plan.capTokens);
  const calls = spoilCalls(
    fitted.calls.map((call, index) => madeCall(call.name, call.pieces.join(''), index, state)),
    callFault,
  );
  return {
    reasoning: fitted.reasoning,
    text: fitted.text,
    calls,
    finish: plan.flagged ? 'content_filter' : callFault === 'stopfinish' ? 'stop' : fitted.finish,
    callFault,
    reasoningTokens: fitted.reasoningTokens,
    completionTokens: fitted.completionTokens,
  };
}

function compute(
  plan: ChatPlan,
  fault: Fault | undefined,
  callFault: CallFault | undefined,
  { switches }: KimiState,
): Answer {
  // F21: what was asked for is accepted and not looked at.
  const question =
    fault?.id === 'F21'
      ? { ...plan.question, format: 'text' as const, toolChoice: 'auto' as const }
      : plan.question;
  const { rounds, echoed } = readSearches(question);
  if (plan.hasWebSearch && question.toolChoice !== 'none') {
    const search = nextSearch(
      question,
      rounds,
      fault?.id === 'F14' ? Infinity : switches.webSearchRounds,
    );
    if (search !== undefined) return search;
    if (rounds === 0) return computeAnswer(withoutSearch(question));
  }
  // A caller that removes the tool after some rounds is answered from these.
  if (rounds > 0) {
    const answer = computeAnswer(withoutSearch(question));
    const asked = question.messages.findLast(({ role }) => role === 'user')?.text ?? '';
    return answer.calls.length > 0 || question.format !== 'text' || isOrder(asked)
      ? answer
      : { ...answer, text: answerFromSearch(question, echoed) };
  }
  // F14: a search of the caller is called as long as it is offered.
  const own = fault?.id === 'F14' && question.tools.find(({ name }) => name === OWN_SEARCH);
  if (own) return callSearch(question, own.name);
  const answer = computeAnswer(question);
  const [tool] = question.tools;
  if (callFault === undefined || answer.calls.length > 0 || tool === undefined) return answer;
  return computeAnswer({ ...question, toolChoice: { name: tool.name } });
}

function withoutSearch(question: ChatPlan['question']): ChatPlan['question'] {
  const searches = new Set(
    question.messages.flatMap(({ calls }) =>
      calls.filter((call) => call.name === WEB_SEARCH).map((call) => call.id),
    ),
  );
  return {
    ...question,
    tools: question.tools.filter((tool) => tool.name !== WEB_SEARCH),
    messages: question.messages.filter(
      (message) =>
        message.name !== WEB_SEARCH &&
        !(message.callId !== undefined && searches.has(message.callId)) &&
        !message.calls.some((call) => call.name === WEB_SEARCH),
    ),
  };
}

/** The answer excludes what the client gave it to begin with. */
const continuing = (prefix: string, answer: Answer): Answer =>
  prefix !== '' && answer.text.startsWith(prefix)
    ? { ...answer, text: answer.text.slice(prefix.length) }
    : answer;

/** Reasoning ate the whole budget: no content, and `length`. */
function starved({ capTokens }: ChatPlan): FittedAnswer {
  const tokens = Math.min(capTokens, 45);
  const reasoning = fitBudget({ text: '', reasoning: sayWords(tokens), calls: [] }, 'on', tokens);
  return { ...reasoning, finish: 'length' };
}

/** How the open weights write calls when no server parses them. */
function callsAsText(answer: Answer): Answer {
  const calls = answer.calls.map(
    (call, index) =>
      `<|tool_call_begin|>functions.${call.name}:${index}<|tool_call_argument_begin|>${call.arguments}<|tool_call_end|>`,
  );
  if (calls.length === 0) return answer;
  return {
    ...answer,
    calls: [],
    text: `<|tool_calls_section_begin|>${calls.join('')}<|tool_calls_section_end|>`,
  };
}

function madeCall(name: string, args: string, index: number, state: KimiState): MadeCall {
  const { callIds, webSearchType } = state.switches;
  if (name === WEB_SEARCH)
    return { id: `t-web_search-${state.nextId()}`, type: webSearchType, name, arguments: args };
  const id = callIds === 'functions' ? `functions.${name}:${index}` : `call_${state.nextId()}`;
  return { id, type: 'function', name, arguments: args };
}
