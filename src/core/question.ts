import type { JsonObject } from './json.ts';

/** What a tool may want to know before it goes on, asked of the client that called it. */
export type Question =
  /** Its user fills in a form. */
  | { readonly is: 'form'; readonly message: string; readonly schema: JsonObject }
  /** Its user visits a page. */
  | { readonly is: 'visit'; readonly message: string; readonly url: string }
  /** Its model says something; the request by MCP's names. */
  | { readonly is: 'sample'; readonly request: JsonObject }
  /** The folders it works in. */
  | { readonly is: 'roots' };

export type QuestionKind = Question['is'];

/** What not every client can do: be asked something, or follow a task by itself. */
export type ClientAbility = QuestionKind | 'tasks';

/** By the names that the answers will have. */
export type Questions = Readonly<Record<string, Question>>;

/** As the client gave them, and so not to be trusted: by the names of the questions. */
export type Answers = Readonly<Record<string, JsonObject>>;

/** A tool's way of saying that it cannot go on: it is run again, with the answers of every round so far. */
export interface Asking {
  readonly asks: Questions;
}

export const NO_ANSWERS: Answers = Object.freeze({});

/** What was filled into a form, if its user did so and agreed. */
export function formAnswer(answers: Answers, name: string): JsonObject | undefined {
  const given = Object.hasOwn(answers, name) ? answers[name] : undefined;
  if (given?.['action'] !== 'accept') return undefined;
  const { content } = given;
  const isObject = typeof content === 'object' && content !== null && !Array.isArray(content);
  return isObject ? (content as JsonObject) : undefined;
}

/** Severity of what a tool tells the client's log, by MCP's names and from the least to the most. */
export const LOG_LEVELS = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
