import { readAdd, readCoverage, readExplain, readRemove } from '#core/access-admin.schema.ts';
import { ACCESS_METHODS, type AccessAdmin } from '#core/access-admin.ts';
import type { Tool } from '#core/tool.ts';
import type { OwnMethods } from '#transport/admin/own-methods.ts';
import { ALL_TOOLS_METHOD, describeTool } from './all-tools.ts';

/** What the daemon would have its user know. */
export const NOTICES_METHOD = 'exai/notices';

export interface OwnMethodParts {
  readonly access: AccessAdmin;
  readonly allTools: () => readonly Tool[];
  readonly notices: () => readonly string[];
}

/** What the command line may ask beyond MCP. For the unix door alone: it gives out tokens. */
export function ownMethods({ access, allTools, notices }: OwnMethodParts): OwnMethods {
  return {
    [ACCESS_METHODS.explain]: async (params) => access.explain(readExplain(params)),
    [ACCESS_METHODS.coverage]: async (params) => access.coverage(readCoverage(params)),
    [ACCESS_METHODS.list]: async () => ({ clients: await access.list() }),
    [ACCESS_METHODS.add]: async (params) => access.add(readAdd(params)),
    [ACCESS_METHODS.remove]: async (params) => access.remove(readRemove(params)),
    [NOTICES_METHOD]: async () => ({ notices: notices() }),
    [ALL_TOOLS_METHOD]: async () => ({ tools: allTools().map(describeTool) }),
  };
}
