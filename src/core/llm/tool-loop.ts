import type { CallError } from '../errors/call-error.ts';
import type { ErrorClass } from '../errors/error-class.ts';
import type { JsonObject } from '../json/json.ts';
import type { Reason, ReasonCode } from '../messages/reasons.ts';
import type { AbortSignalLike } from '../net/abort.ts';
import type { Clock } from '../time/clock.ts';
import type { Deadline } from '../time/deadline.ts';
import type { AskAnswer, AskListener, AskRequest } from './ask.ts';
import type { ChatMessage, ChatPart, ChatTool, Citation, ToolCall } from './chat.ts';

/** A picture in the result of a tool. */
export type Picture = Extract<ChatPart, { readonly type: 'image' | 'video' | 'file' }>;

/** The result of one call of a tool, for the model. An error of the tool is thrown instead. */
export interface LoopToolResult {
  readonly text: string;
  /** The MCP server that wrote the text: a model reads it between marks, as data. */
  readonly server?: string;
  /** Shown to models that take pictures. */
  readonly pictures?: readonly Picture[];
  /** Sources that an answer may cite. */
  readonly citations?: readonly Citation[];
  /** The tool ran and reports a failure; the text says which. */
  readonly failure?: CallError;
  /** What the call has cost; counts against the limit of the loop. */
  readonly costMicroUsd?: number;
  readonly reqId?: string;
}

export interface LoopCallContext {
  /** Aborts when the time of the call is over, or the loop is cancelled. */
  readonly signal: AbortSignalLike;
  readonly timeoutMs: number;
  /** From 1. */
  readonly round: number;
  /** What is left of the cost limit of the loop; absent without a limit. */
  readonly maxCostMicroUsd?: number;
}

/** A tool that the model of a loop may call. */
export interface LoopTool extends ChatTool {
  /** Calls that write run alone, in the order in which the model wrote them. */
  readonly effect: 'reads' | 'writes';
  /** Absent for a function of the caller: its calls end the loop and are given back. */
  readonly run?: (args: JsonObject, context: LoopCallContext) => Promise<LoopToolResult>;
}

export interface ToolLoopLimits {
  /** Rounds of tool calls before the model must answer. Default: 8. */
  readonly maxRounds?: number;
  /** Calls in all rounds together. Default: 64. */
  readonly maxCalls?: number;
  /** Calls that run at the same time. Default: 8. */
  readonly maxParallel?: number;
  /** Time of one call. Default: 60 seconds, and never so much that no time is left to answer. */
  readonly toolTimeoutMs?: number;
  /** Characters of one result that the model reads; what is beyond is left out with a note. */
  readonly maxResultChars?: number;
}

/** A finished step of a loop. A loop that gets its earlier steps repeats none of them. */
export type LoopStep =
  | {
      readonly type: 'answer';
      readonly round: number;
      readonly answer: AskAnswer;
    }
  | {
      /** A call that writes is about to run: without a result it is not known whether it did. */
      readonly type: 'begun';
      readonly round: number;
      readonly index: number;
    }
  | {
      readonly type: 'result';
      readonly round: number;
      /** Position of the call in its round. */
      readonly index: number;
      readonly result: LoopToolResult;
    };

export interface ToolLoopContext {
  /** How models are asked: `ctx.ask` of a tool. */
  readonly ask: (request: AskRequest, listener?: AskListener) => Promise<AskAnswer>;
  readonly clock: Clock;
  readonly deadline: Deadline;
  readonly signal: AbortSignalLike;
  /** Whether a model takes pictures; default: none does. */
  readonly takesPictures?: (model: string) => boolean;
  /** Called with each finished step, and awaited before the next. */
  readonly journal?: (step: LoopStep) => void | Promise<void>;
  /** The steps that an earlier run of the same loop has finished. */
  readonly finished?: readonly LoopStep[];
  /** Texts of all rounds as they stream, and notes. */
  readonly listener?: AskListener;
}

/** How a call of the loop ended. */
export interface LoopCallRecord {
  readonly round: number;
  readonly tool: string;
  readonly outcome: 'ok' | 'returned' | ErrorClass;
  /** Why it failed. */
  readonly reason?: ReasonCode;
  readonly elapsedMs: number;
  readonly reqId?: string;
}

/** `answered` by itself; `calls_returned`: functions of the caller were called; else why it stopped. */
export type LoopEnd =
  | 'answered'
  | 'calls_returned'
  | 'rounds_used'
  | 'calls_used'
  | 'calls_repeated'
  | 'time_used'
  | 'budget_used'
  | 'model_failed';

export interface ToolLoopResult {
  readonly end: LoopEnd;
  /** Why it ended, unless the model answered by itself. */
  readonly reason?: Reason;
  /** The last answer of a model. */
  readonly answer: AskAnswer;
  /** The texts of all rounds. */
  readonly text: string;
  /** Sources of the answers and of the tools. */
  readonly citations: readonly Citation[];
  /** What follows the messages of the request: answers with their calls, and results. */
  readonly messages: readonly ChatMessage[];
  /** Calls of functions that the caller has to run. */
  readonly returned: readonly ToolCall[];
  readonly calls: readonly LoopCallRecord[];
  readonly rounds: number;
  /** The failure that ended it, after something was answered or called. */
  readonly failure?: CallError;
}

export interface ToolLoopRequest extends ToolLoopLimits {
  /** Without tools; `toolChoice` applies to the first round. `maxCostMicroUsd` binds all rounds. */
  readonly request: Omit<AskRequest, 'tools'>;
  readonly tools: readonly LoopTool[];
}

/**
 * Lets a model call tools until it answers. Throws what the first ask throws, and the reason of the
 * signal; every later failure is in the result, with what was answered until then.
 */
export type RunToolLoop = (
  request: ToolLoopRequest,
  context: ToolLoopContext,
) => Promise<ToolLoopResult>;
