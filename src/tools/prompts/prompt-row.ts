import type { Json } from '#core/json/json.ts';

/**
 * What a prompt argument contains, always as text: `model` a name, `models` several, `paths` files
 * or folders, `thread` a conversation id, `choice` an enum value of the tool's schema, `words`
 * anything else.
 */
export type ArgumentKind = 'model' | 'models' | 'paths' | 'thread' | 'choice' | 'words';

/** An argument of a prompt other than its text. */
export interface RowArgument {
  readonly name: string;
  readonly kind: ArgumentKind;
  /** Shown to the user. */
  readonly description: string;
  /** The tool's argument, if its name differs. */
  readonly to?: string;
}

/** A tool as a slash command, as data. */
export interface PromptRow {
  /** Also the name of the prompt. */
  readonly tool: string;
  /** One word, because some clients take it as the command name, which ends at a space. */
  readonly title: string;
  /** One sentence for the user. */
  readonly description: string;
  /** The first argument: the user's text. */
  readonly text: { readonly name: string; readonly description: string };
  /** The tool's arguments that receive the text. */
  readonly to: readonly [string, ...string[]];
  /** What the client's model should fill in if there is no text. */
  readonly ifNoText: string;
  readonly more: readonly RowArgument[];
  /** `steps`: the client's model works and calls again until the work is done. */
  readonly mode: 'once' | 'steps';
  /** Fixed arguments of the first call; given ones override them. */
  readonly fixed?: Readonly<Record<string, Json>>;
  /** Arguments that the client's model writes, with their descriptions. */
  readonly fill?: Readonly<Record<string, string>>;
  /** What to do at the end; begins with a verb. */
  readonly end: string;
}
