import type { Json } from '#core/json.ts';

/**
 * What an argument of a prompt holds, all of them being texts:
 * `model` a name, `models` several, `paths` files or folders, `thread` the id of a conversation, `choice` one of the values that the
 * tool's schema lists, `words` anything else.
 */
export type ArgumentKind = 'model' | 'models' | 'paths' | 'thread' | 'choice' | 'words';

/** An argument beside the text. */
export interface RowArgument {
  readonly name: string;
  readonly kind: ArgumentKind;
  /** For the person who fills it in. */
  readonly description: string;
  /** The tool's argument that it becomes, where that has another name. */
  readonly to?: string;
}

/** A tool as a slash command, as data. */
export interface PromptRow {
  /** Also the name of the prompt. */
  readonly tool: string;
  /** One word: some clients take it for the name of the command, and that ends at a blank. */
  readonly title: string;
  /** One sentence, for the person who chooses. */
  readonly description: string;
  /** The argument that comes first, which is what the person wants to say. */
  readonly text: { readonly name: string; readonly description: string };
  /** The tool's arguments that the text becomes. */
  readonly to: readonly [string, ...string[]];
  /** What is meant where there is no text, for the client's model to find. */
  readonly unsaid: string;
  readonly more: readonly RowArgument[];
  /** `steps`: the client's model works and calls again until the work is done. */
  readonly way: 'once' | 'steps';
  /** Arguments of the first call that are the same each time; those given take their place. */
  readonly fixed?: Readonly<Record<string, Json>>;
  /** Arguments that the client's model is to write, with what they hold. */
  readonly fill?: Readonly<Record<string, string>>;
  /** What to do at the end; begins with a verb. */
  readonly end: string;
}
