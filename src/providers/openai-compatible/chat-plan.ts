import type { JsonObject } from '#core/json/json.ts';
import type { Citation } from '#core/llm/chat.ts';
import type { ProviderContext } from '#core/llm/provider.ts';
import type { Notice } from '#core/messages/notices.ts';
import type { AssistantTurn } from './response/response-parser.ts';
import type { AnswerEnd } from './response/finish.ts';

/** One request of a chat. */
export interface ChatStep {
  readonly body: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
  /** Emitted before it. */
  readonly notices?: readonly Notice[];
  /**
   * Holds text and reasoning back until the step is accepted, for answers that may have to be asked
   * for again.
   */
  readonly hold?: 'text';
  /** Tokens that the vendor adds to the prompt, such as the results of a search. */
  readonly addedTokens?: number;
  /** Sources that are emitted before it. */
  readonly citations?: readonly Citation[];
  /** Completes the step before it is sent, by what has to be waited for; gets the body so far. */
  readonly prepare?: (
    body: JsonObject,
    context: ProviderContext,
  ) => Promise<Pick<ChatStep, 'body' | 'notices' | 'citations' | 'addedTokens'>>;
  /** Retry after an answer of reasoning only; at most once in a chat. */
  readonly isReasoningRetry?: true;
}

/** How a step ended. */
export interface StepResult {
  /** 1 for the first. */
  readonly step: number;
  readonly body: JsonObject;
  readonly turn: AssistantTurn;
  readonly end: AnswerEnd;
  /** Whether there was a reasoning retry already. */
  readonly hasRetriedReasoning: boolean;
  /** Whether text or a tool call was emitted. */
  readonly hasContent: boolean;
}

export interface RepairedAnswer {
  /** Replaces held text; emitted text stays. */
  readonly text: string;
  readonly notices: readonly Notice[];
}

/**
 * The plan of one chat: a sequence of steps. After each step the provider decides on the next one,
 * such as another search, a retry without a refused field, or a repair of the answer.
 */
export interface ChatPlan {
  readonly model: string;
  readonly delivery: 'stream' | 'whole';
  /** Names of the tools in the request. */
  readonly tools: readonly string[];
  /** Functions among them that the provider runs itself; their calls are not the caller's. */
  readonly ownTools?: readonly string[];
  /**
   * The limit of the request: all steps together keep to it, and an answer that reaches it ends as
   * `length`.
   */
  readonly maxOutputTokens?: number | undefined;
  readonly first: ChatStep;
  /** The chat ends with what it throws; held text is dropped then. */
  readonly next?: (ended: StepResult) => ChatStep | undefined;
  /** After the last step: a replacement for the held text, with notices. */
  readonly repair?: (ended: StepResult) => RepairedAnswer | undefined;
}
