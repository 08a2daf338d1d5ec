import type { AskAnswer, AskListener, AskReport, AskRequest } from './ask.ts';
import type { Call } from './call.ts';
import type { ContentBlock, Icon } from './content.ts';
import type { CallAnswer } from './calls.ts';
import type { Json, JsonObject } from './json.ts';
import type { Notice } from './messages/notices.ts';
import type { Answers, Asking, ClientAbility, LogLevel } from './question.ts';
import type { Log } from './telemetry.ts';
import type { Continuation } from './threads.ts';
import type { LimitedProviderId } from './providers/list.ts';

/** Whom a tool is for: people and their agents, the manager, or the machinery. */
export const TIERS = ['user', 'manager', 'backend'] as const;
export type Tier = (typeof TIERS)[number];

/** How much thought its answers want of a model. */
export type Category = 'extended_reasoning' | 'balanced' | 'fast_response';

/** From the smallest list to the largest; each holds the ones before it. */
export const PROFILES = ['lean', 'standard', 'full'] as const;
export type Profile = (typeof PROFILES)[number];

/** Whom a call waits for while it runs, and so which limit it counts against. */
export type Lane = 'provider' | LimitedProviderId;

/** Told to clients by MCP's names: what a call may do to the world. */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

export interface ToolAnswer {
  /** The answer as a person reads it; may be empty where there are blocks. */
  readonly text: string;
  /** Pictures, sound and resources that belong to it. */
  readonly blocks?: readonly ContentBlock[];
  /** The same as data; without it the text is the content of the envelope. */
  readonly content?: unknown;
  /** `success` unless told. */
  readonly status?: string;
  /** A notice beside the answer. */
  readonly detail?: string;
  /** Notices that the text or `detail` shows, as data. */
  readonly notices?: readonly Notice[];
  /** How the conversation that it belongs to can be gone on with. */
  readonly continuation?: Continuation;
  /** How asking went, of what was asked by another way than `ask`. */
  readonly asked?: readonly AskReport[];
  /** The answer of another call, which is given on in place of all of this. */
  readonly relays?: CallAnswer;
}

/** What a tool is handed beside its arguments. Nothing is added to it for one tool. */
export interface ToolContext extends Call {
  readonly log: Log;
  /** To what the tool asked in the rounds before this one. */
  readonly answers: Answers;
  /** What the client can be asked, and whether it follows tasks. A question it cannot be asked fails the call. */
  readonly askable: readonly ClientAbility[];
  /** What a run of the same work before a restart had stored as its checkpoint. */
  readonly resumedFrom: Json | undefined;
  /** How far it is: if the work becomes a job and its daemon dies, the next run is given the last of these. */
  checkpoint(state: Json): void;
  /** The one way to a model. What it took is in the envelope without further ado. */
  ask(request: AskRequest, listener?: AskListener): Promise<AskAnswer>;
  /** Tells the client's log. Not ours: what is said here may be shown to its user. */
  say(level: LogLevel, data: unknown): void;
}

/** Arguments with which a tool asks no model, and why, as the end of a sentence: `confidence is certain`. */
export interface AsksNobody {
  readonly asksNobody: string;
}

/** Several are asked at once, each alone. */
export interface AsksEach {
  readonly asksEach: readonly [AskRequest, ...AskRequest[]];
}

/** A tool as the registry holds it, whether built in or of an upstream server. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** What `tool_help` says beyond the description: how it is worked with, and what comes back. */
  readonly help?: string;
  /** JSON Schema 2020-12. */
  readonly inputSchema: JsonObject;
  /** Of the whole envelope, as clients get it. */
  readonly outputSchema?: JsonObject;
  readonly annotations: ToolAnnotations;
  readonly icons?: readonly Icon[];
  readonly tier: Tier;
  readonly category: Category;
  /** The provider that suits it best, where one does. */
  readonly affinity?: 'kimi' | 'glm';
  /** The smallest profile that lists it. */
  readonly profile: Profile;
  /** Absent when it waits for nobody: such a call is never queued. */
  readonly lane?: Lane;
  /** Whether identical calls of one principal that run at the same time are one. */
  readonly coalesce: boolean;
  readonly timeoutMs: number;
  /**
   * How it may go on as a job: `when_long` where its caller has waited long enough, `at_once` where that client follows tasks,
   * or `never`.
   */
  readonly handOff: 'when_long' | 'at_once' | 'never';
  /** A run that its daemon's end cut off can be made again: nothing is done twice by that. */
  readonly resumable: boolean;
  /** The arguments as `run` takes them, or a `validation` error that names the field and the fix. */
  parse(args: Readonly<Record<string, unknown>>): Record<string, unknown>;
  /** What it would ask a model first, for explaining it; absent when it asks none. */
  wouldAsk?(args: Readonly<Record<string, unknown>>): AskRequest | AsksEach | AsksNobody;
  run(args: Readonly<Record<string, unknown>>, context: ToolContext): Promise<ToolAnswer | Asking>;
}
