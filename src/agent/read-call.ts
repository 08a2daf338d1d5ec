import type { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { JsonObject } from '#core/json/json.ts';
import { areCutOff, repairArguments } from '#core/json/model-json.ts';
import type { ToolCall } from '#core/llm/chat.ts';
import type { LoopTool } from '#core/llm/tool-loop.ts';
import { reason } from '#core/messages/reasons.ts';
import { nearestNames, oneLine } from '#core/text/text.ts';

/** A call as a model wrote it, as it can be sent back, and what is done with it. */
export interface ReadCall {
  /** With an id, a name and arguments that every vendor accepts in a conversation. */
  readonly call: ToolCall;
  readonly plan:
    | { readonly is: 'run'; readonly tool: RunnableTool; readonly args: JsonObject }
    | { readonly is: 'return' }
    | { readonly is: 'refuse'; readonly error: CallError };
}

export type RunnableTool = LoopTool & Required<Pick<LoopTool, 'run'>>;

/** Calls of one round beyond this are not run. */
const MAX_CALLS = 16;
const MAX_NAME_CHARS = 64;
const MAX_SHOWN_TOOLS = 20;
/** What some models write before the name of a function. */
const PREFIX = /^(?:functions?|tools?)[.:]/;

/** Reads the calls of one answer: finds their tools and repairs their arguments. */
export function readCalls(
  calls: readonly ToolCall[],
  tools: readonly LoopTool[],
  round: number,
): readonly ReadCall[] {
  const ids = new Set<string>();
  return calls.map((written, index) => {
    const id = written.id === '' || ids.has(written.id) ? `call_${round}_${index}` : written.id;
    ids.add(id);
    const tool = findTool(written.name, tools);
    const text = repairArguments(written.arguments);
    const call = { id, name: tool?.name ?? safeName(written.name), arguments: text ?? '{}' };
    const refusal =
      index >= MAX_CALLS ? roundFull() : tool ? undefined : unknownTool(written.name, tools);
    if (!tool || refusal) return { call, plan: { is: 'refuse', error: refusal ?? roundFull() } };
    if (text === undefined) return { call, plan: { is: 'refuse', error: unreadable(written) } };
    if (!tool.run) return { call, plan: { is: 'return' } };
    const args = JSON.parse(text) as JsonObject;
    return { call, plan: { is: 'run', tool: { ...tool, run: tool.run }, args } };
  });
}

function findTool(written: string, tools: readonly LoopTool[]): LoopTool | undefined {
  const name = written.trim().replace(PREFIX, '');
  return tools.find((each) => each.name === written) ?? tools.find((each) => each.name === name);
}

/** Vendors refuse a conversation with a function name that they would not accept. */
function safeName(written: string): string {
  const name = written.replaceAll(/[^\w-]/g, '_').slice(0, MAX_NAME_CHARS);
  return /^[a-zA-Z_]/.test(name) ? name : `tool_${name}`.slice(0, MAX_NAME_CHARS);
}

function roundFull(): CallError {
  return codedError('bad_request', reason('loop_round_full', { max: MAX_CALLS }));
}

/** Names the nearest tools, or else all of them. */
function unknownTool(name: string, tools: readonly LoopTool[]): CallError {
  const all = tools.map((each) => each.name);
  const near = nearestNames(name, all, MAX_SHOWN_TOOLS);
  const shown = (near.length > 0 ? near : all).slice(0, MAX_SHOWN_TOOLS);
  const about = {
    tool: oneLine(name, MAX_NAME_CHARS),
    tools: shown,
    more: all.length - shown.length,
  };
  return codedError('not_found', reason('loop_tool_unknown', about));
}

function unreadable({ name, arguments: text }: ToolCall): CallError {
  const problem = areCutOff(text) ? 'cut_off' : 'malformed';
  const tool = oneLine(name, MAX_NAME_CHARS);
  return codedError('validation', reason('loop_arguments_unreadable', { tool, problem }), {
    fixes: [
      problem === 'cut_off'
        ? 'Call it again with shorter arguments.'
        : 'Call it again with one JSON object.',
    ],
  });
}
