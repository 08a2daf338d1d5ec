import type { Icon, ResourceContents } from './content.ts';
import type { Complete } from './prompt.ts';
import type { Asking } from './question.ts';
import type { ToolContext } from './tool.ts';

interface ResourceFacts {
  /** Short, for lists. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType?: string;
  readonly icons?: readonly Icon[];
  /** Who may call this tool may read the resource; without it, only who may use everything. */
  readonly uses?: string;
  /** It says when it changes, so that clients may subscribe to it. */
  readonly tellsChanges?: true;
}

type Contents = readonly ResourceContents[] | Asking;

/** Something a client can read by its address. */
export interface Resource extends ResourceFacts {
  readonly uri: string;
  read(context: ToolContext): Contents | Promise<Contents>;
}

/** Many of them, whose addresses differ in the parts that are written `{name}`. */
export interface ResourceTemplate extends ResourceFacts {
  readonly uriTemplate: string;
  /** Of the parts, by their names. */
  readonly complete?: Readonly<Record<string, Complete>>;
  /** Rejects with `not_found` when there is no such one. */
  read(
    parts: Readonly<Record<string, string>>,
    uri: string,
    context: ToolContext,
  ): Contents | Promise<Contents>;
}
