import type { BuildFacts } from '#core/ops.ts';
import { LEGACY_VERSIONS, MODERN_VERSION } from '#mcp/protocol-versions.ts';
import { BUILD } from './build-info.ts';

/** What this program is, with the revisions of MCP it speaks, newest first. */
export const OPS_BUILD: BuildFacts = {
  ...BUILD,
  protocols: [MODERN_VERSION, ...LEGACY_VERSIONS],
};
