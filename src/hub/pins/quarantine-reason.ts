import type { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { QuarantinedTool } from '#core/hub/upstream.ts';
import { commandFix } from '#core/messages/fixes.ts';
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

/** The error of a call, with the command that shows what the owner decides about. */
export function quarantineError(
  server: string,
  tool: string,
  quarantined: Pick<QuarantinedTool, 'change' | 'decision'> | undefined,
): CallError {
  const name = upstreamToolName(server, tool);
  return codedError('permission', quarantineReason(server, tool, quarantined), {
    field: 'name',
    fixes: [commandFix(`exai pins diff ${server} ${name}`, 'show it to the owner, who decides')],
  });
}
