import type { AccessReasonParams } from './access-reasons.ts';
import { reason } from './reasons.ts';

const USE = { scope: 'read:*', client: 'ide', agent: 'critic', tool: 'chat' } as const;
const ROW_USE = { row: 'read:exai/*', agent: 'critic', tool: 'exai/chat' } as const;

/** Parameters of each code of access decisions. */
export const ACCESS_REASON_SAMPLES: {
  readonly [Code in keyof AccessReasonParams]: readonly [
    AccessReasonParams[Code],
    ...AccessReasonParams[Code][],
  ];
} = {
  agent_unknown: [{ agent: 'critic' }],
  agent_no_row: [ROW_USE],
  agent_row_denies: [ROW_USE],
  agent_row_allows: [ROW_USE],
  agent_row_asks: [ROW_USE],
  agent_row_reads: [ROW_USE],
  agent_row_only_reads: [ROW_USE],
  agent_row_only_free: [ROW_USE],
  agent_needs_no_row: [ROW_USE],
  inner_tools_unreadable: [{ tool: 'mcp__composio__COMPOSIO_MULTI_EXECUTE_TOOL' }],
  scope_covers_all: [{}],
  scope_invalid: [{ scope: 're ad' }],
  scope_denies: [USE],
  scope_allows: [USE],
  scope_asks: [USE],
  scope_reads: [USE],
  scope_only_reads: [USE],
  scope_only_free: [USE],
  no_scope: [{ client: 'ide', tool: 'chat' }],
  used_tool_off: [{ tool: 'chat' }],
  unknown_tool: [
    { tool: 'chatt', hint: ', did you mean "chat"?' },
    { tool: 'x', hint: '' },
  ],
  needs_no_scope: [{ client: 'ide', tool: 'call_tool' }],
  reaches_nothing: [{ client: 'ide', tool: 'call_tool_write' }],
  tool_not_reading: [{ tool: 'threads', wrapper: 'call_tool' }],
  wrapper_in_wrapper: [{ wrapper: 'call_tool', tool: 'call_tool_write' }],
  token_revoked: [{ client: 'ide' }],
  tool_forbidden: [{ tool: 'chat', reasons: [reason('no_scope', USE)] }],
  tool_needs_consent: [{ tool: 'chat', reasons: [reason('scope_asks', USE)] }],
};
