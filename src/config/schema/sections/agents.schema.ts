import { agentRow, list, record } from '../fields.schema.ts';
import { AT_RELOAD, settingMeta } from '../setting-meta.ts';

/** Agents that work for a client within the daemon. */
export const agents = record({
  access: list(agentRow)
    .default([])
    .describe(
      'What the agent may use, as rows [effect:]server/tool, such as read:github/* or deny:*/* does=runs_code. They replace its default rows; with none it keeps those. docs/agents.md describes them.',
    )
    .register(settingMeta, { applies: AT_RELOAD }),
}).describe('Agents that work within EX-AI, by name.');
