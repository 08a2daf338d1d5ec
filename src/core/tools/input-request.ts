import type { JsonObject } from '../json/json.ts';

/** A request for input from the client that made the call (MCP elicitation, sampling, roots). */
export type InputRequest =
  /** The user fills in a form. */
  | { readonly is: 'form'; readonly message: string; readonly schema: JsonObject }
  /** The user visits a page. */
  | { readonly is: 'visit'; readonly message: string; readonly url: string }
  /** The client's model answers; the request in MCP's format. */
  | { readonly is: 'sample'; readonly request: JsonObject }
  /** The client's workspace folders. */
  | { readonly is: 'roots' };

export type InputRequestKind = InputRequest['is'];

/** Optional client features: kinds of input requests, and tasks. */
export type ClientCapability = InputRequestKind | 'tasks';

/** Input requests by name; responses use the same names. */
export type InputRequests = Readonly<Record<string, InputRequest>>;

/** Responses by name of the request. They come from the client and are not trusted. */
export type InputResponses = Readonly<Record<string, JsonObject>>;

/** Returned by a tool that needs input: it is run again with the responses of all rounds so far. */
export interface InputRequired {
  readonly inputRequests: InputRequests;
  /** What the tool gets back as `inputHandle`; sealed, so that no client can change it. */
  readonly handle?: string;
  /** Called if it is known that the client will not answer. */
  readonly abandon?: () => void;
}

export const NO_INPUT_RESPONSES: InputResponses = Object.freeze({});

/** The content of a form that the user accepted. */
export function acceptedForm(answers: InputResponses, name: string): JsonObject | undefined {
  const given = Object.hasOwn(answers, name) ? answers[name] : undefined;
  if (given?.['action'] !== 'accept') return undefined;
  const { content } = given;
  const isObject = typeof content === 'object' && content !== null && !Array.isArray(content);
  return isObject ? (content as JsonObject) : undefined;
}

/** MCP's log levels, in ascending order of severity. */
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
