import type { Diagnostics } from '#core/diagnostics/diagnostics.ts';
import { PROFILES, type Profile, type Tool } from '#core/tools/tool.ts';
import type { ModelDirectory } from '#models/model-directory.ts';
import { builtinTools, modelTools, opsTools, type BuiltinDeps } from '#tools/index.ts';
import type { JobToolDeps } from '#tools/jobs/job-lookup.ts';
import { jobTools } from '#tools/jobs/job-tools.ts';
import { providerFileTools } from '#tools/kimi-files/index.ts';
import { manageConnections } from '#tools/search/manage-connections.ts';
import { webTools } from '#tools/web/index.ts';
import { threads } from '#tools/threads/threads.ts';

const BUILD = { version: '1', node: 'v20', platform: 'linux', schema: 1, protocols: [] };

/** The built-in tools that a profile lists, of a daemon that has nothing behind them. */
export function listedTools(profile: Profile): readonly Tool[] {
  const nothing: unknown = {};
  const tools = [
    ...builtinTools(nothing as BuiltinDeps),
    ...modelTools(nothing as ModelDirectory),
    ...opsTools({ build: BUILD } as unknown as Diagnostics),
    ...jobTools(nothing as JobToolDeps),
    threads(nothing as BuiltinDeps),
    manageConnections(nothing as Parameters<typeof manageConnections>[0]),
    ...webTools(nothing as Parameters<typeof webTools>[0]),
    ...providerFileTools(nothing as Parameters<typeof providerFileTools>[0]),
  ];
  const listed: readonly Tool['profile'][] = PROFILES.slice(0, PROFILES.indexOf(profile) + 1);
  return tools.filter((tool) => listed.includes(tool.profile));
}
