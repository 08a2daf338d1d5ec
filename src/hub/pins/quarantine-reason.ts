import type { QuarantinedTool } from '#core/hub/upstream.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';
import { upstreamToolName } from '../catalogue/tool-name.ts';

/** Why a tool is not callable. It repeats nothing that the server wrote, as models read it. */
export function quarantineReason(
  server: string,
  tool: string,
  quarantined: Pick<QuarantinedTool, 'change' | 'decision'> | undefined,
): Reason {
  const { change = 'changed', decision = 'waiting' } = quarantined ?? {};
  return reason('tool_quarantined', {
    server,
    tool: upstreamToolName(server, tool),
    change,
    decision,
  });
}
