import type { Caller } from './call.ts';
import type { Icon, PromptMessage } from './content.ts';
import type { Asking } from './question.ts';
import type { ToolContext } from './tool.ts';

/** Values that would fit, best first; `args` are those that are filled in already, `caller` whoever fills them in. */
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

/** A request that a person starts by its name, such as a slash command. */
export interface Prompt {
  /** snake_case, as clients call it. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly icons?: readonly Icon[];
  readonly arguments: readonly PromptArgument[];
  /** Who may call this tool may use the prompt; without it, only who may use everything. */
  readonly uses?: string;
  get(
    args: Readonly<Record<string, string>>,
    context: ToolContext,
  ): PromptAnswer | Asking | Promise<PromptAnswer | Asking>;
}
