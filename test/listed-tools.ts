import { builtinTools, type BuiltinDeps } from '#tools/index.ts';
import { PROFILES, type Profile, type Tool } from '#core/tool.ts';

const BUILD = { version: '1', node: 'v20', platform: 'linux', schema: 1, protocols: [] };

/** The built-in tools that a profile lists, of a daemon that has nothing behind them. */
export function listedTools(profile: Profile): readonly Tool[] {
  const tools = builtinTools({ ops: { build: BUILD } } as unknown as BuiltinDeps);
  const most = PROFILES.indexOf(profile);
  return tools.filter((tool) => PROFILES.indexOf(tool.profile) <= most);
}
