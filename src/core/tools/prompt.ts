import type { Caller } from '../calls/call.ts';
import type { Icon, PromptMessage } from './content.ts';
import type { ForeignContent } from './foreign-content.ts';
import type { InputRequired } from './input-request.ts';
import type { ToolContext } from './tool.ts';

/** Completes a value, best match first; `args` are the arguments that are already filled in. */
export type Complete = (
  value: string,
  args: Readonly<Record<string, string>>,
  caller: Caller,
) => readonly string[] | Promise<readonly string[]>;

export interface PromptArgument {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly complete?: Complete;
}

export interface PromptAnswer {
  readonly description?: string;
  readonly messages: readonly PromptMessage[];
}

/** An MCP prompt: a request that users start by name, such as a slash command. */
export interface Prompt {
  /** snake_case, as clients call it. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly icons?: readonly Icon[];
  readonly arguments: readonly PromptArgument[];
  readonly foreign?: ForeignContent;
  /** The tool whose access grants using it; absent: the prompt requires access to everything. */
  readonly uses?: string;
  get(
    args: Readonly<Record<string, string>>,
    context: ToolContext,
  ): PromptAnswer | InputRequired | Promise<PromptAnswer | InputRequired>;
}
