import {
  ACCESS_EFFECTS,
  TOOL_ACTIONS,
  type AccessEffect,
  type ToolAction,
} from './access-effects.ts';

/**
 * One row of an agent, written `[effect:]server/tool [condition]…`: `read:composio/COMPOSIO_*`,
 * `deny:composio/* does=runs_code`, `ask:github/create_issue args.owner=acme`. Server and tool are
 * patterns with `*` for any characters; the built-in tools are those of the server `exai`.
 */
export interface AgentRow {
  readonly effect: AccessEffect;
  readonly server: string;
  /** The name of the tool at its server. */
  readonly tool: string;
  /** Only tools that do this. */
  readonly does?: ToolAction;
  /** Only where the agent works for this client. */
  readonly client?: string;
  /** Only calls whose arguments, by path, match these patterns. */
  readonly args: readonly (readonly [path: string, pattern: string])[];
  readonly text: string;
}

export const AGENT_NAME = /^[A-Za-z\d][\w-]{0,63}$/;

const TARGET = new RegExp(
  `^(?:(${ACCESS_EFFECTS.join('|')}):)?([A-Za-z\\d_.*-]{1,64})/([!-~]{1,128})$`,
);
const CONDITION = /^(does|client|args(?:\.[\w-]{1,64}){1,8})=([!-~]{1,256})$/;
const MAX_CONDITIONS = 16;

/** Undefined for text that is not a row. */
export function parseAgentRow(text: string): AgentRow | undefined {
  const [target = '', ...conditions] = text.split(' ');
  const [, effect = 'allow', server, tool] = TARGET.exec(target) ?? [];
  if (server === undefined || tool === undefined) return undefined;
  if (conditions.length > MAX_CONDITIONS) return undefined;
  let does: ToolAction | undefined;
  let client: string | undefined;
  const args: (readonly [string, string])[] = [];
  for (const condition of conditions) {
    const [, name, value] = CONDITION.exec(condition) ?? [];
    if (name === undefined || value === undefined) return undefined;
    if (name === 'client') {
      if (client !== undefined) return undefined;
      client = value;
    } else if (name === 'does') {
      if (does !== undefined || !isAction(value)) return undefined;
      does = value;
    } else args.push([name.slice('args.'.length), value]);
  }
  return {
    effect: effect as AccessEffect,
    server,
    tool,
    ...(does && { does }),
    ...(client !== undefined && { client }),
    args,
    text,
  };
}

function isAction(value: string): value is ToolAction {
  return TOOL_ACTIONS.some((action) => action === value);
}
