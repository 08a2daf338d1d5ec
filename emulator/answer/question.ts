import { isObject, type Dictionary } from '../is-object.ts';
import { readMedia, type Media } from './media.ts';

/** A chat request as the answering code sees it, independent of the vendor. */
export interface Question {
  readonly messages: readonly QuestionMessage[];
  readonly tools: readonly QuestionTool[];
  readonly toolChoice: 'auto' | 'none' | 'required' | { readonly name: string };
  readonly format: 'text' | 'json' | { readonly schema: Dictionary };
}

export interface QuestionMessage {
  readonly role: string;
  /** All its text parts, a line break between them. */
  readonly text: string;
  readonly media: readonly Media[];
  readonly name: string | undefined;
  readonly calls: readonly QuestionCall[];
  readonly callId: string | undefined;
}

export interface QuestionCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

export interface QuestionTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Dictionary;
}

/** What the vendor holds under a reference such as `ms://…`. */
export type FindFile = (
  url: string,
) => { readonly type: string; readonly data: Buffer } | undefined;

/**
 * Reads a request in OpenAI's shape; the vendor has refused what it refuses, the rest is
 * accepted.
 */
export function readQuestion(body: Dictionary, findFile: FindFile = () => undefined): Question {
  return {
    messages: list(body['messages']).map((message) => readMessage(message, findFile)),
    tools: list(body['tools']).flatMap(readTool),
    toolChoice: readChoice(body['tool_choice']),
    format: readFormat(body['response_format']),
  };
}

const list = (value: unknown): readonly Dictionary[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const optional = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;

function readMessage(message: Dictionary, findFile: FindFile): QuestionMessage {
  const { content } = message;
  const parts = list(content);
  return {
    role: text(message['role']),
    text:
      typeof content === 'string'
        ? content
        : parts
            .filter((part) => part['type'] === 'text')
            .map((part) => text(part['text']))
            .join('\n'),
    media: parts.flatMap((part, at) => readMedia(part, text(parts[at - 1]?.['text']), findFile)),
    name: optional(message['name']),
    calls: list(message['tool_calls']).map((call) => {
      const named = isObject(call['function']) ? call['function'] : {};
      return {
        id: text(call['id']),
        name: text(named['name']),
        arguments: text(named['arguments']),
      };
    }),
    callId: optional(message['tool_call_id']),
  };
}

function readTool(tool: Dictionary): QuestionTool[] {
  const named = tool['function'];
  if (!isObject(named) || typeof named['name'] !== 'string') return [];
  return [
    {
      name: named['name'],
      description: text(named['description']),
      parameters: isObject(named['parameters']) ? named['parameters'] : {},
    },
  ];
}

function readChoice(choice: unknown): Question['toolChoice'] {
  if (choice === 'none' || choice === 'required') return choice;
  if (
    isObject(choice) &&
    isObject(choice['function']) &&
    typeof choice['function']['name'] === 'string'
  )
    return { name: choice['function']['name'] };
  return 'auto';
}

function readFormat(format: unknown): Question['format'] {
  if (!isObject(format)) return 'text';
  if (format['type'] === 'json_object') return 'json';
  if (format['type'] !== 'json_schema') return 'text';
  const named = format['json_schema'];
  return isObject(named) && isObject(named['schema']) ? { schema: named['schema'] } : 'json';
}
