import type { Ops } from '#core/ops.ts';
import { PROFILES, type Profile, type Tool } from '#core/tool.ts';
import type { ModelDesk } from '#models/desk.ts';
import { builtinTools, modelTools, opsTools, type BuiltinDeps } from '#tools/index.ts';
import type { JobToolDeps } from '#tools/jobs/deps.ts';
import { jobTools } from '#tools/jobs/tools.ts';
import { threads } from '#tools/threads.ts';

const BUILD = { version: '1', node: 'v20', platform: 'linux', schema: 1, protocols: [] };

/** The built-in tools that a profile lists, of a daemon that has nothing behind them. */
export function listedTools(profile: Profile): readonly Tool[] {
  const nothing: unknown = {};
  const tools = [
    ...builtinTools(nothing as BuiltinDeps),
    ...modelTools(nothing as ModelDesk),
    ...opsTools({ build: BUILD } as unknown as Ops),
    ...jobTools(nothing as JobToolDeps),
    threads(nothing as BuiltinDeps),
  ];
  const most = PROFILES.indexOf(profile);
  return tools.filter((tool) => PROFILES.indexOf(tool.profile) <= most);
}
