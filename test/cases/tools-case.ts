import type { RequirementId } from '../requirements.ts';
import type { Called, ToolClient } from './tools-client.ts';

/** What must hold of a tool through every transport; read after "over ws legacy: ". */
export interface ToolCase {
  readonly of: RequirementId;
  readonly says: string;
  readonly run: (client: ToolClient) => Promise<void>;
}

/** One step of a workflow. */
export function step(number: number, more: object = {}) {
  return {
    step: `Look at part ${number}`,
    step_number: number,
    total_steps: 2,
    next_step_required: true,
    findings: `Found ${number}`,
    ...more,
  };
}

/** What the answer says to call next, with words in angle brackets still to be filled in. */
export function nextArgs({ content }: Called): Readonly<Record<string, unknown>> {
  return (content['next_call'] as { readonly arguments: Readonly<Record<string, unknown>> })
    .arguments;
}

export function statusOf({ envelope }: Called): string {
  return envelope.status;
}

interface ShownTurn {
  readonly role: string;
  readonly text: string;
  readonly tool: string;
  readonly model?: string;
  readonly provider?: string;
}

/** Who said what in a conversation, as the threads tool shows it. */
export async function turnsOf(client: ToolClient, id: string): Promise<[string, string][]> {
  return (await shownTurns(client, id)).map(({ role, text }) => [role, text]);
}

export async function shownTurns(client: ToolClient, id: string): Promise<readonly ShownTurn[]> {
  const { content } = await client.call('threads', { action: 'show', id, limit: 100 });
  return (content['turns'] ?? []) as readonly ShownTurn[];
}
