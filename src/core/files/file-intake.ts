import type { AskText } from '../llm/ask.ts';
import type { ChatPart } from '../llm/chat.ts';
import type { Notice } from '../messages/notices.ts';
import type { InputRequired } from '../tools/input-request.ts';
import type { ToolContext } from '../tools/tool.ts';
import type { FileInput } from './file-input.ts';

/** The files of a question, ready for `AskRequest`. */
export interface LoadedFiles {
  /** Texts, and documents with the text that was extracted locally. */
  readonly texts: readonly AskText[];
  /** Pictures and videos, as parts of the question. */
  readonly media: readonly LoadedMedia[];
  readonly notices: readonly Notice[];
  /** What a conversation keeps: absolute paths, and URIs of stored files. */
  readonly kept: readonly string[];
}

export interface LoadedMedia {
  readonly name: string;
  readonly sha256: string;
  /** Attached to an earlier question of the conversation. */
  readonly isEarlier?: true;
  readonly part: Exclude<ChatPart, { type: 'text' }>;
}

export interface IntakeOptions {
  /** The argument that errors name. */
  readonly field: string;
  /** What the conversation has kept so far; what cannot be read any more becomes a notice. */
  readonly earlier?: readonly string[];
  /** Entries are pictures: https addresses are passed to the provider, which fetches them. */
  readonly as?: 'pictures';
  /** `nothing`: files that come as content are not stored, because nothing is asked. */
  readonly keeps?: 'nothing';
}

/** What an intake needs to know about the call. */
export type IntakeContext = Pick<
  ToolContext,
  'caller' | 'signal' | 'deadline' | 'answers' | 'clientCapabilities'
>;

/**
 * Takes files in all their forms. A file that comes as content is stored, so that the conversation
 * finds it again; nothing else is written. Throws before anything is stored if an entry is invalid.
 */
export interface FileIntake {
  load(
    inputs: readonly FileInput[],
    options: IntakeOptions,
    context: IntakeContext,
  ): Promise<LoadedFiles | InputRequired>;
}
