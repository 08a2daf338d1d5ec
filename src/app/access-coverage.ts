import type { Coverage } from '#core/access-admin.ts';
import { asksModels } from '#core/asks-models.ts';
import type { Decision } from '#core/decision.ts';
import type { Tool } from '#core/tool.ts';

export type CoveredTool = Pick<Tool, 'name' | 'annotations' | 'lane' | 'wouldAsk'>;

/** What some scopes come to: every tool that may be called, by what a call of it does. */
export function coverageOf(
  tools: readonly CoveredTool[],
  decide: (tool: string) => Decision,
): Coverage {
  const free: string[] = [];
  const paid: string[] = [];
  const changing: string[] = [];
  const asking: string[] = [];
  for (const tool of tools) {
    const { verdict } = decide(tool.name);
    if (verdict === 'deny') continue;
    if (verdict === 'ask') asking.push(tool.name);
    if (asksModels(tool)) paid.push(tool.name);
    else if (tool.annotations.readOnlyHint) free.push(tool.name);
    else changing.push(tool.name);
  }
  return { free, paid, changing, asking };
}
