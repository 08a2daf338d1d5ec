import type { Tool } from '#core/tools/tool.ts';

/** Orders tools by how well they fit a text; leaves out those that do not. */
export type OrderTools = (tools: readonly Tool[], text: string) => readonly Tool[];

/**
 * The tools that fit a text best among those that a model may be given unasked: they only read, ask
 * no model, and give no access to other tools.
 */
export function pickReadingTools(
  tools: readonly Tool[],
  text: string,
  order: OrderTools,
  count: number,
): readonly Tool[] {
  return order(tools.filter(isForModels), text).slice(0, count);
}

function isForModels(tool: Tool): boolean {
  const { annotations, reaches } = tool;
  return annotations.readOnlyHint && reaches === undefined && tool.previewAsk === undefined;
}
