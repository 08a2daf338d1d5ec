import { TIERS, type Tier, type Tool } from '#core/tool.ts';
import { matchesWildcard } from '#core/wildcard.ts';

export const EFFECTS = ['allow', 'read', 'free', 'ask', 'deny'] as const;

/**
 * One line of what a client may do, written `[effect:]pattern`: `*`, `read:*`, `free:*`, `kimi_*`, `deny:@backend`. A pattern is a
 * tool's name with `*` for any characters, or `@` and a tier.
 */
export interface Scope {
  readonly effect: (typeof EFFECTS)[number];
  readonly pattern: string;
  readonly text: string;
}

const SHAPE = new RegExp(
  `^(?:(${EFFECTS.join('|')}):)?(@(?:${TIERS.join('|')})|[A-Za-z0-9_.*-]{1,128})$`,
);

/** Nothing when it is no scope; such a line then allows nothing. */
export function parseScope(text: string): Scope | undefined {
  const [, effect = 'allow', pattern] = SHAPE.exec(text) ?? [];
  if (pattern === undefined) return undefined;
  return { effect: effect as Scope['effect'], pattern, text };
}

export function matchesScope(
  { pattern }: Scope,
  { name, tier }: Pick<Tool, 'name' | 'tier'>,
): boolean {
  if (pattern === '*') return true;
  return pattern.startsWith('@')
    ? tier === (pattern.slice(1) as Tier)
    : matchesWildcard(name, pattern);
}
