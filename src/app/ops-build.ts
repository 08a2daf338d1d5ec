import type { BuildFacts } from '#core/ops.ts';
import { LEGACY_VERSIONS } from '#transport/mcp/initialize-reply.ts';
import { MODERN_VERSION } from '#transport/mcp/claim.ts';
import { BUILD } from './build-info.ts';

/** What this program is, with the revisions of MCP it speaks, newest first. */
export const OPS_BUILD: BuildFacts = {
  ...BUILD,
  protocols: [MODERN_VERSION, ...LEGACY_VERSIONS],
};
