import type { Icon, ResourceContents } from './content.ts';
import type { ForeignContent } from './foreign-content.ts';
import type { Complete } from './prompt.ts';
import type { InputRequired } from './input-request.ts';
import type { ToolContext } from './tool.ts';

interface ResourceFacts {
  /** Short name for lists. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType?: string;
  readonly icons?: readonly Icon[];
  readonly foreign?: ForeignContent;
  /** The tool whose access grants reading; absent: the resource requires access to everything. */
  readonly uses?: string;
  /** It notifies of updates, so clients may subscribe to it. */
  readonly subscribable?: true;
}

type Contents = readonly ResourceContents[] | InputRequired;

/** A resource that clients read by its URI. */
export interface Resource extends ResourceFacts {
  readonly uri: string;
  /** Called when a client subscribes to it. */
  readonly onWatch?: () => void;
  read(context: ToolContext): Contents | Promise<Contents>;
}

/** A family of resources whose URIs have variables, written `{name}`. */
export interface ResourceTemplate extends ResourceFacts {
  readonly uriTemplate: string;
  /** Completions by variable name. */
  readonly complete?: Readonly<Record<string, Complete>>;
  /** Rejects with `not_found` if it does not exist. */
  read(
    parts: Readonly<Record<string, string>>,
    uri: string,
    context: ToolContext,
  ): Contents | Promise<Contents>;
}
