import type { RequestClass, RouteFacts } from '#core/llm/route.ts';
import { toolFacts } from '#manager/route/tool-sets.ts';
import type { RoutingSketch } from './routing-sketch.ts';

/** One decision: in this routing state, with these facts, this rule wins and these models are asked. */
export interface RoutingRow {
  /** A sentence. */
  readonly says: string;
  readonly facts: Partial<RouteFacts>;
  readonly routing?: RoutingSketch;
  readonly rule: string;
  readonly first: string;
  /** Those right after the first. */
  readonly next?: readonly string[];
  readonly class?: RequestClass;
  readonly search?: 'provider' | 'none';
  readonly thinking?: 'on' | 'off';
}

export const K26 = 'kimi-k2.6';
export const K3 = 'kimi-k3';
export const FLASH = 'glm-4.7-flash';
export const GLM = 'glm-5.3';
export const VISION = 'glm-4.6v';

export function by(tool: string, more: Partial<RouteFacts> = {}): Partial<RouteFacts> {
  return { tool, ...toolFacts(tool), ...more };
}

export function files(count: number, more: Partial<RouteFacts['files']> = {}): RouteFacts['files'] {
  return { count, tokens: 100, documents: 0, scans: 0, ...more };
}
