import type { Fix, FixKind, FixParams } from './fixes.ts';
import type { Notice, NoticeParams } from './notices.ts';
import type { Reason, ReasonParams } from './reasons.ts';

/**
 * A message as data: a code of a closed list and its parameters, all of them JSON. Code decides by
 * the code, and each surface (MCP, command line, `exai chat`, gateway) has one table with a
 * sentence per code, so that rewording a sentence changes no behaviour.
 */
export type Coded<Params> = {
  readonly [Code in keyof Params]: { readonly code: Code; readonly params: Params[Code] };
}[keyof Params];

/**
 * Sentences by code. The renderer handles nested messages and names that differ between surfaces.
 */
export type SentenceTable<Params, Render = Renderer> = {
  readonly [Code in keyof Params]: (params: Params[Code], render: Render) => string;
};

/** The texts of fixes, which hold no other messages. */
export type FixTable = SentenceTable<FixParams, Pick<Renderer, 'argument'>>;

/** The texts of one surface. */
export interface Sentences {
  readonly reasons: SentenceTable<ReasonParams>;
  readonly notices: SentenceTable<NoticeParams>;
  readonly fixes: FixTable;
  /**
   * Kinds whose text ends with a command, shown without a full stop. A surface adds its own to
   * those of the base.
   */
  readonly commandFixes: readonly FixKind[];
  /**
   * How the surface names an argument of a tool: `use_websearch`, `--web`. With a value: `--web
   * on`.
   */
  readonly argument: (name: string, value?: string | number | boolean) => string;
}

/** Texts of a surface that differ from the base texts, which are those of MCP. */
export type SentenceOverrides = {
  readonly [Part in keyof Sentences]?: Sentences[Part] extends
    | ((...args: never[]) => unknown)
    | readonly unknown[]
    ? Sentences[Part]
    : Partial<Sentences[Part]>;
};

export interface Renderer {
  /** A clause without a full stop. */
  readonly reason: (reason: Reason) => string;
  /** A whole sentence, or several. */
  readonly notice: (notice: Notice) => string;
  /** The fixes as one text: `Set use_websearch, or run: exai doctor`. Empty without fixes. */
  readonly fixes: (fixes: readonly Fix[]) => string;
  /** An error as a whole sentence: its reason in the words of the surface, or its message. */
  readonly message: (error: ErrorMessage) => string;
  readonly argument: Sentences['argument'];
}

interface ErrorMessage {
  readonly message: string;
  readonly reason?: Reason | undefined;
}
