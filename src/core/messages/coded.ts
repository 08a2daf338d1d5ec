import type { Fix, FixKind, FixParams } from './fixes.ts';
import type { Notice, NoticeParams } from './notices.ts';
import type { Reason, ReasonParams } from './reasons.ts';

/**
 * A message as data: a code of a closed list and its parameters, all of them JSON. Code decides by the code, and each
 * surface (MCP, command line, `exai chat`, gateway) has one table with a sentence per code, so that rewording a
 * sentence changes no behaviour.
 */
export type Coded<Params> = {
  readonly [Code in keyof Params]: { readonly code: Code; readonly params: Params[Code] };
}[keyof Params];

/** One text per code. The renderer is for messages within messages and for names that differ between surfaces. */
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
  /** Whose texts end with a command, which is shown as it is typed. A surface adds its own to those of the base. */
  readonly commandFixes: readonly FixKind[];
  /** How the surface names an argument of a tool: `use_websearch`, `--web`. With a value: `--web on`. */
  readonly argument: (name: string, value?: string | number | boolean) => string;
}

/** Where a surface differs from the base texts, which are those of MCP. */
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
  /** What may be done, as one text: `Set use_websearch, or run: exai doctor`. Empty where there is nothing. */
  readonly fixes: (fixes: readonly Fix[]) => string;
  /** Of an error, as a whole sentence: its reason in the texts of the surface, or else its message as it is. */
  readonly message: (error: ErrorMessage) => string;
  readonly argument: Sentences['argument'];
}

interface ErrorMessage {
  readonly message: string;
  readonly reason?: Reason | undefined;
}
