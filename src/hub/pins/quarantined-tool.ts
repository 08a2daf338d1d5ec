import type { QuarantinedTool } from '#core/hub/upstream.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { asSentence } from '#core/messages/sentence.ts';
import type { Tool } from '#core/tools/tool.ts';
import { upstreamToolName } from '../catalogue/tool-name.ts';
import { quarantineError, quarantineReason } from './quarantine-reason.ts';

/**
 * A quarantined tool in the registry: each way to call it ends in the reason, and nothing of the
 * definition that waits reaches a client or a model.
 */
export function quarantinedTool(server: string, tool: QuarantinedTool): Tool {
  const name = upstreamToolName(server, tool.name);
  const quarantine = quarantineReason(server, tool.name, tool);
  const refuse = (): never => {
    throw quarantineError(server, tool.name, tool);
  };
  return {
    name,
    title: name,
    description: asSentence(baseRenderer.reason(quarantine)),
    inputSchema: { type: 'object' },
    annotations: {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    },
    tier: 'user',
    category: 'fast_response',
    profile: 'hidden',
    origin: { server, tool: tool.name },
    quarantine,
    coalesce: false,
    timeoutMs: 1_000,
    background: 'never',
    resumable: false,
    parse: refuse,
    run: async () => refuse(),
  };
}
