import type { Complete } from '#core/prompt.ts';
import type { Tool } from '#core/tool.ts';

/** The values that the tool's schema lists for an argument; none where it lists none. */
export function choicesOf({ inputSchema }: Pick<Tool, 'inputSchema'>, name: string): string[] {
  const { properties } = inputSchema;
  const argument = ownValue(properties, name);
  const listed = ownValue(argument, 'enum');
  return Array.isArray(listed) ? listed.filter((value) => typeof value === 'string') : [];
}

export function completeChoices(choices: readonly string[]): Complete {
  return (value) => fitting(value, choices);
}

/** Those that begin so come first, then those that have it further in. */
export function fitting(value: string, all: readonly string[]): string[] {
  const typed = value.trim().toLowerCase();
  const found = all.filter((each) => each.toLowerCase().includes(typed));
  const begins = (each: string) => each.toLowerCase().startsWith(typed);
  return [...found.filter(begins), ...found.filter((each) => !begins(each))];
}

function ownValue(of: unknown, name: string): unknown {
  const isThere = typeof of === 'object' && of !== null && Object.hasOwn(of, name);
  return isThere ? (of as Record<string, unknown>)[name] : undefined;
}
