import * as z from 'zod';
import { defineTool } from '#core/tools/define-tool.schema.ts';
import type { Diagnostics } from '#core/diagnostics/diagnostics.ts';
import type { Tool, ToolResult } from '#core/tools/tool.ts';

export function version({ build }: Pick<Diagnostics, 'build'>): Tool {
  const { version: own, node, platform, schema, protocols } = build;
  // It never changes while the daemon runs, so it is built once.
  const answer: Promise<ToolResult> = Promise.resolve({
    text: `EX-AI ${own}, Node.js ${node}, ${platform}, store schema ${schema}, MCP ${protocols.join(', ')}`,
    content: { version: own, node, platform, store_schema: schema, protocol_versions: protocols },
  });
  return defineTool({
    name: 'version',
    title: 'Version',
    description: 'Versions of EX-AI, Node.js, the store and the protocol.',
    input: z.strictObject({ model: z.string().max(256).optional().describe('Ignored.') }),
    output: z.strictObject({
      version: z.string(),
      node: z.string(),
      platform: z.string(),
      store_schema: z.number(),
      protocol_versions: z.array(z.string()),
    }),
    effect: 'reads',
    profile: 'standard',
    run: () => answer,
  });
}
