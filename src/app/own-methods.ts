import { readAdd, readExplain, readRemove } from '#core/access-admin.schema.ts';
import { ACCESS_METHODS, type AccessAdmin } from '#core/access-admin.ts';
import type { Tool } from '#core/tool.ts';
import type { OwnMethods } from '#transport/admin/own-methods.ts';
import { ALL_TOOLS_METHOD, describeTool } from './all-tools.ts';

/** What the command line may ask beyond MCP. For the unix door alone: it gives out tokens. */
export function ownMethods(access: AccessAdmin, allTools: () => readonly Tool[]): OwnMethods {
  return {
    [ACCESS_METHODS.explain]: async (params) => access.explain(readExplain(params)),
    [ACCESS_METHODS.list]: async () => ({ clients: await access.list() }),
    [ACCESS_METHODS.add]: async (params) => access.add(readAdd(params)),
    [ACCESS_METHODS.remove]: async (params) => access.remove(readRemove(params)),
    [ALL_TOOLS_METHOD]: async () => ({ tools: allTools().map(describeTool) }),
  };
}
