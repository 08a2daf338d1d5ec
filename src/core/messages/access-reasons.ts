import type { SentenceTable } from './coded-message.ts';
import type { NoParams, Reason } from './reasons.ts';
import { joinSentences } from './sentence.ts';

type ScopeUse = {
  readonly scope: string;
  readonly client: string;
  readonly agent?: string;
  readonly tool: string;
};

/** `tool`: with its server, as rows name it: `composio/GMAIL_SEND_EMAIL`. */
type RowUse = { readonly row: string; readonly agent: string; readonly tool: string };

/** Reasons of access decisions. */
export interface AccessReasonParams {
  /** An agent without rows. */
  agent_unknown: { readonly agent: string };
  agent_no_row: Omit<RowUse, 'row'>;
  agent_row_denies: RowUse;
  agent_row_allows: RowUse;
  agent_row_asks: RowUse;
  agent_row_reads: RowUse;
  /** The row allows reading only, and the tool does more. */
  agent_row_only_reads: RowUse;
  /** The row allows free tools only, and the tool asks models. */
  agent_row_only_free: RowUse;
  /** A tool that gives access to others, each with its own rows. */
  agent_needs_no_row: Omit<RowUse, 'row'>;
  /** A tool of a server that calls others, with arguments that do not say which. */
  inner_tools_unreadable: { readonly tool: string };
  scope_covers_all: NoParams;
  scope_invalid: { readonly scope: string };
  scope_denies: ScopeUse;
  scope_allows: ScopeUse;
  scope_asks: ScopeUse;
  scope_reads: ScopeUse;
  /** The scope allows reading only, and the tool changes things. */
  scope_only_reads: ScopeUse;
  /** The scope allows free tools only, and the tool asks models. */
  scope_only_free: ScopeUse;
  no_scope: Omit<ScopeUse, 'scope'>;
  /** The tool that a resource or prompt uses is disabled. */
  used_tool_off: { readonly tool: string };
  /** `hint` is empty, or the end of the sentence: `, did you mean "chat"?` */
  unknown_tool: { readonly tool: string; readonly hint: string };
  /** A tool that gives access to others, each with its own rights. */
  needs_no_scope: Omit<ScopeUse, 'scope'>;
  /** A tool that gives access to others, none of which the caller may use. */
  reaches_nothing: Omit<ScopeUse, 'scope'>;
  /** A tool that changes something, called by the wrapper of tools that read. */
  tool_not_reading: { readonly tool: string; readonly wrapper: string };
  wrapper_in_wrapper: { readonly wrapper: string; readonly tool: string };
  token_revoked: { readonly client: string };
  tool_forbidden: { readonly tool: string; readonly reasons: readonly Reason[] };
  tool_needs_consent: { readonly tool: string; readonly reasons: readonly Reason[] };
}

export const ACCESS_REASON_SENTENCES: SentenceTable<AccessReasonParams> = {
  agent_unknown: ({ agent }) => `The agent ${agent} has no rows, so it may use nothing`,
  agent_no_row: ({ agent, tool }) => `No row of the agent ${agent} covers ${tool}`,
  agent_row_denies: (use) => `${rowOf(use)} refuses ${use.tool}`,
  agent_row_allows: (use) => `${rowOf(use)} covers ${use.tool}`,
  agent_row_asks: (use) => `${rowOf(use)} requires confirmation by the user for ${use.tool}`,
  agent_row_reads: (use) => `${rowOf(use)} lets ${use.tool} read`,
  agent_row_only_reads: (use) => `${rowOf(use)} is for reading, and ${use.tool} does more`,
  agent_row_only_free: (use) =>
    `${rowOf(use)} is for tools that cost nothing, and ${use.tool} asks models`,
  agent_needs_no_row: ({ tool }) =>
    `${tool} needs no row: what it finds or calls needs the rows of that tool`,
  inner_tools_unreadable: ({ tool }) =>
    `${tool} calls other tools, and its arguments do not say which`,
  scope_covers_all: () => 'The scope "*" covers every tool',
  scope_invalid: ({ scope }) =>
    `The scope ${JSON.stringify(scope)} is not valid, so it allows nothing`,
  scope_denies: (use) => `${scopeOf(use)} refuses ${use.tool}`,
  scope_allows: (use) => `${scopeOf(use)} covers ${use.tool}`,
  scope_asks: (use) => `${scopeOf(use)} requires confirmation by the user for ${use.tool}`,
  scope_reads: (use) => `${scopeOf(use)} lets ${use.tool} read`,
  scope_only_reads: (use) => `${scopeOf(use)} is for reading, and ${use.tool} changes things`,
  scope_only_free: (use) =>
    `${scopeOf(use)} is for tools that cost nothing, and ${use.tool} asks models`,
  no_scope: (use) => `No scope of ${callerOf(use)} names ${use.tool}`,
  used_tool_off: ({ tool }) => `It uses ${tool}, which is switched off`,
  unknown_tool: ({ tool, hint }) => `There is no tool "${tool}"${hint}`,
  needs_no_scope: ({ tool }) =>
    `${tool} needs no scope: what it finds or calls needs the scopes of that tool`,
  reaches_nothing: (use) =>
    `${use.tool} needs no scope, but the scopes of ${callerOf(use)} allow none of the tools that it calls`,
  tool_not_reading: ({ tool, wrapper }) =>
    `${tool} changes things, and ${wrapper} calls only tools that read`,
  wrapper_in_wrapper: ({ wrapper, tool }) => `${wrapper} cannot call ${tool}`,
  token_revoked: ({ client }) => `The token of ${client} was revoked`,
  tool_forbidden: ({ tool, reasons }, render) =>
    `Access to ${tool} is denied. ${joinSentences(reasons, render)}`,
  tool_needs_consent: ({ tool, reasons }, render) =>
    `${tool} requires confirmation by the user. ${joinSentences(reasons, render)}`,
};

function scopeOf(use: ScopeUse): string {
  return `The scope "${use.scope}" of ${callerOf(use)}`;
}

function rowOf({ row, agent }: RowUse): string {
  return `The row "${row}" of the agent ${agent}`;
}

function callerOf({ client, agent }: Omit<ScopeUse, 'scope'>): string {
  return agent === undefined ? client : `${agent} of ${client}`;
}
