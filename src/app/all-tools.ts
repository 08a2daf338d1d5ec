import type { JsonObject } from '#core/json/json.ts';
import { clientOutputSchema } from '#core/tools/structured-content.ts';
import type { Tier, Tool } from '#core/tools/tool.ts';

/** Lists every tool, including those that the profile omits from `tools/list`. */
export const ALL_TOOLS_METHOD = 'exai/tools/all';

export interface DescribedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations: Tool['annotations'];
  readonly tier: Tier;
  /** The smallest profile that lists it. */
  readonly profile: Tool['profile'];
  /** Absent for built-in tools. */
  readonly origin?: NonNullable<Tool['origin']>;
}

export function describeTool(tool: Tool): DescribedTool {
  const {
    name,
    title,
    description,
    inputSchema,
    outputSchema,
    annotations,
    tier,
    profile,
    origin,
  } = tool;
  return {
    name,
    title,
    description,
    inputSchema,
    ...(outputSchema && {
      outputSchema: origin ? outputSchema : clientOutputSchema(outputSchema),
    }),
    annotations,
    tier,
    profile,
    ...(origin && { origin }),
  };
}
