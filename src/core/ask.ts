import type { Asked } from './answer-piece.ts';
import type { Call } from './call.ts';
import type {
  ChatEvent,
  ChatMessage,
  ChatTool,
  Citation,
  FinishReason,
  ResponseFormat,
  Sampling,
  TokenUsage,
  ToolCall,
  ToolChoice,
} from './chat.ts';
import type { Attempt } from './envelope.schema.ts';
import type { Cancel } from './http.ts';
import type { JsonObject } from './json.ts';
import type { Notice } from './messages/notices.ts';
import type { Reason } from './messages/reasons.ts';
import type { ProviderId } from './provider.ts';
import type { Explanation, RequestClass, StepFacts, ThinkingMode } from './route.ts';
import type { Category } from './tool.ts';

/** A text that a question is about: a file, or what was piped in. */
export interface AskText {
  /** Of two with one name the last counts. */
  readonly name: string;
  readonly text: string;
  /** `material`: something of ours, such as findings. A `file` unless told; only files make a question one about files. */
  readonly as?: 'file' | 'material';
}

/** What is asked of a model; which one, and how, is the manager's to decide. */
export interface AskRequest {
  /** A name, or `auto`, which it is unless told. */
  readonly model?: string;
  /** What the caller wrote, where the settings say that it means `model`. */
  readonly namedAs?: string;
  readonly system?: string;
  /** Oldest first; the last is what is asked, the ones before it the conversation so far. */
  readonly messages: readonly ChatMessage[];
  readonly files?: readonly AskText[];
  /** `auto` unless told: then words that ask for news decide. */
  readonly search?: 'on' | 'off' | 'auto';
  readonly thinking?: ThinkingMode;
  readonly prefer?: 'speed' | 'cost';
  /** `chain` unless told: whether another model may answer when the first fails. */
  readonly fallback?: 'chain' | 'none';
  /** Whether a quotation of what was given will do in the end; `local` for plain text unless told. */
  readonly lastResort?: 'local' | 'none';
  readonly tools?: readonly ChatTool[];
  readonly toolChoice?: ToolChoice;
  readonly responseFormat?: ResponseFormat;
  readonly sampling?: Sampling;
  readonly stop?: readonly string[];
  readonly maxOutputTokens?: number;
  readonly step?: StepFacts;
  /** The model of the thread that goes on. */
  readonly lockedModel?: string;
  readonly maxCostMicroUsd?: number;
  /** `go_on` unless told: whether another goes on with an answer that broke off after part of it was told. */
  readonly whenBroken?: 'go_on' | 'fail';
  /** `fit` unless told: whether a prompt that is too long may be summarised and cut, or is refused. */
  readonly context?: 'fit' | 'whole';
  /** How it is asked for upstream; `stream` unless told, as silence is noticed sooner then. */
  readonly delivery?: 'stream' | 'whole';
  /** How long the whole of it may take, where that is less than its call has left; then it fails as `timeout`. */
  readonly timeoutMs?: number;
}

/** For whom it is asked. */
export interface AskedBy extends Pick<Call, 'reqId' | 'tool' | 'caller' | 'deadline'> {
  readonly signal: Cancel;
  readonly category: Category;
  readonly affinity?: 'kimi' | 'glm';
  /** From 1, each once: of all that is asked for one call. */
  nextAttempt(): number;
}

/** Where another model took over in the middle of an answer. */
export interface Seam {
  /** Characters of the text before it. */
  readonly at: number;
  readonly provider: ProviderId;
  readonly model: string;
  /** Why the model before it did not finish. */
  readonly reason: Reason;
}

/** How asking went, well or not, for envelopes and records. */
export interface AskReport {
  /** Who answered; absent when nobody did. */
  readonly provider?: ProviderId;
  readonly model?: string;
  readonly class?: RequestClass;
  readonly rule?: string;
  /** Why these models were asked, most important first. */
  readonly reasons: readonly Reason[];
  readonly attempts: readonly Attempt[];
  /** What was summarised or left out, and what else the caller should know. */
  readonly notices: readonly Notice[];
  readonly usage?: TokenUsage;
  readonly costMicroUsd: number;
  /** Whether every price was known. */
  readonly costKnown: boolean;
  readonly quality: 'full' | 'degraded';
  /** Where another model took over in the middle of the answer. */
  readonly seams?: readonly Seam[];
  /** What had come of an answer that nobody finished. */
  readonly partial?: string;
}

export interface AskAnswer {
  readonly text: string;
  readonly reasoning: string;
  readonly reasoningDetails: readonly JsonObject[];
  readonly toolCalls: readonly ToolCall[];
  readonly citations: readonly Citation[];
  readonly finish: FinishReason;
  readonly provider: ProviderId;
  readonly model: string;
  readonly seams: readonly Seam[];
  readonly report: AskReport;
}

/** A piece of a call of one of the caller's tools. */
export type ToolCallPiece = Extract<ChatEvent, { readonly type: 'tool_call' }>;

export interface AskListener {
  /** Before anything of it is told. */
  onAsked?(asked: Asked): void;
  /** What is added to the text. What was told once is never told again and never taken back. */
  onText?(text: string): void;
  onReasoning?(text: string): void;
  /** From the first piece on the answer cannot be mended: what breaks off then is `interrupted`. */
  onToolCall?(piece: ToolCallPiece): void;
  /** Another model is asked, or the same again. */
  onNote?(note: string): void;
  /** Once, at the end, however it went. */
  onReport?(report: AskReport): void;
}

/** What an unclear request was taken for. */
export interface Intent {
  readonly class: RequestClass;
  readonly confidence: number;
  readonly reason: Reason;
  readonly by: 'rules' | 'model';
  readonly needsWebSearch: 'yes' | 'no';
  readonly complexity: 'simple' | 'moderate' | 'deep';
  readonly domains: readonly string[];
  /** The model that said so. */
  readonly model?: string;
}

/** The one way to a model. */
export interface Manager {
  /** Throws a CallError when nobody answered; `onReport` has been called by then. */
  ask(request: AskRequest, by: AskedBy, listener?: AskListener): Promise<AskAnswer>;
  /** Calls nobody. Throws for a request that is no request. */
  explain(
    request: AskRequest,
    by: AskedBy,
    payload: 'with_payload' | 'plan_only',
  ): Promise<Explanation>;
  /** Asks the manager's model, where there is one; never throws for its failure. */
  classify(request: AskRequest, by: AskedBy, listener?: AskListener): Promise<Intent>;
}
